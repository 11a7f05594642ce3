// Makes folders that only this user can write, reserves room in them, and locks files by flock.

#include "base/folders.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/platform.hpp"

namespace lsrecon {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool make_folder(const std::string& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    return fs::is_directory(folder, failure);
}

/// The folder itself, not where a link leads: /tmp is everybody's.
bool belongs_to_this_user_alone(const std::string& folder) {
    struct stat is {};
    return ::lstat(folder.c_str(), &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == ::geteuid() &&
           (is.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// 0, or the error of reserving that many bytes, at most the limit of this process's file size:
/// beyond it a signal would end the process.
int reserve(int file, std::size_t bytes) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const auto most = static_cast<off_t>(std::min<rlim_t>(bytes, limit.rlim_cur));
#ifdef LSRECON_ON_LINUX
    return most == 0 ? 0 : ::posix_fallocate(file, 0, most);
#else
    return most == 0 || file >= 0 ? 0 : EBADF; // a full disk is found when it is written
#endif
}

} // namespace

std::string cache_folder() {
    if (const std::string own = environment("LSRECON_CACHE"); !own.empty()) {
        std::error_code failure; // without a working folder a relative path leads nowhere
        const fs::path absolute = fs::absolute(own, failure);
        return failure ? own : absolute.string();
    }
    std::string shared = environment("XDG_CACHE_HOME");
    if (shared.empty()) {
        if (const std::string home = environment("HOME"); !home.empty()) {
            shared = home + "/.cache";
        }
    }
    if (!shared.empty() && make_folder(shared + "/lsrecon")) {
        return shared + "/lsrecon";
    }
    const std::string last = private_folder();
    return last.empty() ? shared + "/lsrecon" : last;
}

std::string private_folder() {
    const std::string parent = environment("TMPDIR");
    const std::string folder =
        (parent.empty() ? "/tmp" : parent) + "/lsrecon-" + std::to_string(::getuid());
    const bool made = ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST;
    return made && belongs_to_this_user_alone(folder) ? folder : "";
}

std::string trouble_with(const std::string& folder, std::size_t bytes) {
    if (!make_folder(folder)) {
        std::error_code failure;
        fs::create_directories(folder, failure);
        return failure ? failure.message() : "is no folder";
    }
    try {
        const TemporaryFile file(folder);
        const int error = reserve(file.descriptor(), bytes);
        return error == 0 ? "" : std::strerror(error);
    } catch (const std::system_error& failure) {
        return failure.code().message();
    }
}

TemporaryFolder::TemporaryFolder(const std::string& use) {
    std::string name =
        (std::filesystem::temp_directory_path() / ("lsrecon-" + use + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw UsageError(text(name, ": cannot be made\n  next:     let TMPDIR name a folder "
                                    "that can be written"));
    }
    path_ = std::filesystem::absolute(name);
    // The shell reads to the end of this process, however it ends, and ignores the signals that
    // Ctrl-C and timeout(1) send to both. Without it a signal leaves the folder.
    guard_ = ::popen(("exec > /dev/null 2>&1; trap '' HUP INT QUIT TERM USR1 USR2; read -r end; "
                      "exec rm -rf -- " +
                      shell_word(path_.string()))
                         .c_str(),
                     "we");
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored; // a temporary folder is emptied by others
    std::filesystem::remove_all(path_, ignored);
    if (guard_ != nullptr) {
        ::pclose(guard_);
    }
}

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
