#include "io/hdf5_types.hpp"

// The types of what other programs' files hold.

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

Hdf5Handle floats_type(Hdf5Floats type) {
    switch (type) {
    case Hdf5Floats::r_i:
        return complex_type(H5T_IEEE_F32LE);
    case Hdf5Floats::real_imag:
        return complex_type(H5T_IEEE_F32LE, "real", "imag");
    default:
        return Hdf5Handle(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
    }
}

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

} // namespace lsrecon
