#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// A remark for every coil and frame whose samples are all exactly 0: noise never is, but samples
/// that were not written are. A scan of nothing else is refused (scan/check.hpp).
std::vector<std::string> remarks_on_silent_coils(const Scan& scan);

} // namespace lsrecon
