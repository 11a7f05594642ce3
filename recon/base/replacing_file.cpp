#include "base/replacing_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void refuse(const ResolvedPath& place, const std::string& found,
                         const std::string& expected, const std::string& next_step) {
    throw UsageError({place.path, "output", found, expected, next_step});
}

/// In a folder like /tmp a file can be replaced by its owner only.
bool belongs_to_another(const ResolvedPath& place) {
    struct stat folder {};
    const uid_t user = ::geteuid();
    return place.exists && user != 0 && place.facts.st_uid != user &&
           ::stat(place.folder().c_str(), &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 &&
           folder.st_uid != user;
}

const ResolvedPath& replaceable(const ResolvedPath& place) {
    require_replaceable(place);
    return place;
}

/// Every place that can be written; the system says why it cannot.
TemporaryFile beside(const ResolvedPath& place) {
    try {
        return TemporaryFile(place.folder(), place.name());
    } catch (const std::system_error& failure) {
        refuse(
            place,
            text("its folder ", place.folder(), " cannot be written: ", failure.code().message()),
            "a folder that can be written", "change its permissions or name another output");
    }
}

/// By device and inode; none while there is no file.
std::pair<dev_t, ino_t> file_at(const std::string& path) {
    struct stat facts {};
    const bool exists = ::stat(path.c_str(), &facts) == 0;
    return exists ? std::pair(facts.st_dev, facts.st_ino) : std::pair<dev_t, ino_t>();
}

/// What stood at the outputs of this process when it began, and what it has put there since.
std::map<std::string, std::pair<dev_t, ino_t>>& watched() {
    static std::map<std::string, std::pair<dev_t, ino_t>> files;
    return files;
}

} // namespace

void require_replaceable(const ResolvedPath& place) {
    if (place.path.empty()) {
        refuse(place, "an empty name", "the name of a file", "name the output");
    }
    if (place.error == ENOENT && !place.exists) {
        refuse(place, text("the folder ", place.folder(), " does not exist"),
               "a folder that exists", "create it or name another output");
    }
    if (place.error != 0 || (place.exists && !place.is_regular())) {
        refuse(place, place.what_is_wrong(), "a file, or a name that is free",
               "name another output");
    }
    if (belongs_to_another(place)) {
        refuse(place, "a file of another user in a folder where only its owner may replace it",
               "a file of yours, or a name that is free", "name another output");
    }
}

ReplacingFile::ReplacingFile(const std::string& final_path)
    : place_(replaceable(resolved_path(final_path))), temporary_(beside(place_)) {
    if (place_.exists) { // other users may read no more of the new file than of the old one
        ::chmod(path().c_str(), place_.mode());
    }
}

void ReplacingFile::watch() const {
    watched().emplace(target(), file_at(target()));
}

void ReplacingFile::commit() {
    const auto known = watched().find(target());
    if (known != watched().end()) {
        const auto now = file_at(target());
        if (now.second != 0 && now != known->second) {
            refuse(place_, "another program wrote it while this one ran", "one program an output",
                   "use that file, or run again with another output");
        }
        known->second = file_at(path());
    }
    if (place_.exists) {
        ::chmod(path().c_str(), place_.facts.st_mode);
    }
    if (std::rename(path().c_str(), place_.target.c_str()) != 0) {
        refuse(place_, text("it cannot be replaced: ", std::strerror(errno)),
               "a file that can be replaced", "name another output");
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
