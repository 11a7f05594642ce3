// Every variant in double precision.

#include <gtest/gtest.h>

#include "support/arrays.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::near;

constexpr double bound_of_doubles = 1e-12;

class Doubles : public test::DeviceFixture, public testing::WithParamInterface<Case> {
protected:
    test::Problem problem = test::make_problem(GetParam());
};

TEST_P(Doubles, FhdQAndForwardOfEveryKernel) {
    test::ArrayCase on{"opencl", Precision::float64};
    const Voxels where = test::differences_of_problem(problem);
    const OnHost fhd = test::exact_adjoint_of(problem);
    const OnHost q = test::exact_q_of(problem, where);
    const OnHost f = test::exact_forward_of(problem);
    for (const std::string& kernel : test::variants(on)) {
        on.open(kernel);
        if (!on.opened) {
            GTEST_SKIP() << "a device without double precision";
        }
        const auto agree = [&](const OnHost& computed, const OnHost& exact) {
            EXPECT_LE(computed.error, bound_of_doubles) << "what it says of itself";
            return near(computed.values, exact.values, bound_of_doubles);
        };
        EXPECT_TRUE(agree(test::adjoint_of(*on.opened, problem), fhd)) << kernel;
        EXPECT_TRUE(agree(test::q_of(*on.opened, problem, where), q)) << "Q, " << kernel;
        EXPECT_TRUE(agree(test::forward_of(*on.opened, problem), f)) << "F, " << kernel;
        EXPECT_LT(on.opened->computed_by().epsilon, 1e-15);
    }
}

std::vector<Case> cases() {
    Case list{"AList", {8, 8, 6}, 65, 2};
    list.listed_voxels = 63;
    list.reach = 3;
    return {{"AVolume", {7, 6, 5}, 2113, 2}, list};
}

INSTANTIATE_TEST_SUITE_P(Awkward, Doubles, testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.name; });

} // namespace
} // namespace lsrecon
