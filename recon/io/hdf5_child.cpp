#include "io/hdf5_child.hpp"

#include <algorithm>
#include <cctype>
#include <sys/stat.h>

#include "base/packed.hpp"
#include "io/hdf5_child_parts.hpp"

namespace lsrecon {

namespace {

using Why = Hdf5Failure::Why;

/// The stack begins with what failed first, and ends with the function that was called.
herr_t look_at(unsigned n, const H5E_error2_t* error, void* result) {
    auto& failure = *static_cast<Hdf5Failure*>(result);
    const std::string description = error->desc == nullptr ? "" : error->desc;
    if (n == 0) {
        constexpr std::size_t a_line = 200;
        failure.said = description.substr(0, a_line);
        std::replace_if(
            failure.said.begin(), failure.said.end(),
            [](unsigned char c) { return std::isprint(c) == 0; }, '?');
    }
    const auto says = [&](const char* words) {
        return description.find(words) != std::string::npos;
    };
    if (error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE) {
        failure.why = Why::memory;
    } else if (says("unable to lock file")) {
        failure.why = Why::open_elsewhere;
    } else if (says("file is already open for write")) {
        failure.why = Why::marked_open;
    }
    return 0;
}

herr_t follow_no_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
    return -1;
}

bool same_file(hid_t file, int descriptor) {
    void* handle = nullptr;
    struct stat opened {};
    struct stat wanted {};
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 &&
           ::fstat(*static_cast<int*>(handle), &opened) == 0 && ::fstat(descriptor, &wanted) == 0 &&
           opened.st_dev == wanted.st_dev && opened.st_ino == wanted.st_ino;
}

Hdf5Handle open_file(const InputFile& file) {
    if (H5Fis_hdf5(file.path().c_str()) <= 0) {
        throw Hdf5Failure{Why::no_hdf5, ""};
    }
    // Some file systems of clusters know no locks; reading needs none there.
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access.get(), true, true);
    Hdf5Handle result(H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    require_hdf5(result.get() >= 0);
    if (!same_file(result.get(), file.descriptor())) {
        throw Hdf5Failure{Why::replaced, ""};
    }
    return result;
}

void answer(const Hdf5Served& served, const Hdf5Request& request) {
    using What = Hdf5Request::What;
    const auto send = [&](const std::string& bytes) {
        send_part(served.parent, bytes.data(), bytes.size());
    };
    switch (request.what) {
    case What::snapshot:
        return send(packed(survey(served)));
    case What::values:
        return send_values(served, request);
    case What::texts:
        return send_texts(served, request.dataset);
    case What::table:
        return send_table(served, request);
    case What::acquisition_type:
        return send(packed(holds_acquisitions(served, request.dataset)));
    case What::acquisition_headers:
        return send_acquisition_headers(served, request);
    case What::acquisitions:
        return send_acquisitions(served, request);
    }
}

Hdf5Request receive_request(const Connection& parent) {
    std::uint64_t size = 0;
    parent.receive(&size, sizeof(size));
    std::string bytes(size, '\0');
    parent.receive(bytes.data(), bytes.size());
    return unpacked<Hdf5Request>(bytes);
}

} // namespace

Hdf5Failure hdf5_failure() {
    Hdf5Failure failure;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &look_at, &failure);
    return failure;
}

void require_hdf5(bool succeeded) {
    if (!succeeded) {
        throw hdf5_failure();
    }
}

void send_part(const Connection& parent, const void* bytes, std::size_t size, bool failed) {
    const Hdf5PartHead head{size, failed ? 1U : 0U};
    parent.send(&head, sizeof(head));
    parent.send(bytes, size);
}

void limit_answer(const Hdf5Served& served, double bytes_sent, double bytes_held) {
    constexpr double seconds = 1;
    constexpr double bytes_a_second = 10e6;
    constexpr double hdf5_itself = 256e6;
    limit_this_process(seconds + (served.file_bytes + bytes_sent) / bytes_a_second,
                       hdf5_itself + bytes_held);
}

Hdf5Handle open_object(const Hdf5Served& served, const std::string& name) {
    return Hdf5Handle(H5Oopen(served.file, name.c_str(), served.link_access), H5Oclose);
}

void serve_hdf5(const Connection& parent, const InputFile& file) {
    const auto fail = [&](const Hdf5Failure& failure) {
        const std::string bytes = packed(failure);
        send_part(parent, bytes.data(), bytes.size(), true);
    };
    silence_hdf5();
    Hdf5Dataset values;
    Hdf5Served served{parent, -1, -1, static_cast<double>(file.bytes()), values};
    limit_answer(served, 0, 0);
    Hdf5Handle opened;
    try {
        opened = open_file(file);
    } catch (const Hdf5Failure& failure) {
        return fail(failure);
    }
    const Hdf5Handle links(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
    H5Pset_elink_cb(links.get(), &follow_no_link, nullptr);
    served.file = opened.get();
    served.link_access = links.get();
    for (;;) {
        const Hdf5Request request = receive_request(parent);
        limit_answer(served, 0, 0);
        try {
            answer(served, request);
        } catch (const Hdf5Failure& failure) {
            fail(failure);
        }
    }
}

} // namespace lsrecon
