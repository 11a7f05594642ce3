// The normal equations on the device, by kernels and by the host's loops, not only what the device
// would choose.

#include "solve/system.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "device/host_device.hpp"
#include "device/opencl/opencl_device.hpp"
#include "encoding/solve.hpp"
#include "operators/gram.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/engines.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::Make;
using test::makes;
using test::near;

/// The double operator and the device's, of one Q.
struct Systems {
    Systems(const test::Case& of, double shift) : problem(test::make_problem(of)), lambda(shift) {}

    test::Problem problem;
    double lambda;
    DeviceInfo info = opencl::Queue("").info();
    Q q = test::exact_q(*problem.trajectory, problem.grid);
    CoilRows coil_maps = problem.coil_maps;
    std::unique_ptr<Device> reference = make_reference_device();
    std::map<bool, std::unique_ptr<Device>> devices;
    std::map<Device*, std::unique_ptr<CoilMaps>> maps;

    std::unique_ptr<System> in_double() { return on(*reference, Precision::float64); }
    std::unique_ptr<System> resident(const Make& make) {
        std::unique_ptr<Device>& device = devices[make.kernels];
        if (!device) {
            auto queue = std::make_unique<opencl::Queue>("");
            device = make.kernels ? opencl::make_opencl_device(std::move(queue))
                                  : opencl::make_cpu_device(std::move(queue));
        }
        return on(*device, make.precision);
    }
    std::unique_ptr<System> on(Device& device, Precision precision) {
        std::unique_ptr<CoilMaps>& there = maps[&device];
        if (!there) {
            there = std::make_unique<CoilMaps>(device, coil_maps);
        }
        auto gram = std::make_unique<Toeplitz>(device, q, precision, *there);
        return std::make_unique<System>(device, precision, std::move(gram), lambda);
    }
    /// Plans of VkFFT take a CPU's compiler seconds each: there, where they are not the solver's,
    /// single precision and two dimensions will do.
    std::vector<Make> all_makes() const {
        std::vector<Make> all = makes(info);
        const bool is_cpu = info.type == "cpu";
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [&](const Make& make) {
                                     return is_cpu && make.kernels &&
                                            (make.precision == Precision::float64 ||
                                             problem.grid.dimensions == 3);
                                 }),
                  all.end());
        return all;
    }
    std::vector<Make> in_single() const {
        std::vector<Make> all = all_makes();
        all.erase(
            std::remove_if(all.begin(), all.end(),
                           [](const Make& make) { return make.precision == Precision::float64; }),
            all.end());
        return all;
    }
    Solution eigen(const ComplexVector& b, const SolveOptions& options) {
        const std::unique_ptr<System> system = in_double();
        return conjugate_gradient([&](const ComplexVector& x) { return system->apply(x); }, b,
                                  options);
    }
};

test::Case awkward(const std::array<std::size_t, 3>& size, std::size_t maps) {
    test::Case of{"system", size, 3 * size[0] * size[1] * std::max<std::size_t>(size[2], 1), 1};
    of.coils = std::max<std::size_t>(maps, 1);
    of.coil_maps = maps > 0;
    of.weights = true;
    return of;
}

class SystemOnDevice : public test::DeviceFixture {
protected:
    /// 2D, odd, prime, unequal, one voxel, a flat volume; with and without coil maps.
    static std::vector<test::Case> cases() {
        return {awkward({15, 15, 0}, 0), awkward({47, 3, 0}, 0), awkward({8, 5, 0}, 3),
                awkward({1, 1, 0}, 0),   awkward({5, 4, 7}, 2),  awkward({6, 7, 1}, 0),
                awkward({1, 9, 2}, 0)};
    }
};

TEST_F(SystemOnDevice, ProductIsThatOfDoublePrecision) {
    for (const test::Case& of : cases()) {
        Systems systems(of, 0.03);
        const ComplexVector x = systems.problem.rho.row(0).transpose();
        const ComplexVector exact = systems.in_double()->apply(x);
        for (const Make& make : systems.all_makes()) {
            EXPECT_TRUE(
                near(systems.resident(make)->apply(x), exact,
                     tolerance::resident_product(systems.problem.voxels.count(), make.epsilon())))
                << make << " " << testing::PrintToString(of);
        }
    }
}

TEST_F(SystemOnDevice, SolvesAsEigenDoes) {
    const double lambda = 0.1;
    for (const test::Case& of : cases()) {
        Systems systems(of, lambda);
        const ComplexVector b = systems.in_double()->apply(systems.problem.rho.row(0).transpose());
        const Solution exact = systems.eigen(b, {lambda, 1000, 1e-14});
        for (const Make& make : systems.all_makes()) {
            const SolveOptions options{lambda, 200, smallest_tolerance(make.epsilon())};
            const std::size_t like_this = systems.eigen(b, options).residuals.size();
            const auto system = systems.resident(make);
            const Solution solution = system->solve(Volume(b), options);
            EXPECT_TRUE(
                near(solution.x, exact.x,
                     tolerance::resident_solution(systems.problem.voxels.count(), make.epsilon(),
                                                  options.tolerance, lambda)))
                << make << " " << testing::PrintToString(of);
            EXPECT_EQ(solution.residuals.front(), 1);
            EXPECT_LE(solution.residuals.back(), options.tolerance);
            EXPECT_LE(solution.residuals.size(), like_this + 1);
        }
    }
}

// Conjugate gradients that lose their orthogonality make other images of the same number of
// iterations. This scan is badly conditioned: single precision is 5 % off, double precision 1e-7.
TEST_F(SystemOnDevice, AnImageStoppedEarlyIsEigensInDoublePrecision) {
    test::Case radial = awkward({12, 12, 12}, 0);
    radial.design = "radial-3d";
    radial.samples = 1700;
    radial.weights = false;
    Systems systems(radial, 0);
    const ComplexVector b = systems.in_double()->apply(systems.problem.rho.row(0).transpose());
    const SolveOptions options{0, 10, 1e-12};
    const ComplexVector eigen = systems.eigen(b, options).x;
    const DeviceInfo& device = systems.info;
    if (!device.double_precision) {
        GTEST_SKIP() << "a device without double precision";
    }
    const auto system = systems.resident({device.type != "cpu", Precision::float64});
    EXPECT_TRUE(near(system->solve(Volume(b), options).x, eigen, 1e-5));
}

TEST_F(SystemOnDevice, TheIterationLimitEndsIt) {
    Systems systems(awkward({15, 15, 0}, 0), 0.001);
    const ComplexVector b = systems.problem.rho.row(0).transpose();
    for (const Make& make : systems.in_single()) {
        for (const int iterations : {1, 3}) {
            const Solution solution =
                systems.resident(make)->solve(Volume(b), {0.001, iterations, 1e-5});
            ASSERT_EQ(solution.residuals.size(), static_cast<std::size_t>(iterations) + 1);
            const double truth = (b - systems.in_double()->apply(solution.x)).norm() / b.norm();
            const double bound = tolerance::resident_product(225, tolerance::eps);
            EXPECT_NEAR(solution.residuals.back(), truth, bound * truth + 10 * tolerance::eps)
                << make;
        }
    }
}

TEST_F(SystemOnDevice, TwoRunsAreEqualToTheLastBit) {
    const SolveOptions options{0.01, 20, 1e-5};
    Systems systems(awkward({40, 33, 0}, 2), 0.01); // several groups in a dot product
    for (const Make& make : systems.all_makes()) {
        const ComplexVector b = systems.problem.rho.row(0).transpose();
        const auto system = systems.resident(make);
        const Solution one = system->solve(Volume(b), options);
        // What the system did before must not matter, nor which system it is.
        system->solve(Volume(3 * b.reverse()), options);
        const auto fresh = systems.resident(make);
        for (System* const again : {system.get(), fresh.get()}) {
            const Solution two = again->solve(Volume(b), options);
            EXPECT_EQ(one.x, two.x) << make;
            EXPECT_EQ(one.residuals, two.residuals) << make;
        }
    }
}

// Squares of these leave the range of floats; neither unit is the solver's.
TEST_F(SystemOnDevice, UnitsDoNotMatter) {
    Systems systems(awkward({8, 5, 0}, 3), 0.1);
    const Volume half = systems.q.half;
    const ComplexVector b = systems.problem.rho.row(0).transpose();
    const SolveOptions options{0.1, 30, 1e-5};
    for (const Make& make : systems.in_single()) {
        systems.q.half = half;
        const Solution plain = systems.resident(make)->solve(Volume(b), options);
        systems.q.half = Volume(half.values() * 1e25);
        const Solution scaled = systems.resident(make)->solve(Volume(1e-30 * b), options);
        EXPECT_TRUE(near(ComplexVector(1e55 * scaled.x), plain.x, 100 * tolerance::eps)) << make;
    }
}

TEST_F(SystemOnDevice, NothingToSolveGivesZero) {
    Systems systems(awkward({8, 5, 0}, 0), 0);
    for (const Make& make : systems.in_single()) {
        const Solution solution =
            systems.resident(make)->solve(Volume(ComplexVector::Zero(40)), {});
        EXPECT_EQ(solution.x, ComplexVector::Zero(40)) << make;
        EXPECT_EQ(solution.residuals, std::vector<double>{0}) << make;
    }
}

TEST_F(SystemOnDevice, ANegativeOperatorIsRefused) {
    Systems systems(awkward({8, 5, 0}, 0), -100);
    const ComplexVector b = systems.problem.rho.row(0).transpose();
    for (const Make& make : systems.in_single()) {
        EXPECT_THROW(systems.resident(make)->solve(Volume(b), {}), ToleranceError) << make;
    }
}

TEST_F(SystemOnDevice, ARightHandSideThatIsNotFiniteIsRefused) {
    Systems systems(awkward({8, 5, 0}, 0), 0.1);
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        ComplexVector b = systems.problem.rho.row(0).transpose();
        b(3) = bad;
        for (const Make& make : systems.in_single()) {
            EXPECT_THROW(systems.resident(make)->solve(Volume(b), {}), ToleranceError) << make;
        }
    }
}

} // namespace
} // namespace lsrecon
