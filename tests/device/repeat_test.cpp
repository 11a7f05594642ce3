#include <gtest/gtest.h>

#include "support/case.hpp"
#include "support/device_fixture.hpp"

namespace lsrecon {
namespace {

class Repeat : public test::DeviceFixture {};

TEST_F(Repeat, TwoRunsAreEqualToTheLastBit) {
    const test::Problem problem = test::make_problem({"repeat", {9, 7, 0}, 2113, 3});
    const RealVector weights = RealVector::Constant(2113, 0.3);
    for (const std::string& kernel : kernel_names()) {
        const auto one = device(kernel);
        const auto two = device(kernel);
        const CoilMatrix fhd =
            one->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent);
        for (Backend* const again : {one.get(), two.get()}) {
            EXPECT_EQ(
                again->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent),
                fhd)
                << kernel;
        }
        EXPECT_EQ(one->forward(problem.trajectory(), problem.rho, problem.voxels, test::silent),
                  two->forward(problem.trajectory(), problem.rho, problem.voxels, test::silent))
            << kernel;
        EXPECT_EQ(one->q(problem.trajectory(), weights, problem.voxels, test::silent),
                  two->q(problem.trajectory(), weights, problem.voxels, test::silent))
            << kernel;
    }
}

// A scan must not depend on what the same backend did before it.
TEST_F(Repeat, OneBackendServesTransformsOfAllSizesInTurn) {
    const auto shared = device();
    for (const std::size_t coils : {3, 1, 9, 2}) {
        for (const std::size_t samples : {65, 2049, 1}) {
            const test::Problem problem = test::make_problem({"turn", {7, 5, 0}, samples, coils});
            const auto fresh = device();
            EXPECT_EQ(
                shared->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent),
                fresh->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent))
                << coils << " coils, " << samples << " samples";
        }
    }
}

TEST_F(Repeat, ProgressRisesToAtMostOneAndMayStopTheWork) {
    const test::Problem problem = test::make_problem({"progress", {5, 4, 0}, 6000, 9});
    const auto backend = device();
    double last = -1;
    backend->fhd(problem.trajectory(), problem.samples, problem.voxels, [&](double fraction) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        last = fraction;
    });
    EXPECT_GT(last, 0);
    struct Stop {};
    EXPECT_THROW(backend->fhd(problem.trajectory(), problem.samples, problem.voxels,
                              [](double) { throw Stop(); }),
                 Stop);
    EXPECT_EQ(backend->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent),
              device()->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent))
        << "a stopped transform spoils the next";
}

} // namespace
} // namespace lsrecon
