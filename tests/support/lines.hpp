#pragma once

#include "scan/scan.hpp"

namespace lsrecon::test {

/// Samples on complete lines along a dimension of a grid.
struct Lines {
    Grid grid;
    std::size_t dimension;
    Trajectory trajectory; ///< of its trajectory alone
};

/// So many lines at random positions, their samples in random order.
Lines on_lines(const Grid& grid, std::size_t dimension, std::size_t count, std::uint64_t seed = 1);

} // namespace lsrecon::test
