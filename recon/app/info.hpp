#pragma once

#include <string>

namespace lsrecon::app {

/// What 'lsrecon info --json' prints of an image of this program.
void print_image_as_json(const std::string& path);

} // namespace lsrecon::app
