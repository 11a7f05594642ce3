// Which solver runs, and what the user hears of it.

#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "device/opencl/queue.hpp"
#include "encoding/solve.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/equations.hpp"
#include "support/findings.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

constexpr double lambda = 0.1;
constexpr double single = 1e-5; ///< smallest tolerance of single precision

using Codes = std::vector<std::string>;

class Solver : public test::DeviceFixture {
protected:
    test::Problem problem = test::make_problem({"solver", {9, 6, 0}, 300, 2});
    CoilRows no_maps;
    Reporter report;
    Findings found;

    std::unique_ptr<Transforms> with(double bytes, std::optional<Precision> precision = {}) {
        ComputeOptions options;
        options.device_memory = bytes;
        options.precision = precision;
        options.on_finding = [this](const Finding& finding) { found.push_back(finding); };
        return open_transforms(options);
    }

    /// Two problems of one operator.
    Solved solved(Transforms& transforms, const SolveOptions& options) {
        const Formulation formulation{problem.grid, problem.voxels, problem.voxels.on_lattice(),
                                      false};
        std::vector<Volume> right_hand_sides;
        for (Eigen::Index c = 0; c < problem.rho.rows(); ++c) {
            right_hand_sides.emplace_back(ComplexVector(problem.rho.row(c).transpose()));
        }
        return test::Equations(transforms, formulation, no_maps, *problem.trajectory)
            .solve(right_hand_sides, options, report);
    }

    static bool on_device(const Solved& solved) {
        return solved.solver.find("on the device") != std::string::npos;
    }
};

TEST_F(Solver, OnTheDeviceAgreesWithEigen) {
    const auto transforms = device();
    if (!opencl::Queue("").info().double_precision) {
        GTEST_SKIP() << "a device without double precision";
    }
    const SolveOptions tight{lambda, 200, 1e-9};
    const SolveOptions exactly{lambda, 200, 1e-12, &solver_named("eigen")};
    const Solved solved_here = solved(*transforms, tight);
    const Solved eigen = solved(*transforms, exactly);
    EXPECT_TRUE(on_device(solved_here)) << solved_here.solver;
    EXPECT_FALSE(on_device(eigen)) << eigen.solver;
    EXPECT_TRUE(test::near(solved_here.image, eigen.image,
                           tolerance::resident_solution(problem.voxels.count(),
                                                        std::numeric_limits<double>::epsilon() / 2,
                                                        tight.tolerance, lambda)));
    EXPECT_EQ(solved_here.residuals.size(), 2U);
    EXPECT_EQ(test::codes_of(report.findings()), Codes{});
}

TEST_F(Solver, ASystemThatDoesNotFitIsSolvedByEigen) {
    const auto transforms = with(1000);
    const SolveOptions options{lambda, 200, single};
    const Solved small = solved(*transforms, options);
    const auto of_solver = [](const Finding& finding) {
        return finding.code == Found::solver_on_cpu &&
               finding.word("why").find("MiB") != std::string::npos;
    };
    EXPECT_EQ(std::count_if(found.begin(), found.end(), of_solver), 1)
        << "once, for all problems of the system";
    EXPECT_FALSE(on_device(small)) << small.solver;
    // F^H d and Q came in other pieces, so that they are rounded otherwise.
    EXPECT_TRUE(test::near(small.image,
                           solved(*device(), {lambda, 200, single, &solver_named("eigen")}).image,
                           single));
    EXPECT_TRUE(on_device(solved(*with(1e6), options)));
}

TEST_F(Solver, ATighterToleranceThanFloatsKeepIsSolvedByEigen) {
    const auto transforms = with(0, Precision::float32);
    const Solved loose = solved(*transforms, {lambda, 200, single});
    EXPECT_NE(loose.solver.find("on the device, single precision"), std::string::npos)
        << loose.solver;
    EXPECT_EQ(test::codes_of(report.findings()), Codes{});
    const Solved tight = solved(*transforms, {lambda, 200, 0.5 * single});
    EXPECT_FALSE(on_device(tight)) << tight.solver;
    ASSERT_EQ(test::codes_of(report.findings()), Codes{"solved_on_cpu"});
    EXPECT_NE(report.findings().front().word("why").find("`tolerance`"), std::string::npos);
}

TEST_F(Solver, EigenDecidesWhatTheDeviceRefuses) {
    EXPECT_THROW(solved(*device(), {-100, 200, 1e-4}), ToleranceError);
    ASSERT_EQ(test::codes_of(report.findings()), Codes{"solved_on_cpu"});
    EXPECT_NE(report.findings().front().word("why").find("p^H A p"), std::string::npos);
}

TEST_F(Solver, VoxelsOffTheGridAreSolvedOnTheDeviceByFAndItsAdjoint) {
    problem = test::make_problem({"list", {9, 6, 0}, 300, 2, 7});
    const Solved solved_here = solved(*device(), {lambda, 200, single});
    EXPECT_TRUE(on_device(solved_here)) << solved_here.solver;
    EXPECT_NE(solved_here.solver.find("F and F^H"), std::string::npos) << solved_here.solver;
    EXPECT_EQ(test::codes_of(report.findings()), Codes{});
    const Solved eigen = solved(*device(), {lambda, 200, single, &solver_named("eigen")});
    EXPECT_FALSE(on_device(eigen)) << eigen.solver;
    EXPECT_TRUE(test::near(solved_here.image, eigen.image, single / lambda));
}

} // namespace
} // namespace lsrecon
