// F^H W F through Q is F^H W F: equal to F and F^H one after the other, Hermitian and positive.

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::near;
using test::Problem;

std::vector<Case> gram_cases() {
    std::vector<Case> all;
    for (const auto& size : {std::array<std::size_t, 3>{4, 4, 0},
                             {5, 5, 0},
                             {5, 4, 0},
                             {3, 8, 0},
                             {1, 6, 0},
                             {1, 1, 0},
                             {4, 4, 4},
                             {5, 3, 2},
                             {3, 3, 3},
                             {1, 2, 7},
                             {6, 1, 1}}) {
        for (const std::uint64_t seed : {1, 2}) {
            Case of{"grid", size, 12};
            of.phi = of.weights = seed == 2;
            of.seed = seed;
            all.push_back(of);
        }
    }
    return all;
}

class GramOf : public testing::TestWithParam<Case> {
protected:
    Problem problem = test::make_problem(GetParam());
    std::unique_ptr<Transforms> transforms = reference_transforms();
    Reporter report;
    test::ReferenceSystem through_q{
        compute_q(*transforms, *problem.trajectory, problem.grid, report)};
    test::ReferenceSystem explicitly{*transforms, *problem.trajectory, problem.voxels};

    double bound() const {
        return 4 * tolerance::reference(2 * problem.largest_turns(),
                                        problem.positions().size() + problem.voxels.count());
    }

    Eigen::MatrixXcd dense(test::ReferenceSystem& gram) const {
        const auto count = static_cast<Eigen::Index>(problem.voxels.count());
        Eigen::MatrixXcd matrix(count, count);
        for (Eigen::Index n = 0; n < count; ++n) {
            matrix.col(n) = gram.apply(ComplexVector::Unit(count, n));
        }
        return matrix;
    }
};

TEST_P(GramOf, ThroughQIsTheExplicitOne) {
    const ComplexVector rho = problem.rho.row(0).transpose();
    EXPECT_TRUE(near(through_q.apply(rho), explicitly.apply(rho), bound()));
    EXPECT_NEAR(through_q.diagonal(), explicitly.diagonal(), bound() * explicitly.diagonal());
}

TEST_P(GramOf, EveryColumnAgrees) {
    EXPECT_TRUE(near(CoilMatrix(dense(through_q)), CoilMatrix(dense(explicitly)), bound()));
}

TEST_P(GramOf, IsHermitianWithQOfZeroOnTheDiagonal) {
    const Eigen::MatrixXcd t = dense(through_q);
    EXPECT_TRUE(near(CoilMatrix(t), CoilMatrix(t.adjoint()), bound()));
    const auto count = static_cast<Eigen::Index>(problem.voxels.count());
    EXPECT_TRUE(near(ComplexVector(t.diagonal()),
                     ComplexVector::Constant(count, through_q.diagonal()), bound()));
}

TEST_P(GramOf, IsPositiveAlsoWithFewerSamplesThanVoxels) {
    const Eigen::MatrixXcd t = dense(through_q);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> eigen(t);
    const double largest = eigen.eigenvalues().maxCoeff();
    EXPECT_GT(largest, 0);
    EXPECT_GE(eigen.eigenvalues().minCoeff(), -bound() * t.norm());
    const ComplexVector rho = problem.rho.row(0).transpose();
    EXPECT_GE(rho.dot(through_q.apply(rho)).real(), 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, GramOf, testing::ValuesIn(gram_cases()));

} // namespace
} // namespace lsrecon
