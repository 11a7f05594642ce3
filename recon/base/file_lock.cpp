#include "base/file_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace lsrecon {

namespace {

int file_or_folder(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    return file < 0 && errno == EISDIR ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : file;
}

} // namespace

FileLock::FileLock(const std::string& path, std::chrono::milliseconds patience)
    : file_(file_or_folder(path)) {
    if (file_ < 0) {
        return;
    }
    const auto end = std::chrono::steady_clock::now() + patience;
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return;
        }
        if (std::chrono::steady_clock::now() >= end) {
            state_ = State::timed_out;
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    state_ = State::held;
}

FileLock::~FileLock() {
    if (file_ >= 0) {
        ::flock(file_, LOCK_UN); // a child that a compiler has just forked may have the file, too
        ::close(file_);
    }
}

} // namespace lsrecon
