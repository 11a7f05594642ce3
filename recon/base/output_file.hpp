// Files that are written: none has a name before it is whole.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <sys/types.h>

#include "base/error.hpp"
#include "base/named_files.hpp"

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

/// UsageError when no file can be put there: it is a folder, a device or a pipe, its folder is
/// missing, its links form a loop.
void require_replaceable(const ResolvedPath& path);

/// An output is written beside its final path and renamed to it, so that a reader never sees a
/// part of it and a failure leaves what was there before. It keeps the mode of the file that it
/// replaces. A symbolic link stays: the file behind it is replaced. Of several that are put at one
/// place the last stays.
///
///     ReplacingFile out("image.h5");
///     write(out.path());
///     out.commit();
class ReplacingFile {
public:
    /// UsageError when no file can be put there or the folder cannot be written.
    explicit ReplacingFile(const std::string& final_path);

    const std::string& path() const { return temporary_.path(); }
    /// The path where the file is put.
    const std::string& target() const { return final_.target; }
    /// RunError when it cannot be put there.
    void commit();

private:
    ResolvedPath final_;
    TemporaryFile temporary_;
};

/// Puts both or neither of two files that mean nothing without each other.
void commit_together(ReplacingFile& first, ReplacingFile& second);

/// RunError about an output that the system refused; `cause` is errno, 0 where it says nothing.
[[noreturn]] inline void fail_to_write(const std::string& file, int cause) {
    throw RunError(
        {file, "file",
         cause == 0 ? "it cannot be written" : text("it cannot be written: ", std::strerror(cause)),
         "a file system with enough free space", "free some space or name another output"});
}

/// All bytes of a request, however many calls of the system it takes. False with errno set when the
/// system refuses.
bool write_all(int file, const void* from, std::size_t size, std::uint64_t at);

} // namespace lsrecon
