#pragma once

#include "io/hdf5/reader.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/row.hpp"

namespace lsrecon {

class Hdf5Writer;

/// ISMRMRD raw data in HDF5, opened for reading only.
///
/// libismrmrd's own class Dataset (1.8) is not used: it opens the file for writing when it may, it
/// does not look at the result of a read, and it copies as many values as the acquisition's header
/// promises, however few the file holds.
class IsmrmrdHdf5 final : public IsmrmrdFile {
public:
    /// Names of the top-level groups that hold `xml` and `data`; "dataset", the name that
    /// libismrmrd and its tools use, comes first.
    static std::vector<std::string> groups(const Hdf5Reader& reader);

    /// InputError when `data` does not hold acquisitions. The reader must outlive it.
    IsmrmrdHdf5(const Hdf5Reader& reader, const std::string& group);

    const std::string& path() const override { return reader_.path(); }
    std::string data_name() const override { return group_ + "/data"; }
    std::string xml_name() const override { return group_ + "/xml"; }
    std::string xml() const override;
    void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const override;
    void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const override;
    void read(const std::vector<std::size_t>& wanted, const Take& take) const override;

private:
    const Hdf5Reader& reader_;
    std::string group_;
    std::size_t acquisitions_ = 0;
};

/// Writes acquisitions as rows of a dataset. They are asked for one after the other.
void write_acquisitions(Hdf5Writer& file, const std::string& dataset, std::size_t count,
                        const std::function<IsmrmrdRow(std::size_t index)>& acquisition);

} // namespace lsrecon
