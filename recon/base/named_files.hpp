// The files that a user names: what stands at their paths, and whether a command may use them.
#pragma once

#include <algorithm>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace lsrecon {

/// The target of a path. Nothing here throws: a path that the system refuses to follow is an
/// `error`.
struct ResolvedPath {
    std::string path; ///< path as it was named
    std::string target; ///< path with symbolic links followed; the file need not exist
    int error = 0; ///< errno of a path that leads nowhere: a missing folder, a loop of links
    bool exists = false;
    struct stat status {}; ///< of the file; of its folder while there is no file

    bool is_regular() const { return exists && S_ISREG(status.st_mode); }
    /// The mode of the file that replaces it, while that is written: its own mode, or that of any
    /// new file, less the umask.
    mode_t mode() const { return is_regular() ? (status.st_mode & 0777U) | 0600U : 0666U; }
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

/// A file that a command reads, and the flag that named it.
struct NamedInput {
    std::string flag;
    std::string path;
};

enum class FileKind { hdf5, png, json, nifti, cfl, html, log };

struct NamedOutput {
    std::string flag;
    std::string path;
    FileKind kind;
};

/// All files of a command, checked before its work so that nothing fails, or is lost, after it. A
/// path "" is a flag that was not given.
///
/// InputError when an input is not a file that can be read. UsageError when an output is an input
/// or another output (by device and inode), is something that must not be replaced, such as a
/// device or a pipe, has the ending of another format, or cannot be made in its folder.
void require_files(const std::vector<NamedInput>& inputs, const std::vector<NamedOutput>& outputs);

/// A folder that a command keeps files in; "" is a flag that was not given. It is made where it is
/// missing, with those above it. UsageError when that cannot be, or no file can be written there.
void require_folder(const std::string& flag, const std::string& path);

/// The ending of a file's name without its dot, in small letters; "nii.gz" is one. "" when the name
/// has none.
std::string ending_of(const std::string& path);

/// The row of a table of formats, with a `name` and `endings`, that an output takes: `name` where
/// it is not "", else that of the path's ending. Null when there is none.
template <typename Format> const Format*
row_of_output(const std::vector<Format>& table, const std::string& path, const std::string& name) {
    const std::string ending = ending_of(path);
    const auto found = std::find_if(table.begin(), table.end(), [&](const Format& row) {
        const auto& endings = row.endings;
        return name.empty() ? std::find(endings.begin(), endings.end(), ending) != endings.end()
                            : row.name == name;
    });
    return found == table.end() ? nullptr : &*found;
}

/// A file that holds an image, and those beside it that may be its other half: NAME.cfl and
/// NAME.hdr, or NAME.hdr and NAME.img, each also .gz.
std::vector<std::string> file_and_halves(const std::string& path);

/// InputError where one of these is something that would be waited for, such as a pipe.
void require_no_pipes(const std::string& path);

/// Throws InputError unless the path is a file that can be opened for reading; messages call it
/// `thing`.
void require_input(const std::string& path, const std::string& thing = "file");

} // namespace lsrecon
