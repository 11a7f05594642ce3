// Raw data of ISMRMRD as it is stored: acquisitions with the headers of libismrmrd, in HDF5 or as a
// stream. The one file that includes its headers.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <ismrmrd/ismrmrd.h>
#include <ismrmrd/waveform.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "io/hdf5/reader.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

class Hdf5Writer;

/// Slice, contrast, phase, repetition and set of an acquisition, in the order of frame_counters().
using RawCounters = std::array<std::uint16_t, 5>;
struct Counter {
    enum : std::size_t { slice, contrast, phase, repetition, set };
};

/// The header of an acquisition, packed as the format has it: a field is copied, since references
/// to it may be misaligned.
struct IsmrmrdHeader : ISMRMRD::ISMRMRD_AcquisitionHeader {
    IsmrmrdHeader() : ISMRMRD_AcquisitionHeader{} { version = 1; }
    bool has_flag(int flag) const { return ((flags >> (flag - 1)) & 1U) != 0; }
    void set_flag(int flag) { flags |= std::uint64_t{1} << (flag - 1); }
    bool reversed() const { return has_flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE); }
    /// The counters in the order of frame_counters().
    RawCounters counters() const {
        return {idx.slice, idx.contrast, idx.phase, idx.repetition, idx.set};
    }
};
static_assert(sizeof(IsmrmrdHeader) == 340, "streams hold it as it is");

/// One row of `data`.
struct IsmrmrdAcquisition {
    IsmrmrdHeader header;
    std::vector<float> positions; ///< number_of_samples x trajectory_dimensions, when whole
    std::vector<float> values; ///< active_channels x number_of_samples x {real, imaginary}
};

// Headers of acquisitions and of images have the same fields for where they lie.

template <typename Header> Vec3 position_of(const Header& header) {
    return {header.position[0], header.position[1], header.position[2]};
}

template <typename Header> std::array<Vec3, 3> directions_of(const Header& header) {
    std::array<Vec3, 3> directions{};
    for (std::size_t d = 0; d < 3; ++d) {
        directions[0][d] = header.read_dir[d];
        directions[1][d] = header.phase_dir[d];
        directions[2][d] = header.slice_dir[d];
    }
    return directions;
}

/// Sets position and directions as far as they are known.
template <typename Header>
void set_pose(Header& header, const Grid& grid, const std::optional<Vec3>& position_of_frame) {
    const std::optional<Vec3>& position = position_of_frame ? position_of_frame : grid.position;
    for (std::size_t d = 0; d < 3; ++d) {
        if (position) {
            header.position[d] = static_cast<float>((*position)[d]);
        }
        if (grid.directions) {
            header.read_dir[d] = static_cast<float>((*grid.directions)[0][d]);
            header.phase_dir[d] = static_cast<float>((*grid.directions)[1][d]);
            header.slice_dir[d] = static_cast<float>((*grid.directions)[2][d]);
        }
    }
}

/// ISMRMRD raw data as it is stored: in HDF5 or as a stream. The meaning of its fields is
/// in scan.cpp.
class IsmrmrdFile {
public:
    virtual ~IsmrmrdFile() = default;

    virtual const std::string& path() const = 0;
    /// The names of the acquisitions and of the header in messages.
    virtual std::string data_name() const = 0;
    virtual std::string xml_name() const = 0;

    virtual std::string xml() const = 0;
    /// Every acquisition's header, in order, without its arrays.
    virtual void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const = 0;
    /// Adds the number of stored waveforms, if any; nothing reads them.
    virtual void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const = 0;

    using Take = std::function<void(std::size_t index, const IsmrmrdAcquisition& acquisition)>;
    /// Reads these acquisitions, by their indices in rising order, and no others. InputError for
    /// the first that cannot be read.
    virtual void read(const std::vector<std::size_t>& wanted, const Take& take) const = 0;
};

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
                        const std::function<IsmrmrdAcquisition(std::size_t index)>& acquisition);

/// ISMRMRD raw data as the stream that libismrmrd (1.12 and later) writes and that reconstruction
/// servers are sent: messages one after the other, each a number of 16 bits and its content,
/// little-endian (mrd_messages.md and serialization.cpp of the ISMRMRD project). Debian 12 and 13
/// and Ubuntu 24.04 have libismrmrd 1.8, which cannot read it; its reader (1.15) makes room for
/// whatever a damaged header claims. Here nothing is taken that the file does not hold.
class IsmrmrdStream final : public IsmrmrdFile {
public:
    /// Reads every header. InputError when a message is unknown or cut off, when there are two
    /// headers in XML or no end, or for anything behind the end. The file must outlive it.
    explicit IsmrmrdStream(const InputFile& file);

    const std::string& path() const override { return file_.path(); }
    std::string data_name() const override { return "stream"; }
    std::string xml_name() const override { return "header of the stream"; }
    std::string xml() const override { return xml_; }
    void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const override;
    void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const override;
    void read(const std::vector<std::size_t>& wanted, const Take& take) const override;

private:
    struct Stored {
        IsmrmrdHeader header;
        std::uint64_t offset; ///< offset of its arrays in the file
    };
    const InputFile& file_;
    std::string xml_;
    std::vector<Stored> stored_;
    std::size_t waveforms_ = 0;
};

} // namespace lsrecon
