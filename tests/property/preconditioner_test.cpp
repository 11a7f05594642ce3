// The preconditioner on every device: against dense matrices, and by what it spares.

#include "operators/preconditioner.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>
#include <unsupported/Eigen/KroneckerProduct>

#include "engines/transforms.hpp"
#include "operators/differences.hpp"
#include "operators/gram.hpp"
#include "solve/conjugate_gradient.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::near;

using MakeBasis = std::shared_ptr<Basis> (*)(Device&, const Grid&, Precision);

class Preconditioners : public test::ArraysFixture {
protected:
    std::unique_ptr<Transforms> reference = reference_transforms();
    Reporter report;

    Q q_of(const test::Case& of) {
        const test::Problem problem = test::make_problem(of);
        return compute_q(*reference, *problem.trajectory, problem.grid, report);
    }
    ComplexVector through(SelfAdjoint& map, const ComplexVector& in) {
        Array out = on.device().zeros(map.inputs(), {true, on.precision});
        map.apply(of(in), out);
        return on.device().download(out);
    }
};

/// Cosine k of N has cos(pi k (n + 1/2) / N) at n; of norm 1, a column each.
Eigen::MatrixXd cosines(std::size_t size) {
    const auto n = static_cast<Eigen::Index>(size);
    const auto length = static_cast<double>(size);
    return Eigen::MatrixXd::NullaryExpr(n, n, [&](Eigen::Index at, Eigen::Index k) {
        return std::sqrt((k == 0 ? 1 : 2) / length) *
               std::cos(pi * static_cast<double>(k) * (static_cast<double>(at) + 0.5) / length);
    });
}

Eigen::MatrixXd cosines(const Grid& grid) {
    Eigen::MatrixXd all = Eigen::MatrixXd::Ones(1, 1);
    for (const std::size_t size : grid.size) { // x varies fastest
        all = Eigen::MatrixXd(Eigen::kroneckerProduct(cosines(size), all));
    }
    return all;
}

/// A matrix, a column at a time.
Eigen::MatrixXcd dense(std::size_t count,
                       const std::function<ComplexVector(const ComplexVector&)>& apply) {
    const auto n = static_cast<Eigen::Index>(count);
    Eigen::MatrixXcd matrix(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        matrix.col(i) = apply(ComplexVector::Unit(n, i));
    }
    return matrix;
}

TEST_P(Preconditioners, InvertTheDiagonalOfTInCosinesAndTheRegularisers) {
    using Size = std::array<std::size_t, 3>;
    // No voxel of two is in the middle.
    for (const auto& [size, weight] : std::vector<std::pair<Size, double>>{
             {{5, 4, 0}, 0.3}, {{8, 1, 0}, 0.3}, {{3, 4, 5}, 0.3}, {{2, 3, 0}, 0}}) {
        const Q q = q_of({"grid", size, 40});
        const Grid& grid = q.grid;
        constexpr double squares = 0.7;
        constexpr double lambda = 0.1;
        test::ReferenceSystem system(q);
        Differences differences(on.device(), grid);
        const std::unique_ptr<Device> host = make_reference_device();
        Differences on_host(*host, grid);
        const auto laplacian = [&](const ComplexVector& x) {
            Array in = host->zeros(on_host.inputs(), {true, Precision::float64});
            Array there = host->zeros(on_host.outputs(), {true, Precision::float64});
            host->upload(x, in);
            on_host.apply(in, there);
            on_host.adjoint(there, in);
            return host->download(in);
        };
        const Eigen::MatrixXcd basis = cosines(grid).cast<Complex>();
        const Eigen::MatrixXcd t = dense(grid.voxels(), [&](const ComplexVector& x) {
            return ComplexVector(system.apply(x) / q.at_zero());
        });
        const RealVector of_t = (basis.adjoint() * t * basis).diagonal().real();
        // Differences of neighbours have no others than cosines for eigenvectors.
        const RealVector of_differences =
            (basis.adjoint() * dense(grid.voxels(), laplacian) * basis).diagonal().real();
        const RealVector sum = squares * of_t.array() + weight * of_differences.array() + lambda;
        Preconditioner inverse(on.device(), q, on.precision,
                               make_cosine_basis(on.device(), grid, on.precision), squares, lambda);
        inverse.set_weight(&differences, 5); // the last one counts
        inverse.set_weight(&differences, weight);
        const ComplexVector in = vector(grid.voxels());
        const ComplexVector expected =
            basis * (basis.adjoint() * in).cwiseQuotient(sum.cast<Complex>());
        // Eigenvalues lie between lambda and squares times the voxels: so many roundings are seen.
        const double condition = 1 + squares * static_cast<double>(grid.voxels()) / lambda;
        EXPECT_TRUE(near(through(inverse, in), expected, bound(8 * condition)))
            << size[0] << " x " << size[1] << " x " << size[2];
    }
}

/// The circulant matrix whose element at a difference of two voxels is `at`.
using OfDifference = std::function<Complex(const std::array<Eigen::Index, 3>&)>;
Eigen::MatrixXcd circulant(const Grid& grid, const OfDifference& at) {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    const auto x = static_cast<Eigen::Index>(grid.size[0]);
    const auto y = static_cast<Eigen::Index>(grid.size[1]);
    const auto z = static_cast<Eigen::Index>(grid.size[2]);
    return Eigen::MatrixXcd::NullaryExpr(voxels, voxels, [&](Eigen::Index to, Eigen::Index from) {
        return at({(to % x - from % x + x) % x, (to / x % y - from / x % y + y) % y,
                   (to / x / y - from / x / y + z) % z});
    });
}

/// Chan's: each element is the mean of those of T with the same difference, modulo the grid.
Eigen::MatrixXcd chan(const Grid& grid, const Eigen::MatrixXcd& t) {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    const auto x = static_cast<Eigen::Index>(grid.size[0]);
    const auto y = static_cast<Eigen::Index>(grid.size[1]);
    Eigen::MatrixXcd mean = Eigen::MatrixXcd::Zero(voxels, 1);
    const Eigen::MatrixXcd index =
        circulant(grid, [&](const std::array<Eigen::Index, 3>& d) -> Complex {
            return static_cast<double>((d[2] * y + d[1]) * x + d[0]);
        });
    for (Eigen::Index to = 0; to < voxels; ++to) {
        for (Eigen::Index from = 0; from < voxels; ++from) {
            mean(std::lround(index(to, from).real())) += t(to, from) / static_cast<double>(voxels);
        }
    }
    return circulant(grid, [&](const std::array<Eigen::Index, 3>& d) -> Complex {
        return mean((d[2] * y + d[1]) * x + d[0]);
    });
}

TEST_P(Preconditioners, InvertChansMatrixWithTheRegularisers) {
    for (const auto& size : {std::array<std::size_t, 3>{5, 4, 0}, {8, 1, 0}, {3, 4, 5}}) {
        const Q q = q_of({"grid", size, 40});
        const Grid& grid = q.grid;
        const auto voxels = static_cast<Eigen::Index>(grid.voxels());
        constexpr double squares = 0.7;
        constexpr double lambda = 0.1;
        constexpr double weight = 0.3;
        test::ReferenceSystem system(q);
        Eigen::MatrixXcd t(voxels, voxels);
        for (Eigen::Index n = 0; n < voxels; ++n) {
            t.col(n) = system.apply(ComplexVector::Unit(voxels, n)) / q.at_zero();
        }
        const Eigen::MatrixXcd laplacian =
            circulant(grid, [&](const std::array<Eigen::Index, 3>& d) -> Complex {
                double value = 0;
                for (std::size_t i = 0; i < 3; ++i) {
                    const auto extent = static_cast<Eigen::Index>(grid.size[i]);
                    const bool others = d[(i + 1) % 3] == 0 && d[(i + 2) % 3] == 0;
                    if (extent > 1 && others) {
                        value += d[i] == 0 ? 2 : (d[i] == 1 || d[i] == extent - 1 ? -1 : 0);
                    }
                }
                return value;
            });
        const Eigen::MatrixXcd sum = squares * chan(grid, t) + weight * laplacian +
                                     lambda * Eigen::MatrixXcd::Identity(voxels, voxels);
        Preconditioner inverse(on.device(), q, on.precision,
                               make_periodic_basis(on.device(), grid, on.precision), squares,
                               lambda);
        Differences differences(on.device(), grid);
        inverse.set_weight(&differences, 5); // the last one counts
        inverse.set_weight(&differences, weight);
        const ComplexVector in = vector(grid.voxels());
        // Eigenvalues lie between lambda and squares times the voxels: so many roundings are seen.
        const double condition = 1 + squares * static_cast<double>(voxels) / lambda;
        EXPECT_TRUE(
            near(through(inverse, in), ComplexVector(sum.lu().solve(in)), bound(8 * condition)));
    }
}

// Chan's matrix of T, each element times the mean product of maps so far apart, modulo the grid.
TEST_P(Preconditioners, OfExponentialsKnowHowMapsJoinDirections) {
    for (const auto& size : {std::array<std::size_t, 3>{5, 4, 0}, {8, 1, 0}, {3, 4, 5}}) {
        const Q q = q_of({"grid", size, 40});
        const Grid& grid = q.grid;
        const auto voxels = static_cast<Eigen::Index>(grid.voxels());
        constexpr Eigen::Index coils = 3;
        constexpr double squares = 0.7;
        constexpr double lambda = 0.1;
        CoilMatrix values(coils, voxels);
        for (Eigen::Index c = 0; c < coils; ++c) {
            values.row(c) = vector(grid.voxels()).transpose();
        }
        const Eigen::MatrixXcd products = values.adjoint() * values;
        const Eigen::MatrixXcd joined =
            chan(grid, products) * static_cast<double>(voxels) / products.trace().real();
        test::ReferenceSystem system(q);
        const Eigen::MatrixXcd t = dense(grid.voxels(), [&](const ComplexVector& x) {
            return ComplexVector(system.apply(x) / q.at_zero());
        });
        const Eigen::MatrixXcd circulant = squares * chan(grid, t).cwiseProduct(joined);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> eigen(circulant);
        const RealVector sum = eigen.eigenvalues().array() + lambda;
        const CoilRows rows(values);
        CoilMaps maps(on.device(), rows);
        Preconditioner inverse(on.device(), q, on.precision,
                               make_periodic_basis(on.device(), grid, on.precision), squares,
                               lambda, &maps);
        const ComplexVector in = vector(grid.voxels());
        const ComplexVector expected =
            eigen.eigenvectors() *
            (eigen.eigenvectors().adjoint() * in).cwiseQuotient(sum.cast<Complex>());
        const double condition = 1 + squares * static_cast<double>(voxels) / lambda;
        EXPECT_TRUE(near(through(inverse, in), expected, bound(16 * condition)))
            << size[0] << " x " << size[1] << " x " << size[2];
    }
}

TEST_P(Preconditioners, AreTheirOwnAdjointAndPositiveForAnySize) {
    for (const auto& size :
         {std::array<std::size_t, 3>{11, 13, 0}, {1, 6, 0}, {1, 1, 0}, {11, 2, 1}, {4, 3, 11}}) {
        const Q q = q_of({"grid", size, 30});
        const CoilRows rows(CoilMatrix(vector(q.grid.voxels()).transpose()));
        CoilMaps maps(on.device(), rows);
        for (const auto& [make, joined] :
             std::vector<std::pair<MakeBasis, CoilMaps*>>{{&make_cosine_basis, nullptr},
                                                          {&make_periodic_basis, nullptr},
                                                          {&make_periodic_basis, &maps}}) {
            Preconditioner inverse(on.device(), q, on.precision,
                                   make(on.device(), q.grid, on.precision), 1, 1e-2, joined);
            const auto apply = [&](const ComplexVector& x) { return through(inverse, x); };
            EXPECT_TRUE(
                test::adjoint_test(apply, apply, inverse.inputs(), inverse.inputs(), bound(32)));
            const ComplexVector x = vector(inverse.inputs());
            EXPECT_GT(x.dot(apply(x)).real(), 0);
        }
    }
}

// The centre of a radial scan is sampled densely, its rim sparsely, its corners not at all.
TEST_P(Preconditioners, SpareConjugateGradientsIterations) {
    test::Case radial{"radial", {24, 24, 0}};
    radial.design = "radial";
    const Q q = q_of(radial);
    const std::size_t voxels = q.grid.voxels();
    CoilRows rows;
    CoilMaps maps(on.device(), rows);
    Toeplitz gram(on.device(), q, on.precision, maps);
    constexpr double lambda = 1e-2;
    Regularised normal(on.device(), on.precision, gram, lambda);
    Preconditioner inverse(on.device(), q, on.precision,
                           make_cosine_basis(on.device(), q.grid, on.precision), 1, lambda);
    inverse.raise_to_mean();
    const Volume b(vector(voxels));
    SolveOptions options;
    options.iterations = 1000;
    options.tolerance = 10 * smallest_tolerance(unit_roundoff(on.precision));
    const auto solved = [&](SelfAdjoint* by) {
        return conjugate_gradient(on.device(), normal, on.precision, by, b, options);
    };
    const Solution plain = solved(nullptr);
    const Solution spared = solved(&inverse);
    EXPECT_EQ(spared.stop, Stop::tolerance);
    EXPECT_LT(3 * spared.residuals.size(), 2 * plain.residuals.size())
        << spared.residuals.size() << " and " << plain.residuals.size();
    // The residual times the condition number, 1 over lambda, for the smallest eigenvalue.
    EXPECT_TRUE(near(spared.x, plain.x, 2 * options.tolerance / lambda));
}

INSTANTIATE_TEST_SUITE_P(Devices, Preconditioners, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
