// What lets ranks compute a part of the voxels each: of engines that say so, a sum at a voxel has
// the same bits whichever others are computed with it. tests/device/separable_test.cpp has the
// forms that this device would not choose.

#include "support/arrays.hpp"
#include "support/by_part.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::Problem;

class ByPart : public testing::TestWithParam<ArrayCase> {};

TEST_P(ByPart, HasTheBitsOfTheWhole) {
    for (const Engine& engine : engines()) {
        ArrayCase on = GetParam();
        if (!engine.by_part) {
            continue;
        }
        on.open(engine.variants.back().name);
        if (!on.opened || !engine.computes_on(on.device().kind())) {
            continue;
        }
        using Size = std::array<std::size_t, 3>;
        for (const Size& size : {Size{15, 17, 0}, {6, 5, 10}}) {
            SCOPED_TRACE(testing::PrintToString(size) + " " + engine.name);
            const Problem problem = test::make_problem({"part", size, 1100, 3});
            test::expect_same_bits_by_part(problem.voxels, [&](const Voxels& at) {
                return adjoint_on_host(*on.opened, problem.points(), problem.samples, at,
                                       test::silent)
                    .values;
            });
            test::expect_same_bits_by_part(
                Voxels::half_differences(problem.grid), [&](const Voxels& at) {
                    return CoilMatrix(test::q_of(*on.opened, problem, at).values);
                });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, ByPart, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
