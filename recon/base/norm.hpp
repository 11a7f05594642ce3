#pragma once

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// L2 norm on all cores, of values of any size, the same for any number of cores.
inline double norm_of(const ComplexVector& values) {
    constexpr std::size_t of_a_block = std::size_t(1) << 16;
    const std::vector<Range> blocks =
        split_into_ranges(static_cast<std::size_t>(values.size()), of_a_block);
    RealVector norms(static_cast<Eigen::Index>(blocks.size()));
    for_each_in_parallel(blocks.size(), [&](std::size_t i) {
        norms(static_cast<Eigen::Index>(i)) =
            values
                .segment(static_cast<Eigen::Index>(blocks[i].first),
                         static_cast<Eigen::Index>(blocks[i].count))
                .stableNorm();
    });
    return norms.size() == 0 ? 0 : norms.stableNorm();
}

} // namespace lsrecon
