#include "io/hdf5_file.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "io/hdf5_types.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& thing,
                         const std::string& found, const std::string& expected,
                         const std::string& next_step) {
    throw InputError({file, thing, found, expected, next_step});
}

std::string size_name(hid_t type, const std::string& base) {
    return text(base, 8 * H5Tget_size(type));
}

Hdf5Handle member_type(hid_t type, const char* name) {
    const int index = H5Tget_member_index(type, name);
    return index < 0 ? Hdf5Handle()
                     : Hdf5Handle(H5Tget_member_type(type, static_cast<unsigned>(index)), H5Tclose);
}

void describe_type(hid_t type, Hdf5Shape& shape) {
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        shape.kind = Hdf5Kind::integer;
        shape.type_name = size_name(type, "int");
        return;
    case H5T_FLOAT:
        shape.kind = Hdf5Kind::real;
        shape.type_name = size_name(type, "float");
        return;
    case H5T_STRING:
        shape.kind = Hdf5Kind::string;
        shape.type_name = "string";
        return;
    case H5T_COMPOUND: {
        const Hdf5Handle re = member_type(type, "r");
        const Hdf5Handle im = member_type(type, "i");
        const bool complex = H5Tget_nmembers(type) == 2 && re.get() >= 0 && im.get() >= 0 &&
                             H5Tget_class(re.get()) == H5T_FLOAT &&
                             H5Tget_class(im.get()) == H5T_FLOAT;
        shape.kind = complex ? Hdf5Kind::complex : Hdf5Kind::other;
        shape.type_name = complex ? "complex {r,i} of " + size_name(re.get(), "float") : "compound";
        return;
    }
    default:
        shape.kind = Hdf5Kind::other;
        shape.type_name = "of another type";
    }
}

std::vector<std::size_t> extents_of(hid_t space) {
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    return {extents.begin(), extents.end()};
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

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

} // namespace

std::size_t Hdf5Shape::elements() const {
    std::size_t count = 1;
    for (const std::size_t extent : extents) {
        count *= extent;
    }
    return count;
}

std::string Hdf5Shape::to_string() const {
    std::string result = type_name + " [";
    for (std::size_t i = 0; i < extents.size(); ++i) {
        result += (i == 0 ? "" : ", ") + std::to_string(extents[i]);
    }
    return result + "]";
}

Hdf5Reader::Hdf5Reader(const std::string& path) : path_(path) {
    silence_hdf5();
    namespace fs = std::filesystem;
    if (!fs::exists(path)) {
        refuse(path, "file", "there is none of this name", "a scan file", "check the path");
    }
    if (!fs::is_regular_file(path) || ::access(path.c_str(), R_OK) != 0) {
        refuse(path, "file", "it is a folder or cannot be read", "a readable file",
               "check the path and its permissions");
    }
    if (H5Fis_hdf5(path.c_str()) <= 0) {
        refuse(path, "file", text(fs::file_size(path), " bytes without an HDF5 signature"),
               "an HDF5 file", "check that it is the scan, and that its transfer was complete");
    }
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file_.get() < 0) {
        refuse(path, "file",
               text("an HDF5 file of ", fs::file_size(path), " bytes that is truncated or damaged"),
               "a whole HDF5 file", "transfer or write the file again");
    }
}

bool Hdf5Reader::has(const std::string& name) const {
    return H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) > 0;
}

bool Hdf5Reader::is_dataset(const std::string& name) const {
    const Hdf5Handle object(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    return object.get() >= 0;
}

std::vector<std::string> Hdf5Reader::names(const std::string& group) const {
    const Hdf5Handle handle(H5Gopen2(file_.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
    H5G_info_t info{};
    std::vector<std::string> result;
    if (handle.get() < 0 || H5Gget_info(handle.get(), &info) < 0) {
        return result;
    }
    for (hsize_t i = 0; i < info.nlinks; ++i) {
        const auto read_name = [&](char* buffer, std::size_t size) {
            return H5Lget_name_by_idx(handle.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, buffer,
                                      size, H5P_DEFAULT);
        };
        std::string name(static_cast<std::size_t>(read_name(nullptr, 0)), '\0');
        read_name(name.data(), name.size() + 1);
        result.push_back(name);
    }
    return result;
}

std::vector<std::string> Hdf5Reader::attribute_names(const std::string& object) const {
    const Hdf5Handle handle(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
    std::vector<std::string> result;
    H5Aiterate2(handle.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_attribute, &result);
    return result;
}

Hdf5Shape Hdf5Reader::shape(const std::string& dataset) const {
    const Hdf5Handle handle(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
    if (handle.get() < 0) {
        refuse(path_, dataset, has(dataset) ? "it is no dataset" : "it is missing", "a dataset",
               "see docs/formats.md for what a scan file holds");
    }
    const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
    const Hdf5Handle space(H5Dget_space(handle.get()), H5Sclose);
    Hdf5Shape shape;
    describe_type(type.get(), shape);
    shape.extents = extents_of(space.get());
    return shape;
}

Hdf5Shape Hdf5Reader::checked_shape(const std::string& dataset, Hdf5Kind kind) const {
    const Hdf5Shape found = shape(dataset);
    if (!fits(found.kind, kind)) {
        refuse(path_, dataset, found.to_string(), kind_name(kind),
               "write the dataset with the type that docs/formats.md gives");
    }
    // The product of the extents may overflow, so it is compared in floating point.
    double bytes = kind == Hdf5Kind::complex ? sizeof(Complex) : sizeof(double);
    for (const std::size_t extent : found.extents) {
        bytes *= static_cast<double>(extent);
    }
    if (bytes == 0) {
        refuse(path_, dataset, found.to_string(), "at least one element",
               "leave the dataset out or fill it");
    }
    if (bytes > machine_memory_bytes()) {
        refuse(path_, dataset,
               text(found.to_string(), ", ", bytes / 1e9, " GB in double precision"),
               text("at most the ", machine_memory_bytes() / 1e9, " GB of this machine"),
               "check the declared size, or use a machine with more memory");
    }
    return found;
}

namespace {

template <typename Value> std::vector<Value> read_dataset(const Hdf5Reader& reader, hid_t file,
                                                          const std::string& dataset, Hdf5Kind kind,
                                                          hid_t memory_type) {
    std::vector<Value> values(reader.checked_shape(dataset, kind).elements());
    const Hdf5Handle handle(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose);
    if (H5Dread(handle.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        refuse(reader.path(), dataset, "its values cannot be read", "readable values",
               "the file is damaged or uses an HDF5 filter that is not installed; copy it again");
    }
    return values;
}

} // namespace

std::vector<double> Hdf5Reader::read_real(const std::string& dataset) const {
    return read_dataset<double>(*this, file_.get(), dataset, Hdf5Kind::real, H5T_NATIVE_DOUBLE);
}

std::vector<Complex> Hdf5Reader::read_complex(const std::string& dataset) const {
    const Hdf5Handle type = complex_type(H5T_NATIVE_DOUBLE);
    return read_dataset<Complex>(*this, file_.get(), dataset, Hdf5Kind::complex, type.get());
}

bool Hdf5Reader::has_attribute(const std::string& object, const std::string& name) const {
    return H5Aexists_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

namespace {

Hdf5Handle open_attribute(const Hdf5Reader& reader, hid_t file, const std::string& object,
                          const std::string& name, Hdf5Kind kind, Hdf5Shape& shape) {
    const std::string thing = text("attribute \"", name, "\" of ", object);
    Hdf5Handle handle(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    if (handle.get() < 0) {
        refuse(reader.path(), thing, "it is missing", kind_name(kind),
               "write the attribute; docs/formats.md says with what");
    }
    const Hdf5Handle type(H5Aget_type(handle.get()), H5Tclose);
    const Hdf5Handle space(H5Aget_space(handle.get()), H5Sclose);
    describe_type(type.get(), shape);
    shape.extents = extents_of(space.get());
    if (!fits(shape.kind, kind) || shape.elements() > 1000) {
        refuse(reader.path(), thing, shape.to_string(), kind_name(kind),
               "write the attribute with the type that docs/formats.md gives");
    }
    return handle;
}

} // namespace

std::string Hdf5Reader::attribute_text(const std::string& object, const std::string& name) const {
    Hdf5Shape shape;
    const Hdf5Handle handle =
        open_attribute(*this, file_.get(), object, name, Hdf5Kind::string, shape);
    const Hdf5Handle stored(H5Aget_type(handle.get()), H5Tclose);
    if (H5Tis_variable_str(stored.get()) > 0) {
        char* value = nullptr;
        H5Aread(handle.get(), stored.get(), &value);
        const std::string result = value == nullptr ? "" : value;
        H5free_memory(value);
        return result;
    }
    std::string value(H5Tget_size(stored.get()), '\0');
    H5Aread(handle.get(), stored.get(), value.data());
    return value.substr(0, value.find('\0'));
}

std::vector<double> Hdf5Reader::attribute_numbers(const std::string& object,
                                                  const std::string& name) const {
    Hdf5Shape shape;
    const Hdf5Handle handle =
        open_attribute(*this, file_.get(), object, name, Hdf5Kind::real, shape);
    std::vector<double> values(shape.elements());
    H5Aread(handle.get(), H5T_NATIVE_DOUBLE, values.data());
    return values;
}

} // namespace lsrecon
