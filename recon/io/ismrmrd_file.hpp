#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

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
    std::uint16_t segment = 0;
};

struct IsmrmrdHeader {
    std::uint64_t flags = 0; ///< flag f of the format is bit f - 1
    std::uint32_t measurement_uid = 0;
    std::uint16_t number_of_samples = 0;
    std::uint16_t active_channels = 0;
    std::array<std::uint64_t, 16> channel_mask{}; ///< channel c is bit c % 64 of number c / 64
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

/// ISMRMRD raw data as it is stored: in HDF5 (io/ismrmrd_hdf5.hpp) or as a stream
/// (io/ismrmrd_stream.hpp). The meaning of its fields is in ismrmrd_scan.cpp.
class IsmrmrdFile {
public:
    virtual ~IsmrmrdFile() = default;

    virtual const std::string& path() const = 0;
    /// What messages call the acquisitions, and the header.
    virtual std::string data_name() const = 0;
    virtual std::string xml_name() const = 0;

    virtual std::string xml() const = 0;
    /// Every acquisition's header, in order, without its arrays. InputError when one cannot be
    /// read: then it is unknown which frame it belongs to.
    virtual void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const = 0;
    virtual IsmrmrdHeader header(std::size_t index) const = 0;
    /// How many waveforms are stored, if any; nothing reads them.
    virtual void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const = 0;

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
    virtual void read(std::vector<std::size_t> wanted, Receiver& receiver) const = 0;
};

} // namespace lsrecon
