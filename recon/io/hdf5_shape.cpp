#include <algorithm>

#include "base/error.hpp"
#include "io/hdf5_types.hpp"

// What the types and spaces of an HDF5 file are in words.

namespace lsrecon {

namespace {

std::string sized(const std::string& base, hid_t type) {
    return text(base, 8 * H5Tget_size(type));
}

Hdf5Handle member_type(hid_t type, unsigned member) {
    return Hdf5Handle(H5Tget_member_type(type, member), H5Tclose);
}

std::string member_name(hid_t type, unsigned member) {
    char* const name = H5Tget_member_name(type, member);
    const std::string result = name == nullptr ? "" : name;
    H5free_memory(name);
    return result;
}

std::string class_name(hid_t type) {
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return sized("int", type);
    case H5T_FLOAT:
        return sized("float", type);
    case H5T_STRING:
        return "string";
    case H5T_COMPOUND:
        return "compound";
    case H5T_ENUM:
        return "enumeration";
    case H5T_ARRAY:
        return "array type";
    case H5T_VLEN:
        return "variable-length list";
    case H5T_REFERENCE:
        return "reference";
    default:
        return "opaque type";
    }
}

/// The type of the floats when `type` is {r, i} or {real, imag} of two floats, in either order.
Hdf5Handle part_of_complex(hid_t type) {
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) {
        return {};
    }
    const auto [real_name, imaginary_name] = names_of_parts(type);
    const int r = H5Tget_member_index(type, real_name);
    const int i = H5Tget_member_index(type, imaginary_name);
    if (r < 0 || i < 0) {
        return {};
    }
    Hdf5Handle real = member_type(type, static_cast<unsigned>(r));
    const Hdf5Handle imaginary = member_type(type, static_cast<unsigned>(i));
    const bool floats =
        H5Tget_class(real.get()) == H5T_FLOAT && H5Tget_class(imaginary.get()) == H5T_FLOAT;
    return floats ? std::move(real) : Hdf5Handle();
}

/// "compound {re float32, im float32}"
std::string compound_name(hid_t type) {
    constexpr unsigned at_most = 6;
    const auto members = static_cast<unsigned>(std::max(H5Tget_nmembers(type), 0));
    std::string result = "compound {";
    for (unsigned m = 0; m < std::min(members, at_most); ++m) {
        result += (m == 0 ? "" : ", ") + member_name(type, m) + " ";
        result += class_name(member_type(type, m).get());
    }
    return result + (members > at_most ? ", ...}" : "}");
}

std::vector<std::size_t> extents_of(hid_t space) {
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    return {extents.begin(), extents.end()};
}

Hdf5Kind kind_of(hid_t type) {
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return Hdf5Kind::integer;
    case H5T_FLOAT:
        return Hdf5Kind::real;
    case H5T_STRING:
        return Hdf5Kind::string;
    default:
        return part_of_complex(type).get() >= 0 ? Hdf5Kind::complex : Hdf5Kind::other;
    }
}

} // namespace

std::pair<const char*, const char*> names_of_parts(hid_t type) {
    const bool ismrmrd = H5Tget_member_index(type, "real") >= 0;
    return ismrmrd ? std::pair("real", "imag") : std::pair("r", "i");
}

bool holds_floats(hid_t type) {
    if (H5Tget_class(type) == H5T_COMPOUND) {
        const Hdf5Handle part(H5Tget_member_type(type, 0), H5Tclose);
        const Hdf5Handle other(H5Tget_member_type(type, 1), H5Tclose);
        return holds_floats(part.get()) && holds_floats(other.get());
    }
    return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) <= sizeof(float);
}

Hdf5Shape describe(hid_t type, hid_t space) {
    Hdf5Shape shape;
    shape.kind = kind_of(type);
    if (shape.kind == Hdf5Kind::complex) {
        const auto [real, imaginary] = names_of_parts(type);
        shape.type_name = text("complex {", real, ",", imaginary, "} of ",
                               class_name(part_of_complex(type).get()));
    } else {
        const bool compound = H5Tget_class(type) == H5T_COMPOUND;
        shape.type_name = compound ? compound_name(type) : class_name(type);
    }
    if (holds_floats(type)) {
        shape.number_bytes = sizeof(float);
    }
    shape.extents = extents_of(space);
    shape.null = H5Sget_simple_extent_type(space) == H5S_NULL;
    return shape;
}

} // namespace lsrecon
