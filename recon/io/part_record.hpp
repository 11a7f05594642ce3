#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/image/file_values.hpp"

namespace lsrecon {

/// A record of a part file (io/part_file.hpp): lengths, a hash, and what they are of.
struct PartRecord {
    std::string about;
    FileBytes values;
    std::uint64_t end = 0; ///< where the next one begins
};

/// Nothing where no whole record stands.
std::optional<PartRecord> read_part_record(int file, std::uint64_t at, bool keep_values);

/// Writes a record there, over anything that follows, and onto the disk; returns its end. Nothing,
/// with errno set, when the file system refuses: the file then ends where the record would begin.
std::optional<std::uint64_t> write_part_record(int file, std::uint64_t at, const std::string& about,
                                               const FileBytes& values);

} // namespace lsrecon
