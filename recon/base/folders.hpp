// Folders of what is kept between runs, temporary folders, and locks of what processes share.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>

namespace lsrecon {

/// The folder of compiled kernels and winners of searches, an absolute path: $LSRECON_CACHE if it
/// is set, even if it cannot be used; else $XDG_CACHE_HOME/lsrecon or ~/.cache/lsrecon, if it can
/// be made; else private_folder().
std::string cache_folder();

/// lsrecon-UID in $TMPDIR, else in /tmp, made for this user alone; "" when that cannot be, or when
/// another user made it.
std::string private_folder();

/// Makes the folder. Returns why no file of that size can be kept in it, or "".
std::string trouble_with(const std::string& folder, std::size_t bytes);

/// A new folder for files that are removed with it, and when its process ends before that, however
/// it ends.
class TemporaryFolder {
public:
    /// Named after its use. UsageError when it cannot be made.
    explicit TemporaryFolder(const std::string& use);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
    std::FILE* guard_ = nullptr; ///< a process that removes the folder when this one ends
};

/// Keeps other threads and processes that want the same file out for as long as it lives. The
/// system releases it when the process ends, however it ends.
///
/// There is no lock where locks do not work, and when another holds the file for longer than
/// `patience`. What it protects is then at the same risk as without locks.
class FileLock {
public:
    enum class State { held, unsupported, timed_out };

    /// A folder, or a file, which is made when it is missing, and stays.
    explicit FileLock(const std::string& path,
                      std::chrono::milliseconds patience = std::chrono::minutes(2));
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    State state() const { return state_; }

private:
    int file_ = -1;
    State state_ = State::unsupported;
};

} // namespace lsrecon
