#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace lsrecon {

/// Slice, contrast, phase, repetition and set of an acquisition, in the order of frame_counters().
using RawCounters = std::array<std::uint16_t, 5>;

/// The header fields that matter here, under the names that the format gives them.
struct IsmrmrdCounters {
    std::uint16_t kspace_encode_step_1 = 0;
    std::uint16_t kspace_encode_step_2 = 0;
    std::uint16_t slice = 0;
    std::uint16_t contrast = 0;
    std::uint16_t phase = 0;
    std::uint16_t repetition = 0;
    std::uint16_t set = 0;
    std::uint16_t segment = 0;
};

struct IsmrmrdHeader {
    std::uint64_t flags = 0; ///< flag f of the format is bit f - 1
    std::uint32_t measurement_uid = 0;
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

    bool has_flag(int flag) const { return ((flags >> (flag - 1)) & 1U) != 0; }
    bool reversed() const { return has_flag(22); }
    /// The counters in the order of frame_counters().
    RawCounters counters() const {
        return {idx.slice, idx.contrast, idx.phase, idx.repetition, idx.set};
    }
};

/// One row of `data`.
struct IsmrmrdAcquisition {
    IsmrmrdHeader header;
    std::vector<float> trajectory; ///< number_of_samples x trajectory_dimensions, when whole
    std::vector<float> values; ///< active_channels x number_of_samples x {real, imaginary}
};

/// ISMRMRD raw data as it is stored: in HDF5 (io/ismrmrd_hdf5.hpp) or as a stream
/// (io/ismrmrd/stream.hpp). The meaning of its fields is in scan.cpp.
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
    /// Reads these acquisitions, by their places in rising order, and no others. InputError for the
    /// first that cannot be read.
    virtual void read(const std::vector<std::size_t>& wanted, const Take& take) const = 0;
};

} // namespace lsrecon
