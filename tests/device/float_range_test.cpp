// Numbers far from 1 on a device that computes in floats.

#include <gtest/gtest.h>

#include "backend/opencl/float_range.hpp"
#include "backend/reference/reference.hpp"
#include "base/tolerance.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;
using test::silent;

TEST(FloatRange, OnlyWhatLeavesTheRoomOfFloatsIsScaled) {
    const auto exponent = [](double largest) {
        RealVector values(3);
        values << 0, -largest, largest / 3;
        return opencl::float_exponent(values);
    };
    for (const double ordinary : {1.0, 1e-9, 1e9}) {
        EXPECT_EQ(exponent(ordinary), 0) << ordinary;
    }
    for (const double extreme : {1e-310, 1e-40, 1e40, 1e308}) {
        const double scaled = std::ldexp(extreme, -exponent(extreme));
        EXPECT_GE(scaled, 0.5) << extreme;
        EXPECT_LT(scaled, 1) << extreme;
    }
    EXPECT_EQ(exponent(0), 0);
    EXPECT_EQ(exponent(std::numeric_limits<double>::infinity()), 0);
    EXPECT_EQ(opencl::float_exponent(RealVector()), 0);
}

TEST(FloatRange, APowerOfTwoChangesNoDigit) {
    const ComplexVector values = test::Random(1).vector(20);
    const ComplexVector there = opencl::times_power_of_two(values, -900);
    EXPECT_EQ(opencl::times_power_of_two(there, 900), values);
    EXPECT_EQ(opencl::times_power_of_two(opencl::times_power_of_two(values, 500), -500), values);
}

test::Problem problem_of_65_samples() {
    test::Case of{"extreme", {9, 7, 0}, 65, 2};
    of.phi = of.weights = true;
    return test::make_problem(of);
}

class ExtremeNumbers : public test::DeviceFixture, public testing::WithParamInterface<double> {
protected:
    std::unique_ptr<Backend> device_ = device();
    std::unique_ptr<Backend> reference_ = make_reference_backend();
    test::Problem problem_ = problem_of_65_samples();
};

TEST_P(ExtremeNumbers, MuIsThatOfTheReference) {
    for (const int part : {0, 1, 2}) {
        Sampling sampling = *problem_.sampling;
        CoilMatrix samples = problem_.samples;
        if (part == 0) {
            sampling.phi *= GetParam();
        } else if (part == 1) {
            sampling.weights *= GetParam();
        } else {
            samples *= GetParam();
        }
        EXPECT_TRUE(near(device_->mu(sampling, samples), reference_->mu(sampling, samples),
                         tolerance::mu()))
            << "part " << part;
    }
}

TEST_P(ExtremeNumbers, TransformsAreThoseOfTheReference) {
    const auto bound = [&] { return device_->error_bound() + tolerance::reference(10, 65); };
    const auto& k = problem_.trajectory();
    const CoilMatrix values = GetParam() * problem_.samples;
    const CoilMatrix fhd = device_->fhd(k, values, problem_.voxels, silent);
    EXPECT_TRUE(near(fhd, reference_->fhd(k, values, problem_.voxels, silent), bound()));
    const RealVector weights = GetParam() * problem_.sampling->weights;
    const ComplexVector q = device_->q(k, weights, problem_.voxels, silent);
    EXPECT_TRUE(near(q, reference_->q(k, weights, problem_.voxels, silent), bound()));
    const CoilMatrix rho = GetParam() * problem_.rho;
    const CoilMatrix f = device_->forward(k, rho, problem_.voxels, silent);
    EXPECT_TRUE(near(f, reference_->forward(k, rho, problem_.voxels, silent), bound()));
}

INSTANTIATE_TEST_SUITE_P(Scales, ExtremeNumbers,
                         testing::Values(1e-150, 1e-60, 1e-44, 1e-39, 1e36, 1e37, 1e150));

// What is negligible beside the largest value may be lost, and nothing else.
using WideRange = test::DeviceFixture;

TEST_F(WideRange, LosesWhatIsNegligible) {
    const test::Problem problem = problem_of_65_samples();
    const auto backend = device();
    RealVector weights = problem.sampling->weights;
    for (Eigen::Index m = 0; m < weights.size(); ++m) {
        weights(m) *= std::pow(10.0, static_cast<double>(m) - 32); // 1e-32 to 1e32
    }
    const auto& k = problem.trajectory();
    const ComplexVector q = backend->q(k, weights, problem.voxels, silent);
    EXPECT_TRUE(near(q, make_reference_backend()->q(k, weights, problem.voxels, silent),
                     backend->error_bound() + tolerance::reference(10, 65)));
}

} // namespace
} // namespace lsrecon
