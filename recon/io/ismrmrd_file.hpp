#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
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
    float sample_time_us = 0; ///< dwell time of a sample
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

/// The HDF5 side of an ISMRMRD file, opened for reading only. The meaning of its fields is
/// in ismrmrd_scan.cpp.
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

    const std::string& path() const { return reader_.path(); }
    std::string data_name() const { return group_ + "/data"; }
    std::string xml_name() const { return group_ + "/xml"; }

    std::string xml() const;
    std::size_t acquisitions() const { return acquisitions_; }
    /// Every acquisition's header, in order, without its arrays. InputError when one cannot be
    /// read: then it is unknown which frame it belongs to.
    void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const;
    IsmrmrdHeader header(std::size_t index) const;
    /// How many waveforms are stored, if any; nothing reads them.
    void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const;
    class Receiver {
    public:
        virtual ~Receiver() = default;
        virtual void take(std::size_t index, const IsmrmrdAcquisition& acquisition) = 0;
        /// One that cannot be read. Reading goes on when this returns.
        virtual void lose(std::size_t index, const InputError& error) = 0;
        /// Whether one after a lost one is to be read.
        virtual bool still_wanted(std::size_t index) const = 0;
    };
    /// These acquisitions, by their places in rising order; the others are not read.
    void read(std::vector<std::size_t> wanted, Receiver& receiver) const;

private:
    void read_headers(std::size_t first, std::size_t count,
                      const std::function<void(const IsmrmrdHeader&)>& take) const;
    std::optional<InputError> receive(const std::vector<std::size_t>& wanted, std::size_t& done,
                                      Receiver& receiver) const;

    const Hdf5Reader& reader_;
    std::string group_;
    std::size_t acquisitions_ = 0;
};

} // namespace lsrecon
