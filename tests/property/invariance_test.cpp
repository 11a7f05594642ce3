// What does not change the answer, and what changes it in a known way.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "operators/q.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::near;
using test::Problem;
using test::silent;

constexpr double two_pi = 6.283185307179586;

Complex phase(double turns) {
    return std::polar(1.0, two_pi * turns);
}

double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double bound_of(const Problem& problem) {
    return 2 * tolerance::reference(problem.largest_turns(),
                                    problem.positions().size() + problem.voxels.count());
}

CoilMatrix fhd_of(const Problem& problem, const CoilMatrix& mu) {
    return adjoint_on_host(*reference_transforms(), problem.positions(), mu, problem.voxels, silent)
        .values;
}

CoilMatrix forward_of(const Problem& problem, const CoilMatrix& rho) {
    return forward_on_host(*reference_transforms(), problem.positions(), rho, problem.voxels,
                           silent)
        .values;
}

std::vector<Case> sizes_and_models() {
    std::vector<Case> all;
    for (const std::uint64_t seed : {1, 2, 3}) {
        for (const auto& size :
             {std::array<std::size_t, 3>{6, 4, 0}, {5, 9, 0}, {3, 4, 5}, {7, 7, 7}}) {
            Case of{"grid", size, 40, 2};
            of.phi = of.weights = true;
            of.seed = seed;
            all.push_back(of);
        }
    }
    return all;
}

class Invariance : public testing::TestWithParam<Case> {
protected:
    Problem problem = test::make_problem(GetParam());
};

TEST_P(Invariance, OrderOfTheSamplesDoesNotMatter) {
    const std::size_t count = problem.positions().size();
    const std::vector<std::size_t> order = test::Random(11).permutation(count);
    Trajectory shuffled = *problem.trajectory;
    CoilMatrix mu = problem.samples;
    for (std::size_t m = 0; m < count; ++m) {
        const auto to = static_cast<Eigen::Index>(m);
        const auto from = static_cast<Eigen::Index>(order[m]);
        shuffled.positions[m] = problem.positions()[order[m]];
        shuffled.phi(to) = problem.trajectory->phi(from);
        shuffled.weights(to) = problem.trajectory->weights(from);
        mu.col(to) = problem.samples.col(from);
    }
    const CoilMatrix fhd =
        adjoint_on_host(*reference_transforms(), shuffled.positions, mu, problem.voxels, silent)
            .values;
    EXPECT_TRUE(near(fhd, fhd_of(problem, problem.samples), bound_of(problem)));

    Reporter report;
    const auto transforms = reference_transforms();
    const Q q = compute_q(*transforms, shuffled, problem.grid, report);
    const Q ordered = compute_q(*transforms, *problem.trajectory, problem.grid, report);
    EXPECT_TRUE(near(q.half.values(), ordered.half.values(), 2 * bound_of(problem)));
}

TEST_P(Invariance, TransformsAreLinear) {
    const Complex a(2, -3);
    const CoilMatrix other = test::Random(12).matrix(2, problem.positions().size());
    EXPECT_TRUE(near(fhd_of(problem, a * problem.samples + other),
                     CoilMatrix(a * fhd_of(problem, problem.samples) + fhd_of(problem, other)),
                     4 * bound_of(problem)));
    const CoilMatrix volume = test::Random(13).matrix(2, problem.voxels.count());
    EXPECT_TRUE(near(forward_of(problem, a * problem.rho + volume),
                     CoilMatrix(a * forward_of(problem, problem.rho) + forward_of(problem, volume)),
                     4 * bound_of(problem)));
}

// Voxel n lies at (n - floor(N/2)) / N: the sample of that voxel alone is that phase, wherever the
// voxel is, on even and odd grids.
TEST_P(Invariance, ALoneVoxelIsThePhaseOfItsPosition) {
    const auto& size = problem.grid.size;
    for (const std::size_t n :
         {std::size_t(0), problem.voxels.count() / 3, problem.voxels.count() - 1}) {
        const std::array<std::size_t, 3> at{n % size[0], n / size[0] % size[1],
                                            n / size[0] / size[1]};
        Vec3 x{0, 0, 0};
        for (std::size_t d = 0; d < 3; ++d) {
            x[d] = (static_cast<double>(at[d]) - static_cast<double>(size[d] / 2)) /
                   static_cast<double>(size[d]);
        }
        CoilMatrix rho = CoilMatrix::Zero(1, static_cast<Eigen::Index>(problem.voxels.count()));
        rho(0, static_cast<Eigen::Index>(n)) = 1;
        CoilMatrix expected(1, static_cast<Eigen::Index>(problem.positions().size()));
        for (std::size_t m = 0; m < problem.positions().size(); ++m) {
            expected(0, static_cast<Eigen::Index>(m)) = phase(-dot(problem.positions()[m], x));
        }
        EXPECT_TRUE(near(forward_of(problem, rho), expected, bound_of(problem))) << "voxel " << n;
    }
}

// On whole k the transform is periodic in N: a circular shift by s voxels is exp(-i 2 pi k.s/N).
TEST_P(Invariance, ACircularShiftIsAPhaseOfCartesianSamples) {
    Case of = GetParam();
    of.design = "cartesian";
    const Problem cartesian = test::make_problem(of);
    const auto& size = cartesian.grid.size;
    const std::array<std::size_t, 3> shift{1, 3, size[2] > 1 ? 2U : 0U};
    CoilMatrix shifted(cartesian.rho.rows(), cartesian.rho.cols());
    for (std::size_t n = 0; n < cartesian.voxels.count(); ++n) {
        const std::size_t x = (n % size[0] + shift[0]) % size[0];
        const std::size_t y = (n / size[0] % size[1] + shift[1]) % size[1];
        const std::size_t z = (n / size[0] / size[1] + shift[2]) % size[2];
        shifted.col(static_cast<Eigen::Index>((z * size[1] + y) * size[0] + x)) =
            cartesian.rho.col(static_cast<Eigen::Index>(n));
    }
    CoilMatrix expected = forward_of(cartesian, cartesian.rho);
    for (std::size_t m = 0; m < cartesian.positions().size(); ++m) {
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            turns += cartesian.positions()[m][d] * static_cast<double>(shift[d]) /
                     static_cast<double>(size[d]);
        }
        expected.col(static_cast<Eigen::Index>(m)) *= phase(-turns);
    }
    EXPECT_TRUE(near(forward_of(cartesian, shifted), expected, 2 * bound_of(cartesian)));
}

// Anywhere in k, a shift of the voxels themselves is a phase of the samples.
TEST_P(Invariance, AShiftOfThePositionsIsAPhase) {
    const Vec3 shift{0.37, -1.21, 0.11};
    std::vector<Vec3> positions;
    for (std::size_t n = 0; n < problem.voxels.count(); ++n) {
        const Vec3 x = problem.voxels.position(n);
        positions.push_back({x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]});
    }
    Problem moved = problem;
    moved.voxels = Voxels::at(problem.grid, positions);
    CoilMatrix expected = forward_of(problem, problem.rho);
    for (std::size_t m = 0; m < problem.positions().size(); ++m) {
        expected.col(static_cast<Eigen::Index>(m)) *= phase(-dot(problem.positions()[m], shift));
    }
    EXPECT_TRUE(near(forward_of(moved, problem.rho), expected, 2 * bound_of(moved)));
}

TEST_P(Invariance, AListOfTheGridsVoxelsIsTheGrid) {
    std::vector<std::size_t> every(problem.voxels.count());
    for (std::size_t n = 0; n < every.size(); ++n) {
        every[n] = n;
    }
    Problem listed = problem;
    listed.voxels = problem.voxels.subset(every);
    EXPECT_EQ(fhd_of(listed, problem.samples), fhd_of(problem, problem.samples));
}

INSTANTIATE_TEST_SUITE_P(Cases, Invariance, testing::ValuesIn(sizes_and_models()));

} // namespace
} // namespace lsrecon
