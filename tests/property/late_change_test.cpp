// What a solve says of its last iterations, against the images before and after them.

#include "solve/residuals.hpp"

#include <gtest/gtest.h>

#include "encoding/joint.hpp"
#include "engines/transforms.hpp"
#include "operators/gram.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::near;

class Late : public test::ArraysFixture {
protected:
    using Choices = std::vector<RegulariserChoice>;

    std::unique_ptr<System> system_of(const Choices& chosen) {
        return std::make_unique<System>(
            on.device(), on.precision,
            std::make_unique<Toeplitz>(on.device(), q, on.precision, maps), 1e-3,
            make_regularisers(chosen, {on.device(), on.precision, q.grid}));
    }
    SolveOptions options_of(const Choices& chosen, int iterations, double tolerance) {
        SolveOptions options;
        options.iterations = iterations;
        options.tolerance = tolerance;
        options.regularisers = chosen;
        return options;
    }
    double tight() const { return 10 * smallest_tolerance(unit_roundoff(on.precision)); }
    Solution solve(const Choices& chosen, int iterations, double tolerance) {
        return system_of(chosen)->solve(b, options_of(chosen, iterations, tolerance));
    }
    std::vector<Solved> solve_frames(const Choices& chosen, int iterations) {
        std::vector<JointFrame> frames;
        for (const Volume& fhd : {b, Volume(ComplexVector(2 * b.values().reverse()))}) {
            JointFrame frame;
            frame.system = system_of(chosen);
            frame.fhd = {fhd};
            frames.push_back(std::move(frame));
        }
        return solve_jointly(frames, no_maps, options_of(chosen, iterations, tight()), report);
    }
    std::unique_ptr<Transforms> reference = reference_transforms();
    Reporter report;
    CoilRows no_maps;
    test::Problem problem = [] {
        test::Case radial{"radial", {12, 13, 0}};
        radial.design = "radial";
        return test::make_problem(radial);
    }();
    Q q = compute_q(*reference, *problem.trajectory, problem.grid, report);
    Volume b = Volume(vector(problem.grid.voxels()));
    CoilMaps maps{reference->device(), no_maps}; // of no coil
};

TEST_P(Late, IsATenthOfTheIterationsAndOneAtLeast) {
    for (const auto& [all, late] : {std::pair<int, int>{1, 1}, {10, 1}, {11, 2}, {24, 3}}) {
        EXPECT_EQ(late_iterations(all), late);
    }
}

TEST_P(Late, OfConjugateGradientsAndOfSplitting) {
    for (const Choices& chosen : {Choices{}, Choices{{"tv", 0.02}}}) {
        const Solution after = solve(chosen, 12, tight());
        const Solution before = solve(chosen, 10, tight());
        ASSERT_EQ(after.stop, Stop::iterations);
        EXPECT_GT(relative_change(after.x, after.earlier), 1e-4);
        EXPECT_TRUE(near(after.earlier, before.x, bound(1000)));
        EXPECT_EQ(solve(chosen, 2000, 0.1).earlier.size(), 0) << "ended by the tolerance";
    }
}

TEST_P(Late, OfFramesThatAreSolvedTogether) {
    const Choices chosen{{"llr", 0.02}};
    const std::vector<Solved> after = solve_frames(chosen, 12);
    const std::vector<Solved> before = solve_frames(chosen, 10);
    for (std::size_t f = 0; f < after.size(); ++f) {
        EXPECT_GT(relative_change(after[f].image, after[f].earlier), 1e-4);
        EXPECT_TRUE(near(after[f].earlier, before[f].image, bound(1000)));
    }
}

TEST_P(Late, OfTheRootSumOfSquaresOfSeveralProblems) {
    const ComplexVector x = vector(5);
    const ComplexVector y = vector(5);
    const ComplexVector y_before = vector(5);
    Solved solved;
    add({x, {1, 0.1}, Stop::tolerance}, 1, 2, solved);
    add({y, {1, 0.1}, Stop::iterations, y_before}, 1, 2, solved);
    const RealVector image = (x.cwiseAbs2() + y.cwiseAbs2()).cwiseSqrt();
    const RealVector before = (x.cwiseAbs2() + y_before.cwiseAbs2()).cwiseSqrt();
    EXPECT_NEAR(relative_change(solved.image, solved.earlier),
                (image - before).norm() / image.norm(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Devices, Late, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
