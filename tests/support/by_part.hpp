#pragma once

#include <gtest/gtest.h>

#include "base/job_ranks.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::test {

/// compute(voxels), C x N, at all of them and at the parts of three ranks, which differ in size:
/// the same bits. Each size takes PoCL's compiler seconds.
template <typename Compute>
void expect_same_bits_by_part(const Voxels& voxels, const Compute& compute) {
    constexpr std::size_t ranks = 3;
    const CoilMatrix whole = compute(voxels);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const Range at = share_of_rank(voxels.count(), voxels.together(), rank, ranks);
        EXPECT_TRUE(compute(voxels.part(at)) ==
                    whole.middleCols(static_cast<Eigen::Index>(at.first),
                                     static_cast<Eigen::Index>(at.count)))
            << "rank " << rank;
    }
}

} // namespace lsrecon::test
