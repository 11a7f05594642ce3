#pragma once

#include <string>
#include <sys/types.h>

namespace lsrecon {

/// A new, empty file in a folder that has no name before it is whole: when its process ends before
/// that, however it ends, nothing is left. On a file system without such files (O_TMPFILE), as NFS
/// and Lustre are, it is FOLDER/lsrecon-DIGITS.part from the start: an error removes it, a signal
/// leaves it.
class TemporaryFile {
public:
    /// `mode` is that of the file, less the umask. std::system_error when the folder refuses it.
    explicit TemporaryFile(const std::string& folder, mode_t mode = 0666);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor() const { return file_; }
    /// The path that this process opens to write the file.
    const std::string& path() const { return path_; }
    /// Synchronises it with the disk and puts it at a path of its folder, in place of the file or
    /// the link there. std::system_error when that cannot be.
    void put_at(const std::string& target);

private:
    std::string name_;
    int file_;
    bool is_named_;
    std::string path_;
};

} // namespace lsrecon
