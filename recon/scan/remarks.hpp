#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// What is no error in a checked scan, and yet seldom meant, or not seen before the image is there:
/// lengths in other units, frames of too few samples, aliasing, coils without a signal.
std::vector<std::string> remarks_on(const Scan& scan);

} // namespace lsrecon
