#pragma once

#include <cstddef>
#include <string>

namespace lsrecon {

/// The folder of compiled kernels and winners of searches, an absolute path: $LSRECON_CACHE if it
/// is set, even if it cannot be used; else $XDG_CACHE_HOME/lsrecon or ~/.cache/lsrecon, if it can
/// be made; else private_folder().
std::string cache_folder();

/// lsrecon-UID in $TMPDIR, else in /tmp, made for this user alone; "" when that cannot be, or when
/// another user made it.
std::string private_folder();

/// Makes the folder. Returns why no file of that size can be kept in it, or "".
std::string trouble_with(const std::string& folder, std::size_t bytes);

} // namespace lsrecon
