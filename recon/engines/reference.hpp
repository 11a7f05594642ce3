#pragma once

#include "engines/backend.hpp"

namespace lsrecon {

/// The oracle: plain loops on one CPU thread, never optimised.
std::unique_ptr<Backend> make_reference_backend();

/// The same loops in single precision, for the comparison table only.
std::unique_ptr<Backend> make_single_reference_backend();

} // namespace lsrecon
