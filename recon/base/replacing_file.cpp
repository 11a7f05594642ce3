#include "base/replacing_file.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
#include "base/write_failure.hpp"

namespace lsrecon {

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
    return path.exists && user != 0 && path.facts.st_uid != user &&
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
        ::fchmod(temporary_.descriptor(), final_.facts.st_mode);
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

} // namespace lsrecon
