#pragma once

#include <string>
#include <vector>

#include "io/failed_frames.hpp"

namespace lsrecon::app {

/// Writes a text file beside and renames it into place.
void write_text(const std::string& path, const std::string& content);

/// An error when frames failed, with the exit code of the first: the output is written, but not
/// whole. `kept`: the others are in the part, for --resume.
void require_all_frames(const std::vector<FailedFrame>& failed, std::size_t frames,
                        const std::string& output, bool kept = true);

/// InputError when printed text could not be written, because stdout is full or closed.
void flush_stdout();

} // namespace lsrecon::app
