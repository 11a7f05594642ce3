// The rows of options by which a user chooses what is read of a scan.

#pragma once

#include <string>

#include "base/option.hpp"
#include "io/formats.hpp"

namespace lsrecon::option {

/// The rows of reading a scan, bound to the members of their structs.
OptionTable scan_options(std::string& scan, ReadOptions& read);

} // namespace lsrecon::option
