#pragma once

#include <string>

namespace lsrecon::app {

/// Writes a text file beside and renames it into place.
void write_text(const std::string& path, const std::string& content);

/// What was printed must have arrived: InputError when stdout is full or closed.
void flush_stdout();

} // namespace lsrecon::app
