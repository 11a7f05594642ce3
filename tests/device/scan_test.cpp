// What a lab has: designed trajectories of thousands of samples, whose energy sits in the centre.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "encoding/encoding.hpp"
#include "encoding/solve.hpp"
#include "engines/transforms.hpp"
#include "simulate/simulate.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/equations.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::near;

class DeviceScan : public test::DeviceFixture, public testing::WithParamInterface<const char*> {
protected:
    Scan scan = simulated();
    std::unique_ptr<Transforms> reference = reference_transforms();
    Reporter report;
    Formulation formulation = formulate(scan);
    const Frame& frame = scan.frames[0];

    static Scan simulated() {
        SimulationOptions options;
        options.design = GetParam();
        options.trajectory.grid = test::make_grid(32, 32);
        Reporter silent;
        return simulate(options, {}, silent).scan;
    }

    FhdOnHost fhd(Transforms& transforms) {
        return fhd_on_host(transforms, formulation.voxels, frame, {}, report);
    }
    Q q(Transforms& transforms) {
        return compute_q(transforms, *frame.trajectory, scan.grid, report);
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
    std::unique_ptr<test::ReferenceSystem> gram(Transforms& transforms) {
        return std::make_unique<test::ReferenceSystem>(q(transforms));
    }
};

TEST_P(DeviceScan, FhdAndQStayWithinTheirBounds) {
    const CoilMatrix exact_fhd = fhd(*reference).values;
    const ComplexVector exact_q = q(*reference).half.values();
    for (const std::string& kernel : kernel_names()) {
        const auto transforms = device(kernel);
        const FhdOnHost of_device = fhd(*transforms);
        EXPECT_TRUE(near(of_device.values, exact_fhd, of_device.error + tolerance::mu())) << kernel;
        const Q q_of_device = q(*transforms);
        EXPECT_TRUE(near(q_of_device.half.values(), exact_q, q_of_device.error)) << kernel;
    }
}

TEST_P(DeviceScan, OperatorStaysWithinItsBound) {
    const ComplexVector rho = test::Random(1).vector(scan.grid.voxels());
    const ComplexVector exact = gram(*reference)->apply(rho);
    for (const std::string& kernel : kernel_names()) {
        const auto transforms = device(kernel);
        const Q q_of_device = q(*transforms);
        const ComplexVector product = test::ReferenceSystem(q_of_device).apply(rho);
        EXPECT_TRUE(near(product, exact, tolerance::gram(q_of_device.error))) << kernel;
    }
}

TEST_P(DeviceScan, SolutionStaysWithinItsBound) {
    struct WithError {
        ComplexVector image;
        double error;
    };
    const CoilRows no_maps;
    const double spread_of_t = spread();
    for (const double lambda : {0.1, 0.01}) {
        const auto solved = [&](Transforms& transforms) -> WithError {
            const test::Equations by(transforms, formulation, no_maps, *frame.trajectory);
            const RightHandSides b = by.encoding.adjoint(frame.samples);
            return {by.solve(b.volumes, {lambda, 200, 1e-7, &solver_named("eigen")}, report).image,
                    by.error(b)};
        };
        const ComplexVector exact = solved(*reference).image;
        for (const std::string& kernel : kernel_names()) {
            const WithError of_device = solved(*device(kernel));
            EXPECT_TRUE(near(of_device.image, exact,
                             tolerance::solution(of_device.error, lambda, spread_of_t)))
                << kernel << ", lambda " << lambda;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Trajectories, DeviceScan,
                         testing::Values("spiral", "radial", "cartesian", "random"),
                         [](const auto& of) { return std::string(of.param); });

} // namespace
} // namespace lsrecon
