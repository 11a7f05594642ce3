#include "io/mrd_image_header.hpp"

#include <cstddef>

namespace lsrecon {

const std::vector<Hdf5Field>& mrd_image_fields() {
    static const std::vector<Hdf5Field> fields{
        LSRECON_FIELD(MrdImageHeader, version, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, data_type, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, flags, uint64, 1),
        LSRECON_FIELD(MrdImageHeader, measurement_uid, uint32, 1),
        LSRECON_FIELD(MrdImageHeader, matrix_size, uint16, 3),
        LSRECON_FIELD(MrdImageHeader, field_of_view, float32, 3),
        LSRECON_FIELD(MrdImageHeader, channels, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, position, float32, 3),
        LSRECON_FIELD(MrdImageHeader, read_dir, float32, 3),
        LSRECON_FIELD(MrdImageHeader, phase_dir, float32, 3),
        LSRECON_FIELD(MrdImageHeader, slice_dir, float32, 3),
        LSRECON_FIELD(MrdImageHeader, patient_table_position, float32, 3),
        LSRECON_FIELD(MrdImageHeader, average, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, slice, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, contrast, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, phase, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, repetition, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, set, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, acquisition_time_stamp, uint32, 1),
        LSRECON_FIELD(MrdImageHeader, physiology_time_stamp, uint32, 3),
        LSRECON_FIELD(MrdImageHeader, image_type, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, image_index, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, image_series_index, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, user_int, int32, 8),
        LSRECON_FIELD(MrdImageHeader, user_float, float32, 8),
        LSRECON_FIELD(MrdImageHeader, attribute_string_len, uint32, 1),
    };
    return fields;
}

} // namespace lsrecon
