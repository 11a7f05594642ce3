// Numbers far from 1 on a device that computes in floats.

#include <gtest/gtest.h>

#include "base/float_range.hpp"
#include "base/tolerance.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::near;
using test::silent;

TEST(FloatRange, OnlyWhatLeavesTheRoomOfFloatsIsScaled) {
    for (const double ordinary : {1.0, 1e-9, 100.0}) {
        EXPECT_EQ(float_exponent(ordinary), 0) << ordinary;
    }
    for (const double extreme : {1e-310, 1e-40, 1e-11, 1e3, 1e40, 1e308}) {
        const double scaled = std::ldexp(extreme, -float_exponent(extreme));
        EXPECT_GE(scaled, 0.5) << extreme;
        EXPECT_LT(scaled, 1) << extreme;
    }
    EXPECT_EQ(float_exponent(0), 0);
    EXPECT_EQ(float_exponent(std::numeric_limits<double>::infinity()), 0);
    EXPECT_EQ(float_exponent(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(FloatRange, TheLargestPartIsOfEitherSignAndEitherPart) {
    RealVector real(3);
    real << 0, -7, 3;
    EXPECT_EQ(largest_part(real), 7);
    ComplexVector complex(2);
    complex << Complex(1, -9), Complex(8, 0);
    EXPECT_EQ(largest_part(complex), 9);
    EXPECT_EQ(largest_part(RealVector()), 0);
    complex(0) = {std::numeric_limits<double>::quiet_NaN(), 0};
    EXPECT_FALSE(std::isfinite(largest_part(complex)));
}

test::Problem problem_of_65_samples() {
    test::Case of{"extreme", {9, 7, 0}, 65, 2};
    of.phi = of.weights = true;
    return test::make_problem(of);
}

class ExtremeNumbers : public test::DeviceFixture, public testing::WithParamInterface<double> {
protected:
    std::unique_ptr<Transforms> device_ = device();
    std::unique_ptr<Transforms> reference_ = reference_transforms();
    test::Problem problem_ = problem_of_65_samples();
};

TEST_P(ExtremeNumbers, MuIsThatOfTheReference) {
    for (const int part : {0, 1, 2}) {
        Trajectory trajectory = *problem_.trajectory;
        CoilMatrix samples = problem_.samples;
        if (part == 0) {
            trajectory.phi *= GetParam();
        } else if (part == 1) {
            trajectory.weights *= GetParam();
        } else {
            samples *= GetParam();
        }
        EXPECT_TRUE(near(mu_on_host(*device_, trajectory, samples),
                         mu_on_host(*reference_, trajectory, samples), tolerance::mu()))
            << "part " << part;
    }
}

TEST_P(ExtremeNumbers, TransformsAreThoseOfTheReference) {
    const auto agree = [](const OnHost& computed, const OnHost& exact) {
        return near(computed.values, exact.values, computed.error + tolerance::reference(10, 65));
    };
    test::Problem scaled = problem_;
    scaled.samples *= GetParam();
    scaled.rho *= GetParam();
    EXPECT_TRUE(agree(test::adjoint_of(*device_, scaled), test::exact_adjoint_of(scaled)));
    EXPECT_TRUE(agree(test::q_of(*device_, scaled, scaled.voxels),
                      test::exact_q_of(scaled, scaled.voxels)));
    EXPECT_TRUE(agree(test::forward_of(*device_, scaled), test::exact_forward_of(scaled)));
}

INSTANTIATE_TEST_SUITE_P(Scales, ExtremeNumbers,
                         testing::Values(1e-150, 1e-60, 1e-44, 1e-39, 1e36, 1e37, 1e150));

// What is negligible beside the largest value may be lost, and nothing else.
using WideRange = test::DeviceFixture;

TEST_F(WideRange, LosesWhatIsNegligible) {
    const test::Problem problem = problem_of_65_samples();
    const auto transforms = device();
    RealVector weights = problem.trajectory->weights;
    for (Eigen::Index m = 0; m < weights.size(); ++m) {
        weights(m) *= std::pow(10.0, static_cast<double>(m) - 32); // 1e-32 to 1e32
    }
    const auto q_by = [&](Transforms& by) {
        return q_on_host(by, problem.positions(), weights, problem.voxels, silent);
    };
    const OnHost q = q_by(*transforms);
    EXPECT_TRUE(near(q.values, q_by(*reference_transforms()).values,
                     q.error + tolerance::reference(10, 65)));
}

} // namespace
} // namespace lsrecon
