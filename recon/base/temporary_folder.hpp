#pragma once

#include <filesystem>
#include <string>

namespace lsrecon {

/// A new folder for files that are removed with it.
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
};

} // namespace lsrecon
