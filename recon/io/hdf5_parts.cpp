#include "base/error.hpp"
#include "io/hdf5_types.hpp"

// The part of Hdf5Reader that reads rows of datasets, and texts.

namespace lsrecon {

namespace {

[[noreturn]] void refuse_values(const std::string& path, const std::string& dataset,
                                const std::string& found) {
    throw InputError({path, full_name(dataset), found, "readable values",
                      "the file is damaged; copy it again, or make it again"});
}

} // namespace

std::vector<Complex> Hdf5Reader::read_complex_row(const std::string& dataset,
                                                  std::size_t row) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::complex);
    std::vector<hsize_t> start(shape.extents.size(), 0);
    std::vector<hsize_t> count(shape.extents.begin(), shape.extents.end());
    start.front() = row;
    count.front() = 1;
    std::vector<Complex> values(shape.elements() / shape.extents.front());
    const Hdf5Handle handle(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle stored(H5Dget_space(handle.get()), H5Sclose);
    const Hdf5Handle in_memory = simple_space({values.size()});
    const Hdf5Handle type = complex_type(H5T_NATIVE_DOUBLE);
    if (H5Sselect_hyperslab(stored.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) < 0 ||
        H5Dread(handle.get(), type.get(), in_memory.get(), stored.get(), H5P_DEFAULT,
                values.data()) < 0) {
        refuse_values(path_, dataset, "its values cannot be read");
    }
    return values;
}

std::vector<std::string> Hdf5Reader::read_texts(const std::string& dataset) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::string);
    const Hdf5Handle handle(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
    const std::size_t size = H5Tget_size(type.get());
    // Checked before it is allocated; a text of variable length has only a pointer here.
    if (H5Tis_variable_str(type.get()) > 0 ||
        H5Dget_storage_size(handle.get()) != shape.elements() * size) {
        refuse_values(path_, dataset, "texts that are not stored as whole ones of one length");
    }
    std::string padded(shape.elements() * size, '\0');
    if (H5Dread(handle.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0) {
        refuse_values(path_, dataset, "its texts cannot be read");
    }
    std::vector<std::string> values;
    for (std::size_t i = 0; i < shape.elements(); ++i) {
        const std::string value = padded.substr(i * size, size);
        values.push_back(value.substr(0, value.find('\0')));
    }
    return values;
}

} // namespace lsrecon
