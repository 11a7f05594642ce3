// Converts between HDF5's types and ours: compounds of complex numbers, texts, rows of tables, and
// their names in messages.

#include "io/hdf5/types.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace lsrecon {

namespace {

static_assert(sizeof(Hdf5List) == sizeof(hvl_t), "HDF5 fills in lists");

/// The names of the parts of a complex number in a compound that holds them: "r" and "i", or "real"
/// and "imag" as in ISMRMRD.
std::pair<const char*, const char*> names_of_parts(hid_t type) {
    const bool ismrmrd = H5Tget_member_index(type, "real") >= 0;
    return ismrmrd ? std::pair("real", "imag") : std::pair("r", "i");
}

std::string member_name(hid_t type, unsigned member) {
    char* const name = H5Tget_member_name(type, member);
    const std::string result = name == nullptr ? "" : name;
    H5free_memory(name);
    return result;
}

std::string class_name(hid_t type) {
    const std::size_t bits = 8 * H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return text("int", bits);
    case H5T_FLOAT:
        return text("float", bits);
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
    const auto [real, imaginary] = names_of_parts(type);
    if (H5Tget_member_index(type, real) < 0 || H5Tget_member_index(type, imaginary) < 0 ||
        H5Tget_member_class(type, 0) != H5T_FLOAT || H5Tget_member_class(type, 1) != H5T_FLOAT) {
        return {};
    }
    // The larger of the two: what holds both.
    Hdf5Handle first(H5Tget_member_type(type, 0));
    Hdf5Handle second(H5Tget_member_type(type, 1));
    return H5Tget_size(first) < H5Tget_size(second) ? std::move(second) : std::move(first);
}

/// "compound {re float32, im float32}"
std::string compound_name(hid_t type) {
    constexpr unsigned at_most = 6;
    const auto members = static_cast<unsigned>(std::max(H5Tget_nmembers(type), 0));
    std::string result = "compound {";
    for (unsigned m = 0; m < std::min(members, at_most); ++m) {
        result += (m == 0 ? "" : ", ") + member_name(type, m) + " " +
                  class_name(Hdf5Handle(H5Tget_member_type(type, m)));
    }
    return result + (members > at_most ? ", ...}" : "}");
}

Hdf5Handle field_type(const Hdf5Field& field) {
    switch (field.type) {
    case Hdf5Field::Type::uint16:
        return Hdf5Handle(H5Tcopy(H5T_NATIVE_UINT16));
    case Hdf5Field::Type::uint32:
        return Hdf5Handle(H5Tcopy(H5T_NATIVE_UINT32));
    case Hdf5Field::Type::uint64:
        return Hdf5Handle(H5Tcopy(H5T_NATIVE_UINT64));
    case Hdf5Field::Type::int32:
        return Hdf5Handle(H5Tcopy(H5T_NATIVE_INT32));
    case Hdf5Field::Type::float32:
        return Hdf5Handle(H5Tcopy(H5T_NATIVE_FLOAT));
    case Hdf5Field::Type::list:
        return Hdf5Handle(H5Tvlen_create(H5T_NATIVE_FLOAT));
    case Hdf5Field::Type::fields:
        break;
    }
    return row_type(field.fields, field.count);
}

} // namespace

Hdf5Handle complex_type(hid_t real, const char* r, const char* i) {
    const std::size_t size = H5Tget_size(real);
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, 2 * size));
    H5Tinsert(type, r, 0, real);
    H5Tinsert(type, i, size, real);
    return type;
}

Hdf5Handle text_type(std::size_t size) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, size);
    if (size != H5T_VARIABLE) {
        H5Tset_strpad(type, H5T_STR_NULLPAD); // as h5py's
    }
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

Hdf5Handle row_type(const std::vector<Hdf5Field>& fields, std::size_t row_bytes) {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, row_bytes));
    for (const Hdf5Field& field : fields) {
        const Hdf5Handle one = field_type(field);
        const hsize_t count = field.count;
        const bool array = count > 1 && field.type != Hdf5Field::Type::fields;
        const Hdf5Handle all = array ? Hdf5Handle(H5Tarray_create2(one, 1, &count)) : Hdf5Handle();
        H5Tinsert(type, field.name.c_str(), field.offset, array ? all : one);
    }
    return type;
}

Hdf5Handle simple_space(const std::vector<std::size_t>& extents) {
    if (extents.empty()) {
        return Hdf5Handle(H5Screate(H5S_SCALAR));
    }
    const std::vector<hsize_t> sizes(extents.begin(), extents.end());
    return Hdf5Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
}

Hdf5Handle type_as_read(hid_t type, const Hdf5Shape& shape) {
    const hid_t number = shape.number_bytes == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    if (shape.kind != Hdf5Kind::complex) {
        return Hdf5Handle(H5Tcopy(number));
    }
    const auto [real, imaginary] = names_of_parts(type);
    return complex_type(number, real, imaginary);
}

Hdf5Shape describe(hid_t type, hid_t space) {
    Hdf5Shape shape;
    const Hdf5Handle part = part_of_complex(type);
    const H5T_class_t stored = H5Tget_class(type);
    shape.kind = part >= 0               ? Hdf5Kind::complex
                 : stored == H5T_INTEGER ? Hdf5Kind::integer
                 : stored == H5T_FLOAT   ? Hdf5Kind::real
                 : stored == H5T_STRING  ? Hdf5Kind::string
                                         : Hdf5Kind::other;
    shape.type_name = stored == H5T_COMPOUND ? compound_name(type) : class_name(type);
    const hid_t number = part >= 0 ? hid_t(part) : type;
    if (part >= 0) {
        const auto [real, imaginary] = names_of_parts(type);
        shape.type_name = text("complex {", real, ",", imaginary, "} of ", class_name(part));
    }
    if (H5Tget_class(number) == H5T_FLOAT && H5Tget_size(number) <= sizeof(float)) {
        shape.number_bytes = sizeof(float);
    }
    std::vector<hsize_t> extents(
        static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    shape.extents.assign(extents.begin(), extents.end());
    shape.null = H5Sget_simple_extent_type(space) == H5S_NULL;
    return shape;
}

// --- plain data of objects (object.hpp)
// -------------------------------------------------------------

std::size_t product_of(const std::vector<std::size_t>& factors) {
    if (std::find(factors.begin(), factors.end(), 0U) != factors.end()) {
        return 0;
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    std::size_t product = 1;
    for (const std::size_t factor : factors) {
        product = product > most / factor ? most : product * factor;
    }
    return product;
}

std::size_t Hdf5Shape::elements() const {
    return null ? 0 : product_of(extents);
}

std::size_t Hdf5Shape::row_elements() const {
    return extents.empty() ? elements() : product_of({extents.begin() + 1, extents.end()});
}

std::string Hdf5Shape::to_string() const {
    if (null) {
        return type_name + " without a value";
    }
    return extents.empty() ? "one " + type_name : type_name + " " + shown(extents);
}

std::vector<std::size_t> all_indices(std::size_t count) {
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
}

std::string shown(const std::vector<std::size_t>& extents) {
    std::string result = "[";
    for (std::size_t i = 0; i < extents.size(); ++i) {
        result += (i == 0 ? "" : ", ") + std::to_string(extents[i]);
    }
    return result + "]";
}

std::string kind_name(Hdf5Kind kind) {
    switch (kind) {
    case Hdf5Kind::integer:
        return "whole numbers";
    case Hdf5Kind::real:
        return "real numbers";
    case Hdf5Kind::complex:
        return "complex numbers, compound {r,i} of two floats";
    case Hdf5Kind::string:
        return "text";
    case Hdf5Kind::other:
        break;
    }
    return "another type";
}

bool fits(Hdf5Kind found, Hdf5Kind wanted) {
    return found == wanted || (wanted == Hdf5Kind::real && found == Hdf5Kind::integer);
}

std::string full_name(const std::string& object) {
    return object.rfind('/', 0) == 0 ? object : "/" + object;
}

std::string attribute_name(const std::string& object, const std::string& name) {
    return text("attribute \"", name, "\" of ", full_name(object));
}

} // namespace lsrecon
