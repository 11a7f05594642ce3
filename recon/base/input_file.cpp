// Opens and reads files, hashes them on a thread of its own, and notices when one changes
// meanwhile.

#include "base/input_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/platform.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

bool same(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

} // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
    // A pipe would be waited for without O_NONBLOCK.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 && (errno == EMFILE || errno == ENFILE)) {
        throw LimitError(text(path, ": it could not be opened"), errno);
    }
    if (descriptor_ < 0) {
        throw InputError({path, "file", errno == ENOENT ? "no such file" : std::strerror(errno),
                          "a file that can be read", "check the path and its permissions"});
    }
    if (::fstat(descriptor_, &opened_) != 0 || !S_ISREG(opened_.st_mode)) {
        ::close(descriptor_);
        throw InputError({path, "file",
                          S_ISDIR(opened_.st_mode) ? "it is a folder" : "it is not a regular file",
                          "a regular file", "check the path"});
    }
}

InputFile::~InputFile() {
    stop_ = true;
    if (hash_.valid()) {
        hash_.wait();
    }
    ::close(descriptor_);
}

void InputFile::start_hash() {
    // The hash is computed when it is asked for, if the system gives no thread now.
    hash_ = std::async(std::launch::async | std::launch::deferred, [this] { return hash(); });
}

std::string InputFile::sha256() {
    if (!hash_.valid()) {
        start_hash();
    }
    std::string result = hash_.get();
    require_unchanged();
    return result;
}

std::string InputFile::hash() const {
    Sha256 hash;
    std::vector<char> buffer(1 << 20);
    for (const Range& part : split_into_ranges(bytes(), buffer.size())) {
        if (stop_) {
            break;
        }
        errno = 0; // stays 0 where the file has become shorter
        if (!read_all(descriptor_, buffer.data(), part.count, part.first)) {
            require_unchanged();
            throw InputError({path_, "file", std::strerror(errno), "a file that can be read",
                              "check the disk or the network, and copy the file again"});
        }
        hash.add(buffer.data(), part.count);
    }
    return hash.hex();
}

void InputFile::require_unchanged() const {
    struct stat now {};
    if (::fstat(descriptor_, &now) != 0 || now.st_size != opened_.st_size ||
        !same(platform::content_changed(now), platform::content_changed(opened_))) {
        throw RunError({path_, "file", "it was changed while it was read",
                        "a file that no program is writing",
                        "wait until it is written, and run again"});
    }
}

bool read_all(int file, void* to, std::size_t size, std::uint64_t at) {
    char* next = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = ::pread(file, next, size, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        next += got;
        at += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

} // namespace lsrecon
