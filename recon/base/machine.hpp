#pragma once

#include <string>

namespace lsrecon {

/// Physical memory of this machine in bytes.
double machine_memory_bytes();

/// Where compiled kernels are kept: $LSRECON_CACHE, else $XDG_CACHE_HOME/lsrecon, else
/// ~/.cache/lsrecon, else a folder for temporary files. Not created here.
std::string cache_folder();

} // namespace lsrecon
