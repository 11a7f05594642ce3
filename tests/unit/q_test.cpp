#include "operators/q.hpp"

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/transforms.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

using test::exact_q;

Complex value(const Q& q, long x, long y, long z = 0) {
    return QValues(q.grid, q.half.values()).at(x, y, z);
}

test::Problem problem_of_size(const std::array<std::size_t, 3>& size) {
    test::Case of;
    of.size = size;
    of.samples = 5;
    of.phi = true;
    of.weights = true;
    return test::make_problem(of);
}

TEST(Q, ExtentsAreTwiceTheGrid) {
    EXPECT_EQ(q_extents(test::make_grid(3, 4)), (std::array<std::size_t, 3>{6, 8, 1}));
    EXPECT_EQ(q_extents(test::make_grid(3, 4, 1)), (std::array<std::size_t, 3>{6, 8, 2}));
}

// One sample at k = (1, 0), weight 3: Q(d) = 3 exp(i 2 pi dx / 4).
TEST(Q, ByHand) {
    Trajectory trajectory;
    trajectory.positions = {{1, 0, 0}};
    trajectory.weights = RealVector::Constant(1, 3);
    const Q q = exact_q(trajectory, test::make_grid(4, 2));
    const double bound = 3 * tolerance::reference(1, 1);
    for (long y = -1; y <= 1; ++y) {
        EXPECT_LE(std::abs(value(q, 0, y) - 3.0), bound);
        EXPECT_LE(std::abs(value(q, 1, y) - Complex(0, 3)), bound);
        EXPECT_LE(std::abs(value(q, 2, y) + 3.0), bound);
        EXPECT_LE(std::abs(value(q, -1, y) - Complex(0, -3)), bound);
    }
}

TEST(Q, IsZeroWhereADifferenceWouldBeMinusN) {
    for (const auto& size : {std::array<std::size_t, 3>{4, 3, 0}, {3, 2, 4}, {1, 1, 1}}) {
        const Q q = exact_q(*problem_of_size(size).trajectory, problem_of_size(size).grid);
        const std::array<std::size_t, 3> extents = q_extents(q.grid);
        const auto nx = static_cast<long>(extents[0] / 2);
        const auto ny = static_cast<long>(extents[1] / 2);
        const auto nz = static_cast<long>(extents[2] / 2); // 0 in two dimensions
        for (long z = -nz; z < std::max(nz, 1L); ++z) {
            for (long y = -ny; y < ny; ++y) {
                for (long x = -nx; x < nx; ++x) {
                    const bool minus_n = x == -nx || y == -ny || (nz > 0 && z == -nz);
                    const Complex at = value(q, x, y, z);
                    EXPECT_EQ(at == Complex(0), minus_n) << x << " " << y << " " << z << ": " << at;
                }
            }
        }
    }
}

TEST(Q, IsHermitianToTheLastBit) {
    const Q q = exact_q(*problem_of_size({3, 4, 2}).trajectory, problem_of_size({3, 4, 2}).grid);
    for (long z = -1; z <= 1; ++z) {
        for (long y = -3; y <= 3; ++y) {
            for (long x = -2; x <= 2; ++x) {
                EXPECT_EQ(value(q, x, y, z), std::conj(value(q, -x, -y, -z)))
                    << x << " " << y << " " << z;
            }
        }
    }
}

TEST(Q, AtZeroIsTheSumOfTheWeights) {
    const test::Problem problem = problem_of_size({4, 3, 0});
    const Q q = exact_q(*problem.trajectory, problem.grid);
    const double sum = problem.trajectory->q_weights().sum();
    EXPECT_NEAR(q.at_zero(), sum, sum * tolerance::reference(0, 5));
    EXPECT_EQ(value(q, 0, 0).imag(), 0);
}

TEST(Q, KeyFollowsWhatQDependsOnAndNothingElse) {
    const test::Problem problem = problem_of_size({4, 3, 0});
    const std::string key = q_key(*problem.trajectory, problem.grid);
    EXPECT_EQ(key.size(), 64U);
    Grid moved = problem.grid;
    moved.position = Vec3{1, 2, 3};
    moved.fov_mm = {1, 1, 1};
    EXPECT_EQ(q_key(*problem.trajectory, moved), key) << "Q knows nothing of the patient";

    EXPECT_NE(q_key(*problem.trajectory, test::make_grid(3, 4)), key);
    EXPECT_NE(q_key(*problem.trajectory, test::make_grid(4, 3, 1)), key);
    Trajectory other = *problem.trajectory;
    other.positions[4][1] += 1e-12;
    EXPECT_NE(q_key(other, problem.grid), key);
    other = *problem.trajectory;
    other.weights(0) *= 1.0001;
    EXPECT_NE(q_key(other, problem.grid), key);
    other = *problem.trajectory;
    other.phi(2) *= 2;
    EXPECT_NE(q_key(other, problem.grid), key);
}

TEST(Q, KeyOfNoWeightsIsThatOfOnes) {
    Trajectory bare;
    bare.positions = {{1, 0, 0}, {0, 1, 0}};
    Trajectory ones = bare;
    ones.phi = ComplexVector::Ones(2);
    ones.weights = RealVector::Ones(2);
    EXPECT_EQ(q_key(bare, test::make_grid(4, 4)), q_key(ones, test::make_grid(4, 4)));
}

TEST(Q, AtAListOfVoxelsIsQThere) {
    const test::Problem problem = problem_of_size({4, 3, 0});
    Reporter report;
    const CoilMatrix listed =
        compute_q_at(*reference_transforms(), *problem.trajectory,
                     Voxels::at(problem.grid, {{0, 0, 0}, {0.25, -1.0 / 3, 0}}), report)
            .values;
    const Q q = exact_q(*problem.trajectory, problem.grid);
    const double bound = std::abs(listed(0)) * tolerance::reference(4, 5);
    EXPECT_LE(std::abs(listed(0) - value(q, 0, 0)), bound);
    EXPECT_LE(std::abs(listed(1) - value(q, 1, -1)), bound);
}

/// Transforms of this bound, exact or not; with an accuracy that the user asks for, or the image.
std::unique_ptr<Transforms> transforms_of(double bound, bool exact, double accuracy = 0,
                                          bool of_image = false) {
    std::vector<Engine> table = engines();
    for (Engine& engine : table) {
        engine.exact = exact;
        engine.predict = [bound](const EngineFacts&, const Variant&, const std::string&,
                                 const SamplePoints&, const Voxels&) {
            Cost cost;
            cost.error = bound;
            return cost;
        };
    }
    ComputeOptions options = test::on_reference();
    options.accuracy = accuracy;
    options.accuracy_is_of_image = of_image;
    return open_transforms(options, table);
}

TEST(Q, OfAFileIsAsExactAsWhatIsAskedFor) {
    const test::Problem problem = problem_of_size({4, 3, 0});
    const auto largest = [&](const std::unique_ptr<Transforms>& transforms) {
        return largest_q_error(*transforms, *problem.trajectory, problem.grid);
    };
    for (const bool exact : {false, true}) {
        EXPECT_EQ(largest(transforms_of(6e-4, exact, 1e-3)), 1e-3);
    }
    EXPECT_EQ(largest(transforms_of(6e-4, false, 1e-3, true)), 1e-3) << "what the image needs";
    EXPECT_EQ(largest(transforms_of(6e-4, false)), 6e-4) << "what this run would make";
    EXPECT_EQ(largest(transforms_of(6e-7, true)), 6e-6) << "of another exact engine";
}

TEST(Q, IsMadeWithTheBoundOfItsEngine) {
    const test::Problem problem = problem_of_size({4, 3, 0});
    const Voxels half = Voxels::half_differences(problem.grid);
    for (const double requested : {0.0, 1e-3}) {
        EXPECT_EQ(
            making_of_q(*transforms_of(6e-4, false, requested), *problem.trajectory, half).accuracy,
            6e-4);
    }
    EXPECT_EQ(making_of_q(*transforms_of(6e-14, true), *problem.trajectory, half).accuracy,
              unit_roundoff(Precision::float64));
}

} // namespace
} // namespace lsrecon
