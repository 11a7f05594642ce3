#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/object.hpp"

namespace lsrecon {

/// Of an ISMRMRD image: version 1 of the format, under its names and in its order.
struct MrdImageHeader {
    std::uint16_t version = 1;
    std::uint16_t data_type = 0;
    std::uint64_t flags = 0;
    std::uint32_t measurement_uid = 0;
    std::uint16_t matrix_size[3] = {};
    float field_of_view[3] = {};
    std::uint16_t channels = 1;
    float position[3] = {};
    float read_dir[3] = {};
    float phase_dir[3] = {};
    float slice_dir[3] = {};
    float patient_table_position[3] = {};
    std::uint16_t average = 0;
    std::uint16_t slice = 0;
    std::uint16_t contrast = 0;
    std::uint16_t phase = 0;
    std::uint16_t repetition = 0;
    std::uint16_t set = 0;
    std::uint32_t acquisition_time_stamp = 0;
    std::uint32_t physiology_time_stamp[3] = {};
    std::uint16_t image_type = 0;
    std::uint16_t image_index = 0;
    std::uint16_t image_series_index = 0;
    std::int32_t user_int[8] = {};
    float user_float[8] = {};
    std::uint32_t attribute_string_len = 0;
};

const std::vector<Hdf5Field>& mrd_image_fields();

/// What a frame is counted by, as labels of frames call it.
struct MrdCounter {
    const char* name;
    std::uint16_t MrdImageHeader::*member;
};

constexpr MrdCounter mrd_counters[] = {{"slice", &MrdImageHeader::slice},
                                       {"contrast", &MrdImageHeader::contrast},
                                       {"phase", &MrdImageHeader::phase},
                                       {"repetition", &MrdImageHeader::repetition},
                                       {"set", &MrdImageHeader::set}};

/// The label of a frame in the attributes that write_mrd_images gave it; "" where they have none.
std::string mrd_label_in(const std::string& attributes);

} // namespace lsrecon
