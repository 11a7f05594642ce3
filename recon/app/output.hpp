#pragma once

#include <string>

namespace lsrecon::app {

/// Writes a text file beside and renames it into place.
void write_text(const std::string& path, const std::string& content);

/// InputError when printed text could not be written, because stdout is full or closed.
void flush_stdout();

} // namespace lsrecon::app
