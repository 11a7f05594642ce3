// The penalty on imaginary parts on every device: K as its formula and its own adjoint in the real
// inner product, and the solve beside a dense real matrix in doubles.

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "support/arrays_fixture.hpp"
#include "support/equations.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

class ConjugateSymmetry : public test::ArraysFixture {
protected:
    static Symmetry symmetry_of(std::size_t count) {
        ComplexVector squares = test::Random(8).vector(count);
        for (Complex& square : squares) {
            square /= std::abs(square);
        }
        squares(0) = 0; // where no phase is known
        return {squares, 0.09, 0.5};
    }
    ComplexVector applied(Operator& k, const ComplexVector& x) {
        Array out = on.device().zeros(k.outputs(), {true, on.precision});
        k.apply(of(x), out);
        return on.device().download(out);
    }
};

TEST_P(ConjugateSymmetry, WeighsRealAndImaginaryPartsOncePhasesAreOut) {
    constexpr std::size_t count = 65;
    const Symmetry symmetry = symmetry_of(count);
    TowardsReal k(on.device(), on.precision, symmetry);
    const ComplexVector x = vector(count);
    const ComplexVector kx = applied(k, x);
    for (Eigen::Index n = 1; n < kx.size(); ++n) {
        const Complex phase = std::sqrt(symmetry.squares(n));
        const Complex without = x(n) / phase;
        const Complex expected = phase * Complex(0.3 * without.real(), without.imag());
        EXPECT_LE(std::abs(kx(n) - expected), bound(8) * std::abs(x(n)));
    }
    EXPECT_LE(std::abs(kx(0) - 0.65 * x(0)), bound(8) * std::abs(x(0)));
    const ComplexVector y = vector(count);
    EXPECT_NEAR(y.dot(kx).real(), applied(k, y).dot(x).real(), bound(64) * x.norm() * y.norm());
    EXPECT_GT((applied(k, Complex(0, 1) * x) - Complex(0, 1) * kx).norm(), 0.1 * kx.norm());
}

/// The matrix of a map that is linear over the reals, of real parts before imaginary ones.
template <typename Map> Eigen::MatrixXd real_matrix(Eigen::Index count, const Map& map) {
    Eigen::MatrixXd all(2 * count, 2 * count);
    for (Eigen::Index i = 0; i < 2 * count; ++i) {
        ComplexVector unit = ComplexVector::Zero(count);
        unit(i % count) = i < count ? Complex(1) : Complex(0, 1);
        const ComplexVector column = map(unit);
        all.col(i) << column.real(), column.imag();
    }
    return all;
}

TEST_P(ConjugateSymmetry, IsSolvedAsDenseRealEquations) {
    test::Case of{"symmetry", {6, 5, 0}, 25, 2}; // fewer samples than voxels have unknowns
    of.weights = true;
    const test::Problem problem = test::make_problem(of);
    const std::size_t voxels = problem.voxels.count();
    const auto count = static_cast<Eigen::Index>(voxels);
    const CoilRows maps = test::Random(3).matrix(2, voxels);
    const Formulation formulation{problem.grid, problem.voxels, true, true};
    const test::Equations equations(*on.opened, formulation, maps, *problem.trajectory,
                                    {Route::q, true});
    const CoilMatrix d = test::unflat(vector(2 * problem.positions().size()), 2);
    const RightHandSides fhd = equations.encoding.adjoint(CoilRows(d));
    const auto symmetry = std::make_shared<const Symmetry>(symmetry_of(voxels));
    const double root = std::sqrt(symmetry->share);
    SolveOptions options{0.02, 400, 1e-5};
    const double unit = equations.n.q_at_zero();
    const ReferenceSystem plain = make_reference_system(equations.n, options);
    const Eigen::MatrixXd n =
        real_matrix(count, [&](const ComplexVector& x) { return plain.system->apply(x); });
    const auto k = [&](const ComplexVector& x) {
        return ComplexVector((1 + root) / 2 * x -
                             (1 - root) / 2 * symmetry->squares.cwiseProduct(x.conjugate()));
    };
    const Eigen::MatrixXd all =
        n + symmetry->weight * unit *
                real_matrix(count, [&](const ComplexVector& x) { return k(k(x)); });
    EXPECT_LE((all - all.transpose()).norm(), 1e-6 * all.norm());
    const ComplexVector b = fhd.volumes.front().values();
    Eigen::VectorXd of_b(2 * count);
    of_b << b.real(), b.imag();
    const Eigen::VectorXd x = all.ldlt().solve(of_b);
    ComplexVector expected(count);
    expected.real() = x.head(count);
    expected.imag() = x.tail(count);
    const double condition = all.norm() / (0.02 * unit);
    const double within =
        condition * (options.tolerance + 4 * equations.error(fhd) + 256 * on.epsilon());
    for (const bool precondition : {false, true}) {
        options.precondition = precondition;
        const LeastSquares problem_with(equations.n, options, {nullptr, symmetry});
        EXPECT_TRUE(problem_with.system().is_real_linear());
        EXPECT_TRUE(near(solve(problem_with, fhd.volumes, options).image, expected, within));
    }
    const ComplexVector without = equations.solve(fhd.volumes, options).image;
    EXPECT_GT((without - expected).norm(), 0.1 * expected.norm());
}

INSTANTIATE_TEST_SUITE_P(Devices, ConjugateSymmetry, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
