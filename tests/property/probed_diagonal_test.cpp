// Diagonals of covariances that are known.

#include "encoding/probed_diagonal.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

constexpr Eigen::Index side = 24;
const GridSize size{side, side, 1};
const RealVector all = RealVector::Ones(side * side);

LinearMap product_with(const Eigen::MatrixXcd& b) {
    return [&b](const ComplexVector& v) -> ComplexVector { return b * v; };
}

/// A deviation that varies, with steps.
double deviation(Eigen::Index n) {
    return 1 + 0.3 * std::sin(0.3 * static_cast<double>(n % side)) + (n / side > 9 ? 1 : 0);
}

double error_of(const RealVector& squares) {
    double sum = 0;
    for (Eigen::Index n = 0; n < squares.size(); ++n) {
        sum += std::pow(std::sqrt(squares(n)) / deviation(n) - 1, 2);
    }
    return std::sqrt(sum / static_cast<double>(squares.size()));
}

/// Voxels are correlated with those a third of the field of view above and below.
TEST(ProbedDiagonal, IsExactWhereFewVoxelsShareTheirNoise) {
    Eigen::MatrixXcd b = Eigen::MatrixXcd::Zero(all.size(), all.size());
    for (Eigen::Index n = 0; n < all.size(); ++n) {
        for (const Eigen::Index m :
             {n, (n + side * 8) % all.size(), (n + side * 16) % all.size()}) {
            b(m, n) = (m == n ? 1 : 0.7) * deviation(m) * deviation(n);
        }
    }
    const std::optional<ProbedDiagonal> found = probed_diagonal(product_with(b), size, all, 100);
    ASSERT_TRUE(found);
    EXPECT_LT(error_of(found->values), 1e-9);
    EXPECT_LE(found->products, 16U);
    EXPECT_LT(found->error, 1e-9);
}

/// Neighbours are correlated, as images without the corners of k-space are.
TEST(ProbedDiagonal, HasTheErrorThatItSaysAtMost) {
    Eigen::MatrixXcd b(all.size(), all.size());
    for (Eigen::Index n = 0; n < all.size(); ++n) {
        for (Eigen::Index m = 0; m < all.size(); ++m) {
            const auto x = static_cast<double>(m % side - n % side);
            const auto y = static_cast<double>(m / side - n / side);
            b(m, n) = deviation(m) * deviation(n) * std::exp(-std::hypot(x, y)) *
                      std::polar(1.0, 0.5 * x);
        }
    }
    RealVector seen = all;
    seen.head(side).setZero();
    const std::optional<ProbedDiagonal> found = probed_diagonal(product_with(b), size, seen, 24);
    ASSERT_TRUE(found);
    EXPECT_LE(found->products, 24U);
    EXPECT_EQ(found->values.head(side).norm(), 0);
    RealVector values = found->values;
    for (Eigen::Index n = 0; n < side; ++n) {
        values(n) = std::pow(deviation(n), 2);
    }
    EXPECT_GT(found->error, 0.001);
    EXPECT_LT(error_of(values), 1.3 * found->error);
    EXPECT_LT(error_of(values), 0.05);
}

/// Few smooth directions that reach over the whole image have most of B.
TEST(ProbedDiagonal, TakesOutWhatTheOtherProbesKnow) {
    Eigen::MatrixXcd directions(all.size(), 12);
    for (Eigen::Index n = 0; n < all.size(); ++n) {
        for (Eigen::Index i = 0; i < directions.cols(); ++i) {
            const auto x = static_cast<double>(n % side);
            const auto y = static_cast<double>(n / side);
            directions(n, i) = std::polar(
                1.0, 0.26 * (static_cast<double>(i) * x + static_cast<double>(5 * i % 12) * y));
        }
    }
    Eigen::MatrixXcd b = directions * directions.adjoint() / 10;
    b.diagonal().array() += 0.3;
    for (Eigen::Index n = 0; n < all.size(); ++n) {
        b.row(n) *= deviation(n) / std::sqrt(1.5);
        b.col(n) *= deviation(n) / std::sqrt(1.5);
    }
    const std::optional<ProbedDiagonal> found = probed_diagonal(product_with(b), size, all, 70);
    ASSERT_TRUE(found);
    EXPECT_LT(found->error, 0.03);
    EXPECT_LT(error_of(found->values), 0.025);
}

TEST(ProbedDiagonal, IsNoneWhereAllVoxelsShareOneNoise) {
    const Eigen::MatrixXcd b = Eigen::MatrixXcd::Ones(all.size(), all.size());
    EXPECT_FALSE(probed_diagonal(product_with(b), size, all, 50));
}

} // namespace
} // namespace lsrecon
