#pragma once

#include <cstddef>

#include "base/option.hpp"

namespace lsrecon::app {

/// Gives this process its share of the cores, which ranks of a node divide between them, and which
/// a job or a container limits.
void keep_to_own_cores();

/// --threads, which takes effect at once. A device that is open keeps its threads.
option::Option threads_option();

} // namespace lsrecon::app
