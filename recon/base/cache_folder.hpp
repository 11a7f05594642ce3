#pragma once

#include <cstddef>
#include <string>

namespace lsrecon {

/// Where compiled kernels and winners of searches are kept: $LSRECON_CACHE, whatever it is; else
/// $XDG_CACHE_HOME/lsrecon, else ~/.cache/lsrecon, which is made; else private_folder(). An
/// absolute path.
std::string cache_folder();

/// lsrecon-UID in $TMPDIR, else in /tmp, made for this user alone; "" when that cannot be, or when
/// somebody else made it.
std::string private_folder();

/// Makes the folder; why no file of that size can be kept in it, or "".
std::string trouble_with(const std::string& folder, std::size_t bytes);

} // namespace lsrecon
