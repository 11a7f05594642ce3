#pragma once

#include <optional>
#include <string>

#include "base/removed_on_signal.hpp"

namespace lsrecon {

/// A new, empty file FOLDER/NAME.DIGITS.part. It is removed with this object, or when a signal ends
/// the process. SIGKILL leaves it behind, until the next one is made in its folder.
///
/// It is locked (flock) as long as it lives: a file whose lock is free belongs to a dead process.
/// Its digits name the running kernel, because some network file systems keep such locks to one
/// machine: what another machine made must be a week old as well. Files of other names, such as
/// NAME.part, are not touched.
class TemporaryFile {
public:
    /// A name that is too long for the file system is cut. std::system_error when the folder
    /// refuses the file.
    TemporaryFile(const std::string& folder, const std::string& name);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

private:
    bool create();

    std::string path_;
    std::optional<RemovedOnSignal> removed_on_signal_;
    int file_ = -1; ///< open for its lock
};

/// Removes the temporary files in `folder` that no process writes any more.
void remove_stale_files(const std::string& folder);

} // namespace lsrecon
