#include "base/file_bytes.hpp"

#include <cerrno>
#include <unistd.h>

namespace lsrecon {

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

bool write_all(int file, const void* from, std::size_t size, std::uint64_t at) {
    const char* next = static_cast<const char*>(from);
    while (size > 0) {
        const ssize_t put = ::pwrite(file, next, size, static_cast<off_t>(at));
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return false;
        }
        next += put;
        at += static_cast<std::uint64_t>(put);
        size -= static_cast<std::size_t>(put);
    }
    return true;
}

} // namespace lsrecon
