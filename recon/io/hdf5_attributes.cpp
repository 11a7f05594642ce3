#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/hdf5_types.hpp"

// The half of Hdf5Reader that reads attributes.

namespace lsrecon {

namespace {

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

/// Of an attribute that holds one text.
std::string read_text(hid_t attribute) {
    const Hdf5Handle stored(H5Aget_type(attribute), H5Tclose);
    if (H5Tis_variable_str(stored.get()) > 0) {
        char* value = nullptr;
        H5Aread(attribute, stored.get(), &value);
        const std::string result = value == nullptr ? "" : value;
        H5free_memory(value);
        return result;
    }
    std::string value(H5Tget_size(stored.get()), '\0');
    H5Aread(attribute, stored.get(), value.data());
    return value.substr(0, value.find('\0'));
}

std::vector<double> read_numbers(hid_t attribute, const Hdf5Shape& shape) {
    std::vector<double> values(shape.elements());
    H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data());
    return values;
}

/// The type and shape, and the value where it is a single one.
std::string found_in(hid_t attribute, const Hdf5Shape& shape) {
    if (shape.null || !shape.extents.empty()) {
        return shape.to_string();
    }
    if (shape.kind == Hdf5Kind::string) {
        return "string \"" + read_text(attribute) + "\"";
    }
    const bool number = fits(shape.kind, Hdf5Kind::real);
    return number ? shape.type_name + " " + shown(read_numbers(attribute, shape).front())
                  : shape.to_string();
}

struct Attribute {
    Hdf5Handle handle;
    Hdf5Shape shape;
};

/// Opened after checking its type and that it holds at most `at_most` values.
Attribute open_attribute(const Hdf5Reader& reader, hid_t file, const std::string& object,
                         const std::string& name, Hdf5Kind kind, std::size_t at_most,
                         const Hdf5Wanted& wanted) {
    const auto refuse = [&](const std::string& found) {
        throw InputError({reader.path(), attribute_name(object, name), found,
                          wanted.expected.empty() ? kind_name(kind) : wanted.expected,
                          wanted.next_step.empty()
                              ? "write the attribute as docs/formats.md describes it"
                              : wanted.next_step});
    };
    Attribute attribute;
    attribute.handle = Hdf5Handle(
        H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const hid_t handle = attribute.handle.get();
    if (handle < 0) {
        refuse("it is missing");
    }
    const Hdf5Handle type(H5Aget_type(handle), H5Tclose);
    const Hdf5Handle space(H5Aget_space(handle), H5Sclose);
    attribute.shape = describe(type.get(), space.get());
    const std::size_t elements = attribute.shape.elements();
    if (!fits(attribute.shape.kind, kind) || elements == 0 || elements > at_most) {
        refuse(found_in(handle, attribute.shape));
    }
    return attribute;
}

} // namespace

std::vector<std::string> Hdf5Reader::attribute_names(const std::string& object) const {
    const Hdf5Handle handle(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
    std::vector<std::string> result;
    H5Aiterate2(handle.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_attribute, &result);
    return result;
}

bool Hdf5Reader::has_attribute(const std::string& object, const std::string& name) const {
    return H5Aexists_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5Reader::attribute_text(const std::string& object, const std::string& name,
                                       const Hdf5Wanted& wanted) const {
    const Attribute attribute =
        open_attribute(*this, file_.get(), object, name, Hdf5Kind::string, 1, wanted);
    return read_text(attribute.handle.get());
}

std::vector<double> Hdf5Reader::attribute_numbers(const std::string& object,
                                                  const std::string& name,
                                                  const Hdf5Wanted& wanted) const {
    constexpr std::size_t at_most = 1000; // no attribute of any format here holds as many
    const Attribute attribute =
        open_attribute(*this, file_.get(), object, name, Hdf5Kind::real, at_most, wanted);
    return read_numbers(attribute.handle.get(), attribute.shape);
}

} // namespace lsrecon
