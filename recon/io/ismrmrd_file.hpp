#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5_file.hpp"

namespace lsrecon {

/// The header fields that matter here, under the names that the format gives them.
struct IsmrmrdCounters {
    std::uint16_t kspace_encode_step_1 = 0;
    std::uint16_t kspace_encode_step_2 = 0;
    std::uint16_t slice = 0;
    std::uint16_t contrast = 0;
    std::uint16_t phase = 0;
    std::uint16_t repetition = 0;
    std::uint16_t set = 0;
};

struct IsmrmrdHeader {
    std::uint64_t flags = 0; ///< flag f of the format is bit f - 1
    std::uint16_t number_of_samples = 0;
    std::uint16_t active_channels = 0;
    std::uint16_t discard_pre = 0;
    std::uint16_t discard_post = 0;
    std::uint16_t center_sample = 0;
    std::uint16_t encoding_space_ref = 0;
    std::uint16_t trajectory_dimensions = 0;
    std::array<float, 3> position{};
    std::array<float, 3> read_dir{};
    std::array<float, 3> phase_dir{};
    std::array<float, 3> slice_dir{};
    IsmrmrdCounters idx;
};

/// One row of `data`.
struct IsmrmrdAcquisition {
    IsmrmrdHeader header;
    std::vector<float> trajectory; ///< number_of_samples x trajectory_dimensions, when whole
    std::vector<float> values; ///< active_channels x number_of_samples x {real, imaginary}
};

/// The HDF5 side of an ISMRMRD file, opened for reading only. What its fields mean is the
/// business of ismrmrd_scan.cpp.
///
/// libismrmrd's own class Dataset (1.8) is not used: it opens the file for writing when it may, it
/// does not look at the result of a read, and it copies as many values as the acquisition's header
/// promises, however few the file holds.
class IsmrmrdFile {
public:
    /// Names of the top-level groups that hold `xml` and `data`; "dataset", the name that
    /// libismrmrd and its tools use, comes first.
    static std::vector<std::string> groups(const Hdf5Reader& reader);

    /// InputError when `data` does not hold acquisitions.
    IsmrmrdFile(const Hdf5Reader& reader, const std::string& group);
    ~IsmrmrdFile();

    std::string data_name() const { return group_ + "/data"; }
    std::string xml_name() const { return group_ + "/xml"; }

    std::string xml() const;
    std::size_t acquisitions() const { return acquisitions_; }
    /// InputError when the acquisition is damaged. One after the other: the child that reads them
    /// is always ahead.
    IsmrmrdAcquisition read(std::size_t index) const;

private:
    const Hdf5Reader& reader_;
    std::string group_;
    struct Stream;
    std::unique_ptr<Stream> stream_;
    std::size_t acquisitions_ = 0;
};

} // namespace lsrecon
