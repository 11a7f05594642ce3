#pragma once

#include <string>

namespace lsrecon::app {

/// UsageError when `output` could not be written or is the input itself: found before the work,
/// not after it.
void require_output(const std::string& output, const std::string& input);

} // namespace lsrecon::app
