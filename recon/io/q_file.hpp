#pragma once

#include <string>
#include <vector>

#include "stages/q.hpp"

namespace lsrecon {

/// Facts and their values for the file's record.
using Record = std::vector<std::pair<std::string, std::string>>;

/// Writes Q of every sampling of a scan as /q [S, (2Z,) 2Y, 2X] (S left out when it is 1), index i
/// standing for the difference i - N, with the content hash of each. Complex128: Q is computed
/// once and kept, and its rounding would go into every image made with it.
void write_q(const std::string& path, const std::vector<Q>& qs, const Record& record);

/// Writes Q at a list of voxels as /q [N].
void write_q_at(const std::string& path, const ComplexVector& q, const Record& record);

/// Q for the sampling and grid from a file that write_q wrote. InputError when its hash is another
/// scan's.
Q read_q(const std::string& path, const Sampling& sampling, const Grid& grid);

} // namespace lsrecon
