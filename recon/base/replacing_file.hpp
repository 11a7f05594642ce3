#pragma once

#include <string>

#include "base/place.hpp"
#include "base/temporary_file.hpp"

namespace lsrecon {

/// UsageError when no file can be put at this place: it is a folder, a device or a pipe, its folder
/// is missing, its links form a loop.
void require_replaceable(const ResolvedPath& place);

/// An output is written beside its final place and renamed into it, so that a reader never sees a
/// part of it and a failure leaves what was there before. It keeps the mode of the file that it
/// replaces. A symbolic link stays: the file behind it is replaced.
///
///     ReplacingFile out("image.h5");
///     write(out.path());
///     out.commit();
class ReplacingFile {
public:
    /// UsageError when no file can be put there or the folder cannot be written.
    explicit ReplacingFile(const std::string& final_path);

    const std::string& path() const { return temporary_.path(); }
    /// Where it is put.
    const std::string& target() const { return place_.target; }
    /// UsageError when it cannot be put there, or another program has put a file there since
    /// watch().
    void commit();
    /// From now on, until the process ends.
    void watch() const;

private:
    ResolvedPath place_;
    TemporaryFile temporary_;
};

/// Both or neither of two files that mean nothing without each other.
void commit_together(ReplacingFile& first, ReplacingFile& second);

} // namespace lsrecon
