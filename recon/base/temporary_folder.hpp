#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace lsrecon {

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
    void start_guard();

    std::filesystem::path path_;
    int tie_ = -1; ///< a pipe to the guard, which ends with this process
    pid_t guard_ = -1; ///< a process that removes the folder then; -1 for none
};

} // namespace lsrecon
