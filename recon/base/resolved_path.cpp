#include "base/resolved_path.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <unistd.h>

namespace lsrecon {

namespace {

constexpr int most_links = 40; // as many as Linux follows

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
        return ".";
    }
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// `path` with its symbolic links followed, or errno.
int follow(std::string& path) {
    for (int links = 0; links < most_links; ++links) {
        char link[PATH_MAX];
        const ssize_t size = ::readlink(path.c_str(), link, sizeof(link));
        if (size < 0) {
            return errno == EINVAL || errno == ENOENT ? 0 : errno; // no link, or no file
        }
        const std::string next(link, static_cast<std::size_t>(size));
        path = next.front() == '/' ? next : folder_of(path) + "/" + next;
    }
    return ELOOP;
}

bool same(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

} // namespace

std::string ResolvedPath::folder() const {
    return folder_of(target);
}

std::string ResolvedPath::name() const {
    return target.substr(target.rfind('/') + 1);
}

std::string ResolvedPath::what_is_wrong() const {
    if (exists && (error == 0 || !is_regular())) { // a pipe on /dev/stdin has no name
        return S_ISREG(facts.st_mode)    ? ""
               : S_ISDIR(facts.st_mode)  ? "it is a folder"
               : S_ISFIFO(facts.st_mode) ? "it is a pipe"
               : S_ISSOCK(facts.st_mode) ? "it is a socket"
                                         : "it is a device";
    }
    return error == 0 || error == ENOENT ? "no such file" : std::strerror(error);
}

ResolvedPath resolved_path(const std::string& path) {
    ResolvedPath result;
    result.path = path;
    result.target = path;
    result.exists = ::stat(path.c_str(), &result.facts) == 0;
    if (!result.exists && errno != ENOENT) {
        result.error = errno;
        return result;
    }
    result.error = path.empty() ? ENOENT : follow(result.target);
    if (result.error != 0) {
        return result;
    }
    struct stat found {};
    const std::string& last = result.exists ? result.target : result.folder();
    if (::stat(last.c_str(), &found) != 0) {
        result.error = errno;
    } else if (result.exists && !same(found, result.facts)) {
        result.error = ENOENT; // the file behind /proc/self/fd/3 may have no name any more
    }
    if (!result.exists) {
        result.facts = found;
    }
    return result;
}

bool same_file(const ResolvedPath& a, const ResolvedPath& b) {
    return a.error == 0 && b.error == 0 && a.exists == b.exists && same(a.facts, b.facts) &&
           (a.exists || a.name() == b.name());
}

} // namespace lsrecon
