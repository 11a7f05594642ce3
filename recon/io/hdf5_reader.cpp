#include "io/hdf5_file.hpp"

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

} // namespace

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

Hdf5Shape Hdf5Reader::shape(const std::string& dataset) const {
    const Hdf5Handle handle(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
    if (handle.get() < 0) {
        refuse(path_, full_name(dataset), has(dataset) ? "it is no dataset" : "it is missing",
               "a dataset", "see docs/formats.md for what a scan file holds");
    }
    const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
    const Hdf5Handle space(H5Dget_space(handle.get()), H5Sclose);
    return describe(type.get(), space.get());
}

Hdf5Shape Hdf5Reader::checked_shape(const std::string& dataset, Hdf5Kind kind) const {
    const Hdf5Shape found = shape(dataset);
    if (!fits(found.kind, kind)) {
        refuse(path_, full_name(dataset), found.to_string(), kind_name(kind),
               "write the dataset with the type that docs/formats.md gives");
    }
    // The product of the extents may overflow, so it is compared in floating point.
    double bytes = kind == Hdf5Kind::complex ? sizeof(Complex) : sizeof(double);
    bytes = found.null ? 0 : bytes;
    for (const std::size_t extent : found.extents) {
        bytes *= static_cast<double>(extent);
    }
    if (bytes == 0) {
        refuse(path_, full_name(dataset), found.to_string(), "at least one element",
               "write its values; docs/formats.md says which datasets may be left out");
    }
    if (bytes > machine_memory_bytes()) {
        refuse(path_, full_name(dataset),
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
        refuse(reader.path(), full_name(dataset), "its values cannot be read", "readable values",
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

} // namespace lsrecon
