#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "io/hdf5_types.hpp"
#include "io/ismrmrd/row.hpp"

// Hdf5Writer: rows that other programs read as their own structures. The file has their fields one
// after the other, without the padding of ours: some readers take the bytes as they are.

namespace lsrecon {

namespace {

hid_t number_type(Hdf5Field::Type type) {
    switch (type) {
    case Hdf5Field::Type::uint16:
        return H5T_NATIVE_UINT16;
    case Hdf5Field::Type::uint32:
        return H5T_NATIVE_UINT32;
    case Hdf5Field::Type::uint64:
        return H5T_NATIVE_UINT64;
    case Hdf5Field::Type::int32:
        return H5T_NATIVE_INT32;
    default:
        return H5T_NATIVE_FLOAT;
    }
}

} // namespace

Hdf5Handle row_type(const std::vector<Hdf5Field>& fields, std::size_t row_bytes) {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, row_bytes), H5Tclose);
    for (const Hdf5Field& field : fields) {
        const hsize_t count = field.count;
        const hid_t number = number_type(field.type);
        const Hdf5Handle member(count == 1 ? H5Tcopy(number) : H5Tarray_create2(number, 1, &count),
                                H5Tclose);
        H5Tinsert(type.get(), field.name.c_str(), field.offset, member.get());
    }
    return type;
}

namespace {

Hdf5Handle packed(const Hdf5Handle& in_memory) {
    Hdf5Handle type(H5Tcopy(in_memory.get()), H5Tclose);
    H5Tpack(type.get());
    return type;
}

Hdf5Handle counters_type() {
    using Row = IsmrmrdRowCounters;
    return row_type(
        {
            LSRECON_FIELD(Row, kspace_encode_step_1, uint16, 1),
            LSRECON_FIELD(Row, kspace_encode_step_2, uint16, 1),
            LSRECON_FIELD(Row, average, uint16, 1),
            LSRECON_FIELD(Row, slice, uint16, 1),
            LSRECON_FIELD(Row, contrast, uint16, 1),
            LSRECON_FIELD(Row, phase, uint16, 1),
            LSRECON_FIELD(Row, repetition, uint16, 1),
            LSRECON_FIELD(Row, set, uint16, 1),
            LSRECON_FIELD(Row, segment, uint16, 1),
            LSRECON_FIELD(Row, user, uint16, 8),
        },
        sizeof(Row));
}

Hdf5Handle head_type() {
    using Row = IsmrmrdRowHead;
    Hdf5Handle type = row_type(
        {
            LSRECON_FIELD(Row, version, uint16, 1),
            LSRECON_FIELD(Row, flags, uint64, 1),
            LSRECON_FIELD(Row, measurement_uid, uint32, 1),
            LSRECON_FIELD(Row, scan_counter, uint32, 1),
            LSRECON_FIELD(Row, acquisition_time_stamp, uint32, 1),
            LSRECON_FIELD(Row, physiology_time_stamp, uint32, 3),
            LSRECON_FIELD(Row, number_of_samples, uint16, 1),
            LSRECON_FIELD(Row, available_channels, uint16, 1),
            LSRECON_FIELD(Row, active_channels, uint16, 1),
            LSRECON_FIELD(Row, channel_mask, uint64, 16),
            LSRECON_FIELD(Row, discard_pre, uint16, 1),
            LSRECON_FIELD(Row, discard_post, uint16, 1),
            LSRECON_FIELD(Row, center_sample, uint16, 1),
            LSRECON_FIELD(Row, encoding_space_ref, uint16, 1),
            LSRECON_FIELD(Row, trajectory_dimensions, uint16, 1),
            LSRECON_FIELD(Row, sample_time_us, float32, 1),
            LSRECON_FIELD(Row, position, float32, 3),
            LSRECON_FIELD(Row, read_dir, float32, 3),
            LSRECON_FIELD(Row, phase_dir, float32, 3),
            LSRECON_FIELD(Row, slice_dir, float32, 3),
            LSRECON_FIELD(Row, patient_table_position, float32, 3),
            LSRECON_FIELD(Row, user_int, int32, 8),
            LSRECON_FIELD(Row, user_float, float32, 8),
        },
        sizeof(Row));
    H5Tinsert(type.get(), "idx", offsetof(Row, idx), counters_type().get());
    return type;
}

/// A row with its arrays where HDF5 looks for them.
struct PointedRow {
    IsmrmrdRowHead head;
    hvl_t traj;
    hvl_t data;
};

Hdf5Handle acquisition_type() {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(PointedRow)), H5Tclose);
    const Hdf5Handle floats(H5Tvlen_create(H5T_NATIVE_FLOAT), H5Tclose);
    H5Tinsert(type.get(), "head", offsetof(PointedRow, head), head_type().get());
    H5Tinsert(type.get(), "traj", offsetof(PointedRow, traj), floats.get());
    H5Tinsert(type.get(), "data", offsetof(PointedRow, data), floats.get());
    return type;
}

hvl_t pointer_to(std::vector<float>& floats) {
    return {floats.size(), floats.data()};
}

} // namespace

Hdf5Handle element_type(Hdf5Element element) {
    switch (element) {
    case Hdf5Element::complex64:
        return complex_type(H5T_IEEE_F32LE);
    case Hdf5Element::complex128:
        return complex_type(H5T_IEEE_F64LE);
    case Hdf5Element::ismrmrd_complex64:
        return complex_type(H5T_IEEE_F32LE, "real", "imag");
    case Hdf5Element::sha256:
        return text_type(64); // hexadecimal digits
    default:
        return Hdf5Handle(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
    }
}

Hdf5Handle Hdf5Writer::made_dataset(const std::string& dataset, std::size_t rows,
                                    const Hdf5Handle& type) {
    const Hdf5Handle space = simple_space({rows});
    Hdf5Handle handle(H5Dcreate2(file_.get(), dataset.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
    require_held(handle.get() >= 0, dataset);
    return handle;
}

void Hdf5Writer::table(const std::string& dataset, const std::vector<Hdf5Field>& fields,
                       std::size_t rows, std::size_t row_bytes, const void* values) {
    const Hdf5Handle type = row_type(fields, row_bytes);
    const Hdf5Handle handle = made_dataset(dataset, rows, packed(type));
    require_held(H5Dwrite(handle.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
                 dataset);
}

void Hdf5Writer::acquisitions(const std::string& dataset, std::size_t rows,
                              const std::function<IsmrmrdRow(std::size_t row)>& row) {
    constexpr std::size_t at_once = 256; // beside the file they are in memory, too
    const Hdf5Handle type = acquisition_type();
    const Hdf5Handle handle = made_dataset(dataset, rows, packed(type));
    const Hdf5Handle space(H5Dget_space(handle.get()), H5Sclose);
    for (std::size_t first = 0; first < rows; first += at_once) {
        const std::size_t count = std::min(at_once, rows - first);
        std::vector<IsmrmrdRow> batch;
        std::vector<PointedRow> pointed;
        for (std::size_t i = 0; i < count; ++i) {
            batch.push_back(row(first + i));
        }
        for (IsmrmrdRow& one : batch) {
            pointed.push_back({one.head, pointer_to(one.trajectory), pointer_to(one.values)});
        }
        const hsize_t start = first;
        const hsize_t size = count;
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &size, nullptr);
        const Hdf5Handle memory = simple_space({count});
        require_held(H5Dwrite(handle.get(), type.get(), memory.get(), space.get(), H5P_DEFAULT,
                              pointed.data()) >= 0,
                     dataset);
    }
}

} // namespace lsrecon
