#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// What is not an error in a checked scan but is rarely intended, or would show only in the image:
/// lengths in other units, frames of too few samples, aliasing, coils without a signal.
std::vector<std::string> remarks_on(const Scan& scan);

} // namespace lsrecon
