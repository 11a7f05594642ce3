#pragma once

#include <string>

namespace lsrecon::app {

/// UsageError when `output` could not be written or is the input itself: found before the work,
/// not after it.
void require_output(const std::string& output, const std::string& input);

/// Writes a text file beside and renames it into place.
void write_text(const std::string& path, const std::string& content);

} // namespace lsrecon::app
