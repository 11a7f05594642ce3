// What lets ranks compute a part of the voxels each: of engines that say so, a sum at a voxel has
// the same bits whichever others are computed with it.

#include <gtest/gtest.h>

#include "base/job_ranks.hpp"
#include "support/arrays.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::Problem;

class ByPart : public testing::TestWithParam<ArrayCase> {
protected:
    /// compute(voxels) at all of them, and at the parts of 2 to 4 ranks.
    template <typename Compute>
    static void expect_same_bits(const Voxels& voxels, const Compute& compute) {
        const CoilMatrix whole = compute(voxels);
        for (const std::size_t ranks : {2, 3, 4}) {
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                const Range at = share_of_rank(voxels.count(), voxels.together(), rank, ranks);
                const CoilMatrix part = compute(voxels.part(at));
                EXPECT_TRUE(part == whole.middleCols(static_cast<Eigen::Index>(at.first),
                                                     static_cast<Eigen::Index>(at.count)))
                    << "rank " << rank << " of " << ranks;
            }
        }
    }
};

TEST_P(ByPart, HasTheBitsOfTheWhole) {
    for (const Engine& engine : engines()) {
        ArrayCase on = GetParam();
        if (!engine.by_part) {
            continue;
        }
        on.open(engine.variants.back().name);
        if (!on.opened || engine.device_kind != on.device().kind()) {
            continue;
        }
        for (const auto& size : {std::array<std::size_t, 3>{15, 17, 0},
                                 {64, 48, 0},
                                 {7, 5, 9},
                                 {6, 10, 24},
                                 {32, 32, 32}}) {
            SCOPED_TRACE(testing::PrintToString(size) + " " + engine.name);
            const Problem problem = test::make_problem({"part", size, 2500, 3});
            expect_same_bits(problem.voxels, [&](const Voxels& at) {
                return adjoint_on_host(*on.opened, problem.points(), problem.samples, at,
                                       test::silent)
                    .values;
            });
            expect_same_bits(Voxels::half_differences(problem.grid), [&](const Voxels& at) {
                return CoilMatrix(test::q_of(*on.opened, problem, at).values);
            });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, ByPart, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
