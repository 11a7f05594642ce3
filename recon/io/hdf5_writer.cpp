#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "base/error.hpp"
#include "io/hdf5_types.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw InputError({name, what, "HDF5 refuses to hold it", "enough memory for the whole file",
                      "use a machine with more memory"});
}

[[noreturn]] void fail_to_write(const std::string& name, int cause) {
    throw InputError({name, "file", text("it cannot be written: ", std::strerror(cause)),
                      "a file system with enough free space",
                      "free some space or name another output folder"});
}

/// 0, or the errno of what the file system refused. Some refuse only when it is all sent.
int write_bytes(const std::string& path, const void* bytes, std::size_t size) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
        return errno;
    }
    const bool sent = std::fwrite(bytes, 1, size, file) == size && std::fflush(file) == 0 &&
                      ::fsync(::fileno(file)) == 0;
    const int cause = sent ? 0 : errno;
    const bool closed = std::fclose(file) == 0;
    return sent && !closed ? errno : cause;
}

Hdf5Handle file_in_memory() {
    constexpr std::size_t growth = 1 << 20;
    Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.get(), growth, 0);
    return access;
}

void require(herr_t result, const std::string& file, const std::string& what) {
    if (result < 0) {
        fail(file, what);
    }
}

void write_dataset(hid_t file, const std::string& name, const std::string& dataset,
                   const std::vector<std::size_t>& extents, hid_t stored, hid_t in_memory,
                   const void* values) {
    const Hdf5Handle space = simple_space(extents);
    const Hdf5Handle handle(H5Dcreate2(file, dataset.c_str(), stored, space.get(), H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT),
                            H5Dclose);
    if (handle.get() < 0) {
        fail(name, full_name(dataset));
    }
    require(H5Dwrite(handle.get(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name,
            full_name(dataset));
}

void write_attribute(hid_t file, const std::string& file_name, const std::string& object,
                     const std::string& name, const std::vector<std::size_t>& extents, hid_t type,
                     const void* values) {
    const Hdf5Handle space = simple_space(extents);
    const Hdf5Handle handle(H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space.get(),
                                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                            H5Aclose);
    if (handle.get() < 0) {
        fail(file_name, attribute_name(object, name));
    }
    require(H5Awrite(handle.get(), type, values), file_name, attribute_name(object, name));
}

std::vector<const char*> pointers_to(const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) {
        pointers.push_back(value.c_str());
    }
    return pointers;
}

} // namespace

Hdf5Writer::Hdf5Writer(const std::string& path, const std::string& name)
    : path_(path), name_(name) {
    silence_hdf5();
    const Hdf5Handle access = file_in_memory();
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    if (file_.get() < 0) {
        fail(name_, "file");
    }
}

void Hdf5Writer::group(const std::string& name) {
    const Hdf5Handle handle(
        H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    require(handle.get() < 0 ? -1 : 0, name_, full_name(name));
}

void Hdf5Writer::complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                           const Complex* values) {
    write_dataset(file_.get(), name_, dataset, extents, complex_type(H5T_IEEE_F32LE).get(),
                  complex_type(H5T_NATIVE_DOUBLE).get(), values);
}

void Hdf5Writer::complex128(const std::string& dataset, const std::vector<std::size_t>& extents,
                            const Complex* values) {
    write_dataset(file_.get(), name_, dataset, extents, complex_type(H5T_IEEE_F64LE).get(),
                  complex_type(H5T_NATIVE_DOUBLE).get(), values);
}

void Hdf5Writer::real(const std::string& dataset, const std::vector<std::size_t>& extents,
                      const double* values) {
    write_dataset(file_.get(), name_, dataset, extents, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
}

// Those of variable length would be all over the file.
void Hdf5Writer::texts(const std::string& dataset, const std::vector<std::size_t>& extents,
                       const std::vector<std::string>& values) {
    std::size_t longest = 1;
    for (const std::string& value : values) {
        longest = std::max(longest, value.size());
    }
    std::string padded;
    for (const std::string& value : values) {
        padded += value + std::string(longest - value.size(), '\0');
    }
    const Hdf5Handle type = text_type(longest);
    write_dataset(file_.get(), name_, dataset, extents, type.get(), type.get(), padded.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
    const char* const pointer = value.c_str();
    write_attribute(file_.get(), name_, object, name, {}, text_type().get(), &pointer);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<std::string>& values) {
    const std::vector<const char*> pointers = pointers_to(values);
    write_attribute(file_.get(), name_, object, name, {values.size()}, text_type().get(),
                    pointers.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<double>& values) {
    write_attribute(file_.get(), name_, object, name, {values.size()}, H5T_NATIVE_DOUBLE,
                    values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<long>& values) {
    write_attribute(file_.get(), name_, object, name, {values.size()}, H5T_NATIVE_LONG,
                    values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, long value) {
    write_attribute(file_.get(), name_, object, name, {}, H5T_NATIVE_LONG, &value);
}

void Hdf5Writer::close() {
    require(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), name_, "file");
    // The handle of a file in memory is the address of its bytes; their number is that of its
    // image, since the memory itself grows in steps.
    void* handle = nullptr;
    require(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &handle), name_, "file");
    const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
    require(size > 0 ? 0 : -1, name_, "file");
    const int cause =
        write_bytes(path_, *static_cast<void**>(handle), static_cast<std::size_t>(size));
    file_ = Hdf5Handle();
    if (cause != 0) {
        fail_to_write(name_, cause);
    }
}

} // namespace lsrecon
