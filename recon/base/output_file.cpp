// Writes files under temporary names in the folder of their target, and renames them when they are
// whole.

#include "base/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include "base/platform.hpp"

namespace lsrecon {

namespace {

std::string name_in(const std::string& folder) {
    std::random_device random;
    std::ostringstream name;
    name << folder << "/lsrecon-" << std::hex << random() << random() << ".part";
    return name.str();
}

void require(bool succeeded) {
    if (!succeeded) {
        throw std::system_error(errno, std::generic_category());
    }
}

} // namespace

namespace {

/// A file without a name; below 0 where the system or the folder has none.
int unnamed_file(const std::string& folder, mode_t mode) {
#ifdef LSRECON_ON_LINUX
    return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
#else
    return folder.empty() || mode == 0 ? -2 : -1;
#endif
}

} // namespace

TemporaryFile::TemporaryFile(const std::string& folder, mode_t mode)
    : name_(name_in(folder)), file_(unnamed_file(folder, mode)), is_named_(file_ < 0) {
    if (is_named_) {
        file_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
        require(file_ >= 0);
    }
    path_ = is_named_ ? name_ : platform::name_of_descriptor(file_);
}

TemporaryFile::~TemporaryFile() {
    if (is_named_) {
        ::unlink(name_.c_str()); // gone already when it was put in its place
    }
    ::close(file_);
}

void TemporaryFile::put_at(const std::string& target) {
    require(::fsync(file_) == 0);
    if (!is_named_) {
        const auto link_to = [&](const std::string& name) {
            return ::linkat(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
                   0;
        };
        if (link_to(target)) { // never under another name, which a signal would leave
            return;
        }
        require(errno == EEXIST && link_to(name_)); // a link replaces nothing: a rename does
        is_named_ = true;
    }
    require(std::rename(name_.c_str(), target.c_str()) == 0);
}

namespace {

[[noreturn]] void refuse(const ResolvedPath& path, const std::string& found,
                         const std::string& expected, const std::string& next_step) {
    throw UsageError({path.path, "output", found, expected, next_step});
}

/// Whether a file belongs to another user in a folder like /tmp, where only the owner can replace
/// it.
bool belongs_to_another(const ResolvedPath& path) {
    struct stat folder {};
    const uid_t user = ::geteuid();
    return path.exists && user != 0 && path.status.st_uid != user &&
           ::stat(path.folder().c_str(), &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 &&
           folder.st_uid != user;
}

const ResolvedPath& replaceable(const ResolvedPath& path) {
    require_replaceable(path);
    return path;
}

/// The system says why it cannot be.
TemporaryFile beside(const ResolvedPath& path) {
    try {
        return TemporaryFile(path.folder(), path.mode());
    } catch (const std::system_error& failure) {
        refuse(path,
               text("its folder ", path.folder(), " cannot be written: ", failure.code().message()),
               "a folder that can be written", "change its permissions or name another output");
    }
}

} // namespace

void require_replaceable(const ResolvedPath& path) {
    if (path.path.empty()) {
        refuse(path, "an empty name", "the name of a file", "name the output");
    }
    if (path.error == ENOENT && !path.exists) {
        refuse(path, text("the folder ", path.folder(), " does not exist"), "a folder that exists",
               "create it or name another output");
    }
    if (path.error != 0 || (path.exists && !path.is_regular())) {
        refuse(path, path.what_is_wrong(), "a file, or a name that is free", "name another output");
    }
    if (belongs_to_another(path)) {
        refuse(path, "a file of another user in a folder where only its owner may replace it",
               "a file of yours, or a name that is free", "name another output");
    }
}

ReplacingFile::ReplacingFile(const std::string& final_path)
    : final_(replaceable(resolved_path(final_path))), temporary_(beside(final_)) {}

void ReplacingFile::commit() {
    if (final_.exists) {
        ::fchmod(temporary_.descriptor(), final_.status.st_mode);
    }
    try {
        temporary_.put_at(final_.target);
    } catch (const std::system_error& failure) {
        fail_to_write(final_.path, failure.code().value());
    }
}

void commit_together(ReplacingFile& first, ReplacingFile& second) {
    first.commit();
    try {
        second.commit();
    } catch (const Error&) {
        ::unlink(first.target().c_str());
        throw;
    }
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
