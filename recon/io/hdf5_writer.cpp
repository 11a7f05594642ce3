#include "base/error.hpp"
#include "io/hdf5_types.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw InputError({path, what, "it cannot be written", "a file system with enough free space",
                      "free some space or name another output folder"});
}

void require(herr_t result, const std::string& path, const std::string& what) {
    if (result < 0) {
        fail(path, what);
    }
}

void write_dataset(hid_t file, const std::string& path, const std::string& dataset,
                   const std::vector<std::size_t>& extents, hid_t stored, hid_t in_memory,
                   const void* values) {
    const Hdf5Handle space = simple_space(extents);
    const Hdf5Handle handle(H5Dcreate2(file, dataset.c_str(), stored, space.get(), H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT),
                            H5Dclose);
    if (handle.get() < 0) {
        fail(path, dataset);
    }
    require(H5Dwrite(handle.get(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path,
            dataset);
}

void write_attribute(hid_t file, const std::string& path, const std::string& object,
                     const std::string& name, const std::vector<std::size_t>& extents, hid_t type,
                     const void* values) {
    const Hdf5Handle space = simple_space(extents);
    const Hdf5Handle handle(H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space.get(),
                                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                            H5Aclose);
    if (handle.get() < 0) {
        fail(path, object + "@" + name);
    }
    require(H5Awrite(handle.get(), type, values), path, object + "@" + name);
}

} // namespace

Hdf5Writer::Hdf5Writer(const std::string& path) : path_(path) {
    silence_hdf5();
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    if (file_.get() < 0) {
        fail(path, "file");
    }
}

void Hdf5Writer::group(const std::string& name) {
    const Hdf5Handle handle(
        H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    require(handle.get() < 0 ? -1 : 0, path_, name);
}

void Hdf5Writer::complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                           const Complex* values) {
    write_dataset(file_.get(), path_, dataset, extents, complex_type(H5T_IEEE_F32LE).get(),
                  complex_type(H5T_NATIVE_DOUBLE).get(), values);
}

void Hdf5Writer::complex128(const std::string& dataset, const std::vector<std::size_t>& extents,
                            const Complex* values) {
    write_dataset(file_.get(), path_, dataset, extents, complex_type(H5T_IEEE_F64LE).get(),
                  complex_type(H5T_NATIVE_DOUBLE).get(), values);
}

void Hdf5Writer::real(const std::string& dataset, const std::vector<std::size_t>& extents,
                      const double* values) {
    write_dataset(file_.get(), path_, dataset, extents, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
    const char* const pointer = value.c_str();
    write_attribute(file_.get(), path_, object, name, {}, text_type().get(), &pointer);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) {
        pointers.push_back(value.c_str());
    }
    write_attribute(file_.get(), path_, object, name, {values.size()}, text_type().get(),
                    pointers.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<double>& values) {
    write_attribute(file_.get(), path_, object, name, {values.size()}, H5T_NATIVE_DOUBLE,
                    values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<long>& values) {
    write_attribute(file_.get(), path_, object, name, {values.size()}, H5T_NATIVE_LONG,
                    values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, long value) {
    write_attribute(file_.get(), path_, object, name, {}, H5T_NATIVE_LONG, &value);
}

void Hdf5Writer::close() {
    require(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), path_, "file");
    file_ = Hdf5Handle();
}

} // namespace lsrecon
