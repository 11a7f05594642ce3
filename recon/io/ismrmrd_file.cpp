#include "io/ismrmrd_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/error.hpp"
#include "io/hdf5_types.hpp"

namespace lsrecon {

namespace {

/// What HDF5 fills in: it matches fields by name and leaves out those that are not asked for.
struct StoredAcquisition {
    IsmrmrdHeader head;
    hvl_t traj{0, nullptr}; ///< of float
    hvl_t data{0, nullptr}; ///< of float
    StoredAcquisition() = default;
    StoredAcquisition(const StoredAcquisition&) = delete;
    StoredAcquisition& operator=(const StoredAcquisition&) = delete;
    ~StoredAcquisition() {
        H5free_memory(traj.p);
        H5free_memory(data.p);
    }
};

Hdf5Handle counters_type() {
    using Counters = IsmrmrdCounters;
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Counters)), H5Tclose);
    const auto add = [&](const char* name, std::size_t offset) {
        H5Tinsert(type.get(), name, offset, H5T_NATIVE_UINT16);
    };
    add("kspace_encode_step_1", offsetof(Counters, kspace_encode_step_1));
    add("kspace_encode_step_2", offsetof(Counters, kspace_encode_step_2));
    add("slice", offsetof(Counters, slice));
    add("contrast", offsetof(Counters, contrast));
    add("phase", offsetof(Counters, phase));
    add("repetition", offsetof(Counters, repetition));
    add("set", offsetof(Counters, set));
    return type;
}

Hdf5Handle header_type() {
    using Header = IsmrmrdHeader;
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Header)), H5Tclose);
    const auto add = [&](const char* name, std::size_t offset, hid_t member) {
        H5Tinsert(type.get(), name, offset, member);
    };
    add("flags", offsetof(Header, flags), H5T_NATIVE_UINT64);
    add("number_of_samples", offsetof(Header, number_of_samples), H5T_NATIVE_UINT16);
    add("active_channels", offsetof(Header, active_channels), H5T_NATIVE_UINT16);
    add("discard_pre", offsetof(Header, discard_pre), H5T_NATIVE_UINT16);
    add("discard_post", offsetof(Header, discard_post), H5T_NATIVE_UINT16);
    add("center_sample", offsetof(Header, center_sample), H5T_NATIVE_UINT16);
    add("encoding_space_ref", offsetof(Header, encoding_space_ref), H5T_NATIVE_UINT16);
    add("trajectory_dimensions", offsetof(Header, trajectory_dimensions), H5T_NATIVE_UINT16);
    const hsize_t three = 3;
    const Hdf5Handle vector(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three), H5Tclose);
    add("position", offsetof(Header, position), vector.get());
    add("read_dir", offsetof(Header, read_dir), vector.get());
    add("phase_dir", offsetof(Header, phase_dir), vector.get());
    add("slice_dir", offsetof(Header, slice_dir), vector.get());
    add("idx", offsetof(Header, idx), counters_type().get());
    return type;
}

Hdf5Handle acquisition_type() {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(StoredAcquisition)), H5Tclose);
    const Hdf5Handle floats(H5Tvlen_create(H5T_NATIVE_FLOAT), H5Tclose);
    const Hdf5Handle head = header_type();
    H5Tinsert(type.get(), "head", HOFFSET(StoredAcquisition, head), head.get());
    H5Tinsert(type.get(), "traj", HOFFSET(StoredAcquisition, traj), floats.get());
    H5Tinsert(type.get(), "data", HOFFSET(StoredAcquisition, data), floats.get());
    return type;
}

/// HDF5 would leave a field unset that the file lacks, and the default would pass for a value.
bool has_members(hid_t stored, hid_t wanted) {
    if (H5Tget_class(stored) != H5T_COMPOUND) {
        return false;
    }
    for (int i = 0; i < H5Tget_nmembers(wanted); ++i) {
        const auto member = static_cast<unsigned>(i);
        char* name = H5Tget_member_name(wanted, member);
        const int index = H5Tget_member_index(stored, name);
        H5free_memory(name);
        if (index < 0) {
            return false;
        }
        const Hdf5Handle inner(H5Tget_member_type(wanted, member), H5Tclose);
        const Hdf5Handle found(H5Tget_member_type(stored, static_cast<unsigned>(index)), H5Tclose);
        if (H5Tget_class(inner.get()) == H5T_COMPOUND && !has_members(found.get(), inner.get())) {
            return false;
        }
    }
    return true;
}

std::vector<float> to_floats(const hvl_t& values) {
    const auto* first = static_cast<const float*>(values.p);
    return first == nullptr ? std::vector<float>() : std::vector<float>(first, first + values.len);
}

} // namespace

std::vector<std::string> IsmrmrdFile::groups(const Hdf5Reader& reader) {
    std::vector<std::string> groups;
    for (const std::string& name : reader.names()) {
        if (!reader.is_dataset("/" + name) && reader.has("/" + name + "/xml") &&
            reader.has("/" + name + "/data")) {
            groups.push_back("/" + name);
        }
    }
    std::stable_partition(groups.begin(), groups.end(),
                          [](const std::string& group) { return group == "/dataset"; });
    return groups;
}

IsmrmrdFile::IsmrmrdFile(const Hdf5Reader& reader, const std::string& group)
    : reader_(reader), group_(group),
      file_(H5Fopen(reader.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose),
      data_(H5Dopen2(file_.get(), data_name().c_str(), H5P_DEFAULT), H5Dclose) {
    const Hdf5Shape shape = reader.shape(data_name());
    const Hdf5Handle stored(H5Dget_type(data_.get()), H5Tclose);
    const Hdf5Handle wanted = acquisition_type();
    if (shape.extents.size() != 1 || !has_members(stored.get(), wanted.get())) {
        throw InputError({reader.path(), data_name(), shape.to_string(),
                          "a list of ISMRMRD acquisitions: head, traj and data",
                          "write the file with version 1 of the ISMRMRD library"});
    }
    acquisitions_ = shape.extents.front();
}

std::string IsmrmrdFile::xml() const {
    const Hdf5Shape shape = reader_.checked_shape(xml_name(), Hdf5Kind::string);
    const Hdf5Handle handle(H5Dopen2(file_.get(), xml_name().c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle stored(H5Dget_type(handle.get()), H5Tclose);
    const bool variable = H5Tis_variable_str(stored.get()) > 0;
    std::vector<char> bytes(shape.elements() * H5Tget_size(stored.get()) + 1, '\0');
    const bool read =
        H5Dread(handle.get(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
    if (shape.elements() != 1 || !read) {
        throw InputError({reader_.path(), xml_name(),
                          read ? text(shape.elements(), " texts") : "it cannot be read", "one text",
                          "write the ISMRMRD header as one string"});
    }
    if (!variable) {
        return bytes.data();
    }
    char* value = nullptr;
    std::memcpy(&value, bytes.data(), sizeof(value));
    const std::string result = value == nullptr ? "" : value;
    H5free_memory(value);
    return result;
}

IsmrmrdAcquisition IsmrmrdFile::read(std::size_t index) const {
    const hsize_t start = index;
    const hsize_t one = 1;
    const Hdf5Handle type = acquisition_type();
    const Hdf5Handle memory(H5Screate_simple(1, &one, nullptr), H5Sclose);
    const Hdf5Handle space(H5Dget_space(data_.get()), H5Sclose);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &one, nullptr);
    StoredAcquisition stored;
    if (H5Dread(data_.get(), type.get(), memory.get(), space.get(), H5P_DEFAULT, &stored) < 0) {
        throw InputError(
            {reader_.path(), text(data_name(), ", acquisition ", index), "it cannot be read",
             "an ISMRMRD acquisition of version 1",
             "the file is damaged or of another version; transfer or convert it again"});
    }
    return {stored.head, to_floats(stored.traj), to_floats(stored.data)};
}

} // namespace lsrecon
