#pragma once

#include <string>
#include <sys/stat.h>

namespace lsrecon {

/// The target of a path. Nothing here throws: a path that the system refuses to follow is an
/// `error`.
struct ResolvedPath {
    std::string path; ///< path as it was named
    std::string target; ///< path with symbolic links followed; the file need not exist
    int error = 0; ///< errno of a path that leads nowhere: a missing folder, a loop of links
    bool exists = false;
    struct stat facts {}; ///< facts of the file; of its folder while there is no file

    bool is_regular() const { return exists && S_ISREG(facts.st_mode); }
    /// The mode of the file that replaces it, while that is written: its own mode, or that of any
    /// new file, less the umask.
    mode_t mode() const { return is_regular() ? (facts.st_mode & 0777U) | 0600U : 0666U; }
    std::string folder() const; ///< folder of the target; "." for the working folder
    std::string name() const; ///< name of the target in its folder
    /// Why no regular file is there, for messages: "it is a folder", "Permission denied"; "" when
    /// one is.
    std::string what_is_wrong() const;
};

ResolvedPath resolved_path(const std::string& path);

/// Whether both paths name one file, by its device and inode; for files that do not exist yet, by
/// those of the folder, and the name.
bool same_file(const ResolvedPath& a, const ResolvedPath& b);

} // namespace lsrecon
