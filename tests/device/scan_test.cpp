// What a lab has: designed trajectories of thousands of samples, whose energy sits in the centre.

#include <gtest/gtest.h>

#include "backend/reference/reference.hpp"
#include "base/tolerance.hpp"
#include "scan/simulate.hpp"
#include "solve/solve.hpp"
#include "stages/fhd.hpp"
#include "stages/mu.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::near;

class DeviceScan : public test::DeviceFixture, public testing::WithParamInterface<const char*> {
protected:
    Scan scan = simulated();
    std::unique_ptr<Backend> reference = make_reference_backend();
    Reporter report;
    Plan plan = make_plan(scan, false);
    const Frame& frame = scan.frames[0];

    static Scan simulated() {
        SimulationOptions options;
        options.trajectory = GetParam();
        options.sampling.grid = test::make_grid(32, 32);
        Reporter silent;
        return simulate(options, {}, silent).scan;
    }

    CoilMatrix fhd(Backend& backend) {
        const CoilMatrix mu = compute_mu(backend, frame, report);
        return compute_fhd(backend, plan, frame, mu, {}, report);
    }
    /// ||T|| / Q(0) by power iteration.
    double spread() {
        const auto t = gram(*reference);
        ComplexVector rho = test::Random(2).vector(scan.grid.voxels());
        for (int n = 0; n < 30; ++n) {
            rho = t->apply(rho / rho.norm());
        }
        return rho.norm() / t->diagonal();
    }
    std::unique_ptr<test::ReferenceSystem> gram(Backend& backend) {
        return std::make_unique<test::ReferenceSystem>(
            compute_q(backend, *frame.sampling, scan.grid, report));
    }
};

TEST_P(DeviceScan, FhdAndQStayWithinTheirBounds) {
    const CoilMatrix exact_fhd = fhd(*reference);
    const ComplexVector exact_q = compute_q(*reference, *frame.sampling, scan.grid, report).half;
    for (const std::string& kernel : kernel_names()) {
        const auto backend = device(kernel);
        const CoilMatrix of_device = fhd(*backend);
        EXPECT_TRUE(near(of_device, exact_fhd, backend->error_bound() + tolerance::mu())) << kernel;
        const ComplexVector q = compute_q(*backend, *frame.sampling, scan.grid, report).half;
        EXPECT_TRUE(near(q, exact_q, backend->error_bound())) << kernel;
    }
}

TEST_P(DeviceScan, OperatorStaysWithinItsBound) {
    const ComplexVector rho = test::Random(1).vector(scan.grid.voxels());
    const ComplexVector exact = gram(*reference)->apply(rho);
    for (const std::string& kernel : kernel_names()) {
        const auto backend = device(kernel);
        const ComplexVector product = gram(*backend)->apply(rho);
        EXPECT_TRUE(near(product, exact, tolerance::gram(backend->error_bound()))) << kernel;
    }
}

TEST_P(DeviceScan, SolutionStaysWithinItsBound) {
    const CoilMatrix no_maps;
    const double spread_of_t = spread();
    for (const double lambda : {0.1, 0.01}) {
        const auto solved = [&](Backend& backend) {
            const auto make_q = [&](const Sampling& sampling) {
                return compute_q(backend, sampling, scan.grid, report);
            };
            const CommonToFrames common{backend, plan, no_maps, lambda, make_q};
            NormalEquations equations(common, *frame.sampling);
            return solve(equations, fhd(backend), {lambda, 200, 1e-7, false}, report).rho;
        };
        const CoilMatrix exact = solved(*reference);
        for (const std::string& kernel : kernel_names()) {
            const auto backend = device(kernel);
            const CoilMatrix of_device = solved(*backend);
            EXPECT_TRUE(near(of_device, exact,
                             tolerance::solution(backend->error_bound(), lambda, spread_of_t)))
                << kernel << ", lambda " << lambda;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Trajectories, DeviceScan,
                         testing::Values("spiral", "radial", "cartesian", "random"),
                         [](const auto& of) { return std::string(of.param); });

} // namespace
} // namespace lsrecon
