#pragma once

#include <map>
#include <string>
#include <vector>

namespace lsrecon {

/// SHA-256 of files that several runs of one process name: found once, and again for a file that
/// has changed since.
class FileHashes {
public:
    /// 64 hexadecimal digits, of a file and its other half (base/named_files.hpp). InputError and
    /// RunError as of InputFile.
    std::string of(const std::string& path);

private:
    struct Known {
        std::vector<std::string> state; ///< state of each half when its hash was found
        std::string hash;
    };
    std::map<std::string, Known> known_; ///< known hashes by path
};

} // namespace lsrecon
