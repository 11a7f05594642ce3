#include "base/cache_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/temporary_file.hpp"

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
/// beyond it a signal would end the process. Where the file system cannot reserve, one written byte
/// has to do.
int reserve(int file, std::size_t bytes) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const auto room = static_cast<off_t>(std::min<rlim_t>(bytes, limit.rlim_cur));
    if (room == 0 || ::fallocate(file, 0, 0, room) == 0) {
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != ENOSYS) {
        return errno;
    }
    return ::write(file, "", 1) == 1 ? 0 : errno;
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

} // namespace lsrecon
