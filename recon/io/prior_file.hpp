#pragma once

#include <string>

#include "scan/stored_values.hpp"

namespace lsrecon {

/// Reads an image in any format (docs/image.md). InputError when it is none, has several frames,
/// only zeros or values that are not finite.
StoredPrior read_prior(const std::string& path);

} // namespace lsrecon
