#pragma once

#include <string>
#include <vector>

namespace lsrecon {

/// A file that a command reads, and the flag that named it.
struct NamedInput {
    std::string flag;
    std::string path;
};

enum class FileKind { hdf5, png, json };

struct NamedOutput {
    std::string flag;
    std::string path;
    FileKind kind;
};

/// All files of a command, checked before its work so that nothing fails, or is lost, after it. A
/// path "" is a flag that was not given.
///
/// InputError when an input is not a file that can be read. UsageError when an output is an input
/// or another output (by device and inode), is something that must not be replaced, as a device or
/// a pipe, has the ending of another format, or cannot be made in its folder.
void require_files(const std::vector<NamedInput>& inputs, const std::vector<NamedOutput>& outputs);

/// The same of a single input. `thing` is what messages call it.
void require_input(const std::string& path, const std::string& thing = "file");

} // namespace lsrecon
