// Two sets of coil maps on every device: A, its adjoint, N and the solve beside dense matrices in
// doubles, and regularisers of each set beside those of one.

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "operators/regularisers.hpp"
#include "support/arrays_fixture.hpp"
#include "support/equations.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using test::near;

constexpr std::size_t coils = 3;

/// A of both sets, C M x 2N, with W^1/2.
struct Dense {
    Dense(const test::Problem& problem, const CoilMatrix& maps)
        : a(static_cast<Eigen::Index>(coils * problem.positions().size()), maps.cols()) {
        const auto voxels = static_cast<Eigen::Index>(problem.voxels.count());
        const auto samples = static_cast<Eigen::Index>(problem.positions().size());
        for (Eigen::Index m = 0; m < samples; ++m) {
            const Vec3 k = problem.positions()[static_cast<std::size_t>(m)];
            for (Eigen::Index n = 0; n < maps.cols(); ++n) {
                const Vec3 x = problem.voxels.position(static_cast<std::size_t>(n % voxels));
                const Complex wave =
                    std::polar(1.0, -2 * pi * (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]));
                for (Eigen::Index c = 0; c < maps.rows(); ++c) {
                    a(c * samples + m, n) = problem.trajectory->phi(m) * maps(c, n) * wave;
                }
            }
        }
        weights = problem.trajectory->weights.replicate(static_cast<Eigen::Index>(coils), 1);
    }
    Eigen::MatrixXcd n() const { return a.adjoint() * weights.asDiagonal() * a; }

    Eigen::MatrixXcd a;
    RealVector weights;
};

class Sets : public test::ArraysFixture {
protected:
    /// The errors of transforms, by their own bounds, and of so many roundings.
    double bound_of(const test::Equations& equations, const RightHandSides& fhd) const {
        return 4 * equations.error(fhd) + 256 * on.epsilon();
    }
    /// K^H of what a step of the term makes of K x: K^H K x of a quadratic one.
    ComplexVector shortened(const std::string& name, const ComplexVector& x, const RealVector& seen,
                            std::size_t sets) {
        const Grid grid = make_grid(5, 6);
        const std::vector<RegulariserTerm> terms = make_regularisers(
            {{name, 1}}, {on.device(), on.precision, grid, nullptr, nullptr, &seen, sets});
        Operator& k = *terms[0].k;
        std::vector<Array> z{on.device().zeros(k.outputs(), {true, on.precision})};
        k.apply(of(x), z[0]);
        if (terms[0].proximal) {
            terms[0].proximal->apply(on.device(), {0.3, 1, 1}, z);
        }
        Array back = on.device().zeros(k.inputs(), {true, on.precision});
        k.adjoint(z[0], back);
        return on.device().download(back);
    }
};

TEST_P(Sets, HaveTheProductsOfDenseMatrices) {
    for (const auto& size :
         {std::array<std::size_t, 3>{5, 4, 0}, {1, 6, 0}, {7, 3, 0}, {3, 4, 5}}) {
        test::Case of{"sets", size, 23, coils};
        of.phi = of.weights = true;
        const test::Problem problem = test::make_problem(of);
        const std::size_t voxels = problem.voxels.count();
        const CoilRows maps = test::Random(3).matrix(coils, 2 * voxels);
        const Dense dense(problem, maps.to_doubles());
        const Formulation formulation{problem.grid, problem.voxels, true, true};
        for (const Route route : {Route::q, Route::transforms}) {
            const test::Equations equations(*on.opened, formulation, maps, *problem.trajectory,
                                            {route, false});
            const CoilMatrix d = test::unflat(vector(coils * problem.positions().size()), coils);
            const RightHandSides fhd = equations.encoding.adjoint(CoilRows(d));
            const double within = bound_of(equations, fhd);
            ASSERT_EQ(fhd.volumes.size(), 1U);
            const ComplexVector b =
                dense.a.adjoint() * (dense.weights.cast<Complex>().asDiagonal() * test::flat(d));
            EXPECT_TRUE(near(fhd.volumes.front().values(), b, within));
            const ComplexVector rho = vector(2 * voxels);
            EXPECT_TRUE(near(test::flat(equations.encoding.forward({rho})),
                             ComplexVector(dense.a * rho), within));
            std::shared_ptr<ToeplitzWorkspace> workspace;
            CoilMaps on_device(on.device(), maps, voxels);
            const std::unique_ptr<Gram> n =
                equations.n.gram(on.device(), on.precision, on_device, workspace);
            Array out = on.device().zeros(n->inputs(), {true, on.precision});
            n->apply(this->of(rho), out);
            EXPECT_TRUE(near(ComplexVector(n->unit() * on.device().download(out)),
                             ComplexVector(dense.n() * rho), 2 * within));
        }
    }
}

TEST_P(Sets, AreSolvedAsDenseEquations) {
    test::Case of{"sets", {6, 5, 0}, 60, coils};
    of.phi = of.weights = true;
    const test::Problem problem = test::make_problem(of);
    CoilMatrix maps = test::Random(3).matrix(coils, 2 * problem.voxels.count());
    maps.rightCols(7).setZero(); // voxels that the second set does not see
    const CoilRows rows = maps;
    const Dense dense(problem, maps);
    const Formulation formulation{problem.grid, problem.voxels, true, true};
    SolveOptions options{0.1, 200, 1e-5};
    options.precondition = true;
    const test::Equations equations(*on.opened, formulation, rows, *problem.trajectory,
                                    {Route::q, true});
    const CoilMatrix d = test::unflat(vector(coils * problem.positions().size()), coils);
    const RightHandSides fhd = equations.encoding.adjoint(CoilRows(d));
    const double unit = equations.n.q_at_zero();
    const Eigen::MatrixXcd all =
        dense.n() + 0.1 * unit * Eigen::MatrixXcd::Identity(maps.cols(), maps.cols());
    const ComplexVector b =
        dense.a.adjoint() * (dense.weights.cast<Complex>().asDiagonal() * test::flat(d));
    const ComplexVector expected = all.partialPivLu().solve(b);
    const double condition = dense.n().norm() / (0.1 * unit);
    EXPECT_TRUE(near(equations.solve(fhd.volumes, options).image, expected,
                     condition * (options.tolerance + bound_of(equations, fhd))));
    EXPECT_EQ(equations.solve(fhd.volumes, options).image.tail(7).norm(), 0);
}

TEST_P(Sets, AreRegularisedEachByItselfByQuadraticAndLowRankTerms) {
    constexpr Eigen::Index half = 30;
    const RealVector seen = (vector(2 * half).real().array() > -0.5).cast<double>().matrix();
    const ComplexVector x = vector(2 * half);
    for (const char* name : {"roughness", "llr"}) {
        ComplexVector expected(2 * half);
        expected << shortened(name, x.head(half), seen.head(half), 1),
            shortened(name, x.tail(half), seen.tail(half), 1);
        EXPECT_TRUE(near(shortened(name, x, seen, 2), expected, bound(16))) << name;
    }
}

// A rotation of both images by a unitary matrix shares out anew what they show.
TEST_P(Sets, AreShortenedTogetherWhateverTheirRotation) {
    constexpr Eigen::Index half = 30;
    const RealVector all = RealVector::Ones(2 * half);
    const Complex turn = std::polar(1.0, 0.4);
    const auto rotated = [&](const ComplexVector& x) {
        ComplexVector result(2 * half);
        result << 0.8 * x.head(half) - 0.6 * turn * x.tail(half),
            0.6 * std::conj(turn) * x.head(half) + 0.8 * x.tail(half);
        return result;
    };
    const ComplexVector x = vector(2 * half);
    ComplexVector alone = x;
    alone.tail(half).setZero();
    for (const char* name : {"tv", "wavelet", "l1"}) {
        EXPECT_TRUE(near(shortened(name, rotated(x), all, 2), rotated(shortened(name, x, all, 2)),
                         bound(16)))
            << name;
        EXPECT_TRUE(near(shortened(name, alone, all, 2).head(half),
                         shortened(name, x.head(half), all.head(half), 1), bound(16)))
            << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Sets, testing::ValuesIn(test::array_cases()));

// The norm of what the coils see, whatever the rotation of the sets.
TEST(ImageOfSets, IsWhatTheCoilsSeeWithThePhaseOfTheFirst) {
    const CoilRows one = test::Random(5).matrix(4, 6);
    const ComplexVector x = test::Random(6).vector(6);
    EXPECT_EQ(one_image(x, one, 6), x);
    CoilMatrix maps = CoilMatrix::Zero(4, 12);
    maps.row(0).head(6).setOnes();
    maps.row(2).segment(6, 3).setConstant(Complex(0, 0.5));
    const ComplexVector both = test::Random(7).vector(12);
    const ComplexVector image = one_image(both, CoilRows(maps), 6);
    for (Eigen::Index n = 0; n < 6; ++n) {
        const double other = n < 3 ? 0.5 * std::abs(both(6 + n)) : 0;
        EXPECT_NEAR(std::abs(image(n)), std::hypot(std::abs(both(n)), other), 1e-12);
        EXPECT_NEAR(std::arg(image(n) / both(n)), 0, 1e-12);
    }
}

} // namespace
} // namespace lsrecon
