#pragma once

#include <string>

#include "base/resolved_path.hpp"
#include "base/temporary_file.hpp"

namespace lsrecon {

/// UsageError when no file can be put there: it is a folder, a device or a pipe, its folder is
/// missing, its links form a loop.
void require_replaceable(const ResolvedPath& path);

/// An output is written beside its final place and renamed into it, so that a reader never sees a
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

} // namespace lsrecon
