#include <algorithm>
#include <array>
#include <cstddef>

#include "io/hdf5_child_parts.hpp"
#include "io/ismrmrd/file.hpp"

// The child's side: the acquisitions of an ISMRMRD file.

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
    add("segment", offsetof(Counters, segment));
    return type;
}

Hdf5Handle header_type() {
    using Header = IsmrmrdHeader;
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Header)), H5Tclose);
    const auto add = [&](const char* name, std::size_t offset, hid_t member) {
        H5Tinsert(type.get(), name, offset, member);
    };
    add("flags", offsetof(Header, flags), H5T_NATIVE_UINT64);
    add("measurement_uid", offsetof(Header, measurement_uid), H5T_NATIVE_UINT32);
    add("number_of_samples", offsetof(Header, number_of_samples), H5T_NATIVE_UINT16);
    add("active_channels", offsetof(Header, active_channels), H5T_NATIVE_UINT16);
    add("discard_pre", offsetof(Header, discard_pre), H5T_NATIVE_UINT16);
    add("discard_post", offsetof(Header, discard_post), H5T_NATIVE_UINT16);
    add("center_sample", offsetof(Header, center_sample), H5T_NATIVE_UINT16);
    add("encoding_space_ref", offsetof(Header, encoding_space_ref), H5T_NATIVE_UINT16);
    add("trajectory_dimensions", offsetof(Header, trajectory_dimensions), H5T_NATIVE_UINT16);
    add("sample_time_us", offsetof(Header, sample_time_us), H5T_NATIVE_FLOAT);
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

/// The header alone: HDF5 does not follow the references to arrays that are not asked for.
Hdf5Handle header_alone_type() {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(IsmrmrdHeader)), H5Tclose);
    H5Tinsert(type.get(), "head", 0, header_type().get());
    return type;
}

void append(std::string& bytes, const void* values, std::size_t size) {
    bytes.append(static_cast<const char*>(values), size);
}

void append(std::string& bytes, const StoredAcquisition& acquisition) {
    const std::array<std::uint64_t, 2> lengths{acquisition.traj.len, acquisition.data.len};
    append(bytes, &acquisition.head, sizeof(acquisition.head));
    append(bytes, lengths.data(), sizeof(lengths));
    append(bytes, acquisition.traj.p, lengths[0] * sizeof(float));
    append(bytes, acquisition.data.p, lengths[1] * sizeof(float));
}

class Acquisitions {
public:
    Acquisitions(const Hdf5Served& served, const std::string& name)
        : dataset_(open_object(served, name)), type_(acquisition_type()),
          space_(H5Dget_space(dataset_.get()), H5Sclose) {}

    std::size_t count() const {
        return static_cast<std::size_t>(
            std::max<hssize_t>(H5Sget_simple_extent_npoints(space_.get()), 0));
    }

    std::vector<IsmrmrdHeader> headers(std::uint64_t first, std::uint64_t count) const {
        const hsize_t start = first;
        const hsize_t size = count;
        const Hdf5Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
        const Hdf5Handle type = header_alone_type();
        H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, &start, nullptr, &size, nullptr);
        std::vector<IsmrmrdHeader> result(count);
        require_hdf5(H5Dread(dataset_.get(), type.get(), memory.get(), space_.get(), H5P_DEFAULT,
                             result.data()) >= 0);
        return result;
    }

    /// Appends them to `bytes`. Whether they could be read; a single one that cannot is a failure.
    bool read(std::uint64_t first, std::uint64_t count, std::string& bytes) const {
        const hsize_t start = first;
        const hsize_t size = count;
        const Hdf5Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
        H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, &start, nullptr, &size, nullptr);
        std::vector<StoredAcquisition> stored(count);
        const bool read = H5Dread(dataset_.get(), type_.get(), memory.get(), space_.get(),
                                  H5P_DEFAULT, stored.data()) >= 0;
        if (!read && count > 1) {
            return false;
        }
        require_hdf5(read);
        for (const StoredAcquisition& acquisition : stored) {
            append(bytes, acquisition);
        }
        return true;
    }

private:
    Hdf5Handle dataset_;
    Hdf5Handle type_;
    Hdf5Handle space_;
};

} // namespace

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

bool holds_acquisitions(const Hdf5Served& served, const std::string& name) {
    const Hdf5Handle dataset = open_object(served, name);
    const Hdf5Handle stored(H5Dget_type(dataset.get()), H5Tclose);
    require_hdf5(stored.get() >= 0);
    return has_members(stored.get(), acquisition_type().get());
}

void send_acquisition_headers(const Hdf5Served& served, const Hdf5Request& request) {
    const Acquisitions acquisitions(served, request.dataset);
    constexpr std::size_t at_once = 1024;
    const std::size_t end =
        request.count == 0 ? acquisitions.count() : request.first + request.count;
    for (std::size_t first = request.first; first < end; first += at_once) {
        const auto headers = acquisitions.headers(first, std::min(at_once, end - first));
        send_part(served.parent, headers.data(), headers.size() * sizeof(IsmrmrdHeader));
    }
}

void send_acquisitions(const Hdf5Served& served, const Hdf5Request& request) {
    // Their arrays lie in the file as they are: all together need no more than it has, in floats
    // twice that where it holds halves.
    limit_answer(served, served.file_bytes, 3 * served.file_bytes);
    const Acquisitions acquisitions(served, request.dataset);
    constexpr std::size_t part_bytes = 1 << 20;
    std::uint64_t at_once = 1;
    std::string bytes;
    for (std::size_t stretch = 0; stretch + 1 < request.stretches.size(); stretch += 2) {
        std::uint64_t first = request.stretches[stretch];
        const std::uint64_t end = request.stretches[stretch + 1];
        while (first < end) {
            const std::uint64_t count = std::min(at_once, end - first);
            bytes.clear();
            if (!acquisitions.read(first, count, bytes)) {
                at_once = 1; // up to the one that cannot be read
                continue;
            }
            send_part(served.parent, bytes.data(), bytes.size());
            first += count;
            const std::size_t each = bytes.size() / count;
            at_once = std::clamp<std::uint64_t>(part_bytes / each, 1, 2 * at_once);
        }
    }
}

} // namespace lsrecon
