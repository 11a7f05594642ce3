#include <gtest/gtest.h>

#include "support/device_fixture.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

class Repeat : public test::DeviceFixture {};

TEST_F(Repeat, TwoRunsAreEqualToTheLastBit) {
    const test::Problem problem = test::make_problem({"repeat", {9, 7, 0}, 2113, 3});
    for (const std::string& kernel : kernel_names()) {
        const auto one = device(kernel);
        const auto two = device(kernel);
        const CoilMatrix fhd = test::adjoint_of(*one, problem).values;
        for (Transforms* const again : {one.get(), two.get()}) {
            EXPECT_EQ(test::adjoint_of(*again, problem).values, fhd) << kernel;
        }
        EXPECT_EQ(test::forward_of(*one, problem).values, test::forward_of(*two, problem).values)
            << kernel;
        const Voxels where = test::differences_of_problem(problem);
        EXPECT_EQ(test::q_of(*one, problem, where).values, test::q_of(*two, problem, where).values)
            << kernel;
    }
}

// A scan must not depend on what the same device did before it.
TEST_F(Repeat, OneDeviceServesTransformsOfAllSizesInTurn) {
    const auto shared = device();
    for (const std::size_t coils : {3, 1, 9, 2}) {
        for (const std::size_t samples : {65, 2049, 1}) {
            const test::Problem problem = test::make_problem({"repeat", {7, 5, 0}, samples, coils});
            const auto fresh = device();
            EXPECT_EQ(test::adjoint_of(*shared, problem).values,
                      test::adjoint_of(*fresh, problem).values)
                << coils << " coils, " << samples << " samples";
        }
    }
}

TEST_F(Repeat, ProgressRisesToAtMostOneAndMayStopTheWork) {
    const test::Problem problem = test::make_problem({"progress", {5, 4, 0}, 6000, 9});
    const auto transforms = device();
    double last = -1;
    adjoint_on_host(*transforms, problem.positions(), problem.samples, problem.voxels,
                    [&](double fraction) {
                        EXPECT_GE(fraction, last);
                        EXPECT_LE(fraction, 1);
                        last = fraction;
                    });
    EXPECT_GT(last, 0);
    struct Stop {};
    EXPECT_THROW(adjoint_on_host(*transforms, problem.positions(), problem.samples, problem.voxels,
                                 [](double) { throw Stop(); }),
                 Stop);
    EXPECT_EQ(test::adjoint_of(*transforms, problem).values,
              test::adjoint_of(*device(), problem).values)
        << "a stopped transform spoils the next";
}

} // namespace
} // namespace lsrecon
