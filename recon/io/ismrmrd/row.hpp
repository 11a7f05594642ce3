#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scan/grid.hpp"

namespace lsrecon {

// The fields of a row of `data` as they are written: version 1 of the format, under its names and
// in its order. Reading takes less (io/ismrmrd/file.hpp).

struct IsmrmrdRowCounters {
    std::uint16_t kspace_encode_step_1 = 0;
    std::uint16_t kspace_encode_step_2 = 0;
    std::uint16_t average = 0;
    std::uint16_t slice = 0;
    std::uint16_t contrast = 0;
    std::uint16_t phase = 0;
    std::uint16_t repetition = 0;
    std::uint16_t set = 0;
    std::uint16_t segment = 0;
    std::uint16_t user[8] = {};
};

struct IsmrmrdRowHead {
    std::uint16_t version = 1;
    std::uint64_t flags = 0; ///< flag f of the format is bit f - 1
    std::uint32_t measurement_uid = 0;
    std::uint32_t scan_counter = 0;
    std::uint32_t acquisition_time_stamp = 0;
    std::uint32_t physiology_time_stamp[3] = {};
    std::uint16_t number_of_samples = 0;
    std::uint16_t available_channels = 0;
    std::uint16_t active_channels = 0;
    std::uint64_t channel_mask[16] = {};
    std::uint16_t discard_pre = 0;
    std::uint16_t discard_post = 0;
    std::uint16_t center_sample = 0;
    std::uint16_t encoding_space_ref = 0;
    std::uint16_t trajectory_dimensions = 0;
    float sample_time_us = 0;
    float position[3] = {};
    float read_dir[3] = {};
    float phase_dir[3] = {};
    float slice_dir[3] = {};
    float patient_table_position[3] = {};
    IsmrmrdRowCounters idx;
    std::int32_t user_int[8] = {};
    float user_float[8] = {};
};

struct IsmrmrdRow {
    IsmrmrdRowHead head;
    std::vector<float> trajectory; ///< number_of_samples x trajectory_dimensions
    std::vector<float> values; ///< active_channels x number_of_samples x {real, imaginary}
};

inline void to_floats(const Vec3& from, float (&to)[3]) {
    for (std::size_t d = 0; d < 3; ++d) {
        to[d] = static_cast<float>(from[d]);
    }
}

/// Sets the place of an acquisition or an image, as far as it is known: both headers of ISMRMRD
/// have these fields.
template <typename Header>
void set_place(Header& header, const Grid& grid, const std::optional<Vec3>& position_of_frame) {
    if (position_of_frame || grid.position) {
        to_floats(position_of_frame ? *position_of_frame : *grid.position, header.position);
    }
    if (grid.directions) {
        to_floats((*grid.directions)[0], header.read_dir);
        to_floats((*grid.directions)[1], header.phase_dir);
        to_floats((*grid.directions)[2], header.slice_dir);
    }
}

} // namespace lsrecon
