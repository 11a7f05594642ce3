// Regularisers on every device: differences against the definition, solutions against those that
// are known.

#include "operators/regularisers.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "operators/differences.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/splitting.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using test::near;

using Regularisers = test::ArraysFixture;

TEST_P(Regularisers, DifferencesAreThoseOfNeighbours) {
    const Grid grid = make_grid(3, 2);
    ComplexVector values(6);
    values << 1, 4, 9, Complex(0, 1), 7, 2;
    Differences differences(on.device(), grid);
    Array out = on.device().zeros(12, {true, on.precision});
    differences.apply(of(values), out);
    ComplexVector expected(12);
    expected << 3, 5, 0, Complex(7, -1), -5, 0, // along x
        Complex(-1, 1), 3, -7, 0, 0, 0; // along y
    EXPECT_TRUE(near(on.device().download(out), expected, bound()));
}

TEST_P(Regularisers, EdgesOfAnotherImageWeighDifferences) {
    // Steps 0, -2, 0 of magnitudes, whose mean square is 4/3: half its root, squared, is 1/3, and
    // the weights are 1, 1 / 13, 1, and 1 at the end.
    const Grid grid = make_grid(4, 1);
    PriorImage prior{"prior.h5", ComplexVector(4)};
    prior.values << 3, Complex(0, 3), -1, 1;
    ComplexVector in(4);
    in << 1, 2, 6, Complex(0, 8);
    const std::vector<RegulariserTerm> terms =
        make_regularisers({{"anatomical", 1}}, {on.device(), on.precision, grid, &prior});
    Array out = on.device().zeros(8, {true, on.precision});
    terms[0].k->apply(of(in), out);
    ComplexVector expected = ComplexVector::Zero(8);
    expected.head(4) << 1, 4 / std::sqrt(13.0), Complex(-6, 8), 0;
    EXPECT_TRUE(near(on.device().download(out), expected, bound()));
    prior.values.setConstant(Complex(0, 2));
    EXPECT_THROW(require_prior({{"anatomical", 1}}, prior, grid), InputError);
    require_prior({{"prior", 1}}, prior, grid); // has a use for it
}

// Whose coil maps see no object there: the image is 0 in those voxels, and it has no edge to them.
TEST_P(Regularisers, DifferencesWithAnEndThatIsNotSeenAreLeftOut) {
    const Grid grid = make_grid(3, 2, 2);
    RealVector seen = RealVector::Ones(12);
    seen(1) = 0;
    seen(8) = 0;
    const PriorImage prior{"prior.h5", vector(grid.voxels())};
    const ComplexVector in = vector(grid.voxels());
    for (const char* name : {"roughness", "tv", "anatomical"}) {
        const auto differences = [&](const RealVector* of_seen) {
            const std::vector<RegulariserTerm> terms = make_regularisers(
                {{name, 1}}, {on.device(), on.precision, grid, &prior, nullptr, of_seen});
            Array out = on.device().zeros(36, {true, on.precision});
            terms[0].k->apply(of(in), out);
            return on.device().download(out);
        };
        ComplexVector expected = differences(nullptr);
        for (const Eigen::Index left_out : {0, 1, 7, 8, 12 + 1, 12 + 8, 24 + 1, 24 + 2}) {
            expected(left_out) = 0; // along x from 0, 1, 7 and 8, along y from 1, along z from both
        }
        EXPECT_TRUE(near(differences(&seen), expected, bound())) << name;
    }
}

/// Corners of a box within those of k-space, so that `band` has frequencies to keep.
std::vector<Vec3> corners_of_half(const Grid& grid) {
    std::vector<Vec3> corners(8);
    for (std::size_t corner = 0; corner < corners.size(); ++corner) {
        for (std::size_t d = 0; d < 3; ++d) {
            const auto quarter = static_cast<double>(grid.size[d] / 4);
            corners[corner][d] = (corner >> d & 1U) != 0 ? quarter : -quarter;
        }
    }
    return corners;
}

TEST_P(Regularisers, OfEveryRowHaveAnAdjointAndSayWhetherItInverts) {
    for (const Grid& grid : {make_grid(1, 1), make_grid(7, 1), make_grid(5, 66), make_grid(3, 4, 5),
                             make_grid(65, 2, 1)}) {
        const PriorImage prior{"prior.h5", vector(grid.voxels())};
        const std::vector<Vec3> positions = corners_of_half(grid);
        const RealVector some =
            (vector(grid.voxels()).real().array() > -0.3).cast<double>().matrix();
        for (const Regulariser& row : regularisers()) {
            if (row.require != nullptr && grid.voxels() == 1) {
                continue; // a prior image of one voxel has no edges
            }
            for (const RealVector* const seen : {static_cast<const RealVector*>(nullptr), &some}) {
                const std::vector<RegulariserTerm> terms = make_regularisers(
                    {{row.name, 1}}, {on.device(), on.precision, grid, &prior, &positions, seen});
                Operator& k = *terms[0].k;
                const auto apply = [&](const ComplexVector& in) {
                    Array out = on.device().zeros(k.outputs(), {true, on.precision});
                    k.apply(of(in), out);
                    return on.device().download(out);
                };
                const auto adjoint = [&](const ComplexVector& in) {
                    Array out = on.device().zeros(k.inputs(), {true, on.precision});
                    k.adjoint(of(in), out);
                    return on.device().download(out);
                };
                EXPECT_TRUE(test::adjoint_test(apply, adjoint, k.inputs(), k.outputs(), bound(64)))
                    << row.name;
                EXPECT_EQ(row.volumes(grid).is_isometry, k.is_isometry()) << row.name;
                if (k.is_isometry()) {
                    const ComplexVector x = vector(k.inputs());
                    EXPECT_TRUE(near(adjoint(apply(x)), x, bound(72))) << row.name;
                }
            }
        }
    }
}

TEST_P(Regularisers, QuadraticOnesJoinTheNormalEquations) {
    // (1 + 2 D^H D) x = b for two voxels: D^H D = [1 -1; -1 1].
    const Grid grid = make_grid(2, 1);
    test::Diagonal one(on.device(), 2);
    const std::vector<RegulariserTerm> terms =
        make_regularisers({{"roughness", 2}}, {on.device(), on.precision, grid});
    ASSERT_FALSE(terms[0].proximal);
    Regularised a(on.device(), on.precision, one, 0, {{terms[0].k.get(), terms[0].weight}});
    ComplexVector b(2);
    b << 5, Complex(0, 10);
    SolveOptions options;
    options.tolerance = 1e3 * on.epsilon();
    const Solution solution =
        conjugate_gradient(on.device(), a, on.precision, nullptr, Volume(b), options);
    ComplexVector expected(2);
    expected << Complex(3, 4), Complex(2, 6);
    EXPECT_TRUE(near(solution.x, expected, 1e3 * on.epsilon()));
}

/// J = 1/2 ||rho||^2 + weight / 2 ||K (rho - target)||^2, whose gradient the normal equations take
/// for (1 + weight K^H K) rho - weight K^H K target. J is quadratic: its central difference is
/// exact.
TEST_P(Regularisers, GradientsOfQuadraticOnesAreFiniteDifferences) {
    const Grid grid = make_grid(6, 5, 4);
    const std::vector<Vec3> positions{{-2, -2, -1}, {2, 2, 1}, {-2, 2, 1}, {2, -2, -1}};
    const PriorImage prior{"p.h5", vector(grid.voxels())};
    test::Diagonal one(on.device(), grid.voxels());
    constexpr double weight = 0.7;
    for (const Regulariser& row : regularisers()) {
        if (!row.quadratic()) {
            continue;
        }
        const std::vector<RegulariserTerm> terms = make_regularisers(
            {{row.name, weight}}, {on.device(), on.precision, grid, &prior, &positions});
        Operator& k = *terms[0].k;
        const ComplexVector target = terms[0].target
                                         ? terms[0].target->values
                                         : ComplexVector::Zero(prior.values.size()).eval();
        const auto energy = [&](const ComplexVector& rho) {
            Array out = on.device().zeros(k.outputs(), {true, on.precision});
            k.apply(of(rho - target), out);
            return (rho.squaredNorm() + weight * on.device().download(out).squaredNorm()) / 2;
        };
        Regularised a(on.device(), on.precision, one, 0, {{&k, weight}});
        const auto applied = [&](const ComplexVector& rho) {
            Array out = on.device().zeros(grid.voxels(), {true, on.precision});
            a.apply(of(rho), out);
            return on.device().download(out);
        };
        const ComplexVector rho = vector(grid.voxels());
        const ComplexVector along = vector(grid.voxels());
        const ComplexVector gradient = applied(rho) - (applied(target) - target);
        const double difference = (energy(rho + along) - energy(rho - along)) / 2;
        EXPECT_NEAR(along.dot(gradient).real(), difference,
                    1e3 * on.epsilon() * (energy(rho) + energy(along)))
            << row.name;
    }
}

/// split_solve with A = 1 and one term, from `start` times b: a proximal map.
ComplexVector proximal(const test::ArrayCase& on, const std::string& name, double weight,
                       const Grid& grid, const ComplexVector& b, double start = 0) {
    test::Diagonal one(on.device(), grid.voxels());
    const std::vector<RegulariserTerm> terms =
        make_regularisers({{name, weight}}, {on.device(), on.precision, grid});
    SolveOptions options;
    options.iterations = 400;
    options.tolerance = 1e-4;
    const Regularised a(on.device(), on.precision, one, 0);
    const ComplexVector first = start * b;
    return split_solve(on.device(), on.precision,
                       {{a, {&terms[0]}, Volume(b), b.cwiseAbs().maxCoeff(), nullptr, first}},
                       options)[0]
        .x;
}

TEST_P(Regularisers, L1WithoutAnythingElseShortensEveryVoxel) {
    const ComplexVector b = vector(30);
    constexpr double weight = 0.3;
    const double length = weight * b.cwiseAbs().maxCoeff();
    const ComplexVector expected = b.unaryExpr([&](const Complex& value) -> Complex {
        return std::abs(value) > length ? value * (1 - length / std::abs(value)) : Complex(0);
    });
    EXPECT_TRUE(near(proximal(on, "l1", weight, make_grid(30, 1), b), expected, 1e-3));
}

TEST_P(Regularisers, WhereSplittingBeginsDoesNotMatter) {
    const Grid grid = make_grid(6, 5);
    const ComplexVector b = vector(30);
    for (const char* name : {"tv", "wavelet", "l1"}) {
        const ComplexVector from_zero = proximal(on, name, 0.1, grid, b);
        ASSERT_GT((from_zero - b).norm(), 0.05 * b.norm()) << name;
        EXPECT_TRUE(near(proximal(on, name, 0.1, grid, b, 2), from_zero, 1e-3)) << name;
    }
}

TEST_P(Regularisers, TotalVariationKeepsAStepAndLowersItByItsWeight) {
    // Two halves of 8: each moves by weight s / 8 towards the other.
    ComplexVector step(16);
    step.head(8).setConstant(2);
    step.tail(8).setConstant(4);
    const double moved = 0.1 * 4 / 8;
    ComplexVector expected(16);
    expected.head(8).setConstant(2 + moved);
    expected.tail(8).setConstant(4 - moved);
    EXPECT_TRUE(near(proximal(on, "tv", 0.1, make_grid(16, 1), step), expected, 1e-3));
}

TEST_P(Regularisers, TotalVariationIsOfAnyScaleOfTheData) {
    const Grid grid = make_grid(9, 8);
    const ComplexVector b = vector(72);
    EXPECT_TRUE(near(proximal(on, "tv", 0.05, grid, 1e6 * b),
                     1e6 * proximal(on, "tv", 0.05, grid, b), 1e-3));
}

// Whose inner problem no preconditioner helps: 3 of its iterations each leave a third.
TEST_P(Regularisers, SplittingOfHardProblemsEndsNearTheirMinimum) {
    const Grid grid = make_grid(24, 20);
    test::Diagonal one(on.device(), grid.voxels());
    const std::vector<RegulariserTerm> terms =
        make_regularisers({{"roughness", 60}, {"tv", 0.01}}, {on.device(), on.precision, grid});
    Regularised a(on.device(), on.precision, one, 0, {{terms[0].k.get(), terms[0].weight}});
    const Volume b(vector(grid.voxels()));
    const auto after = [&](int iterations) {
        SolveOptions options;
        options.iterations = iterations;
        options.tolerance = 1e-5;
        return split_solve(on.device(), on.precision, {{a, {&terms[1]}, b, 1}}, options)[0].x;
    };
    EXPECT_TRUE(near(after(24), after(2000), 0.03));
}

INSTANTIATE_TEST_SUITE_P(Devices, Regularisers, testing::ValuesIn(test::array_cases()));

TEST(RegulariserNames, OfNoRowAreRefused) {
    try {
        regulariser_named("tvv");
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("roughness"), std::string::npos);
    }
    EXPECT_TRUE(need_splitting({{"band", 1}, {"tv", 1}}));
    EXPECT_FALSE(need_splitting({{"band", 1}, {"roughness", 1}}));
}

} // namespace
} // namespace lsrecon
