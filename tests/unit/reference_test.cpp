#include "engines/transforms.hpp"

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "engines/on_host.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

// Every number here can be worked out by hand.

namespace lsrecon {
namespace {

using test::near;
using test::silent;

const Complex i(0, 1);
const double bound = tolerance::reference(1, 5);

CoilMatrix row(const std::vector<Complex>& values) {
    return Eigen::Map<const CoilMatrix>(values.data(), 1, static_cast<Eigen::Index>(values.size()));
}

CoilMatrix fhd(const std::vector<Vec3>& k, const CoilMatrix& mu, const std::vector<Vec3>& x) {
    return adjoint_on_host(*reference_transforms(), k, mu, Voxels::at(test::make_grid(4, 4), x),
                           silent)
        .values;
}

CoilMatrix forward(const std::vector<Vec3>& k, const CoilMatrix& rho, const std::vector<Vec3>& x) {
    return forward_on_host(*reference_transforms(), k, rho, Voxels::at(test::make_grid(4, 4), x),
                           silent)
        .values;
}

TEST(Reference, FhdAtTheCentreOfKSpaceIsTheSampleItself) {
    EXPECT_TRUE(near(fhd({{0, 0, 0}}, row({{2, -3}}), {{0.3, -0.2, 0.4}}), row({{2, -3}}), 0));
}

TEST(Reference, FhdOfOneCycleAtAQuarterIsI) {
    EXPECT_TRUE(near(fhd({{1, 0, 0}}, row({1}), {{0.25, 0, 0}}), row({i}), bound));
    EXPECT_TRUE(near(fhd({{0, 1, 0}}, row({1}), {{0, 0.25, 0}}), row({i}), bound));
    EXPECT_TRUE(near(fhd({{0, 0, 1}}, row({1}), {{0, 0, 0.25}}), row({i}), bound));
}

TEST(Reference, ForwardTurnsTheOtherWay) {
    EXPECT_TRUE(near(forward({{1, 0, 0}}, row({1}), {{0.25, 0, 0}}), row({-i}), bound));
}

TEST(Reference, TwoSamplesAddUp) {
    // 3 exp(0) + (1 + i) exp(i pi / 2) = 3 + i - 1
    EXPECT_TRUE(
        near(fhd({{0, 0, 0}, {1, 0, 0}}, row({3, {1, 1}}), {{0.25, 0, 0}}), row({{2, 1}}), bound));
}

TEST(Reference, TwoVoxelsAddUp) {
    // 2 exp(-i pi) + 5 exp(0)
    EXPECT_TRUE(
        near(forward({{2, 0, 0}}, row({2, 5}), {{0.25, 0, 0}, {0, 0.1, 0}}), row({3}), bound));
}

TEST(Reference, CoilsAreSummedApart) {
    CoilMatrix mu(2, 1);
    mu << 1, 2.0 * i;
    CoilMatrix expected(2, 1);
    expected << i, -2;
    EXPECT_TRUE(near(fhd({{1, 0, 0}}, mu, {{0.25, 0, 0}}), expected, bound));
}

// N = 4: voxel n lies at (n - 2) / 4, so that k = 1 turns by -pi, -pi/2, 0, pi/2.
TEST(Reference, AGridOfFour) {
    Grid grid = test::make_grid(4, 1);
    const CoilMatrix result = adjoint_on_host(*reference_transforms(), std::vector<Vec3>{{1, 0, 0}},
                                              row({1}), Voxels::of_grid(grid), silent)
                                  .values;
    EXPECT_TRUE(near(result, row({-1, -i, 1, i}), bound));
}

TEST(Reference, MuIsConjugatePhiTimesWeightTimesSample) {
    Trajectory trajectory;
    trajectory.positions.resize(2);
    trajectory.phi = ComplexVector(2);
    trajectory.phi << i, Complex(1, 2);
    trajectory.weights = RealVector(2);
    trajectory.weights << 3, 0.5;
    // conj(i) 3 (1 + i) = 3 - 3i;  (1 - 2i) 0.5 (2 + 4i) = 5
    EXPECT_TRUE(near(mu_on_host(*reference_transforms(), trajectory, row({{1, 1}, {2, 4}})),
                     row({{3, -3}, 5}), bound));
}

TEST(Reference, MuIsTheSampleWithoutPhiAndWeights) {
    Trajectory trajectory;
    trajectory.positions.resize(1);
    EXPECT_TRUE(
        near(mu_on_host(*reference_transforms(), trajectory, row({{2, -7}})), row({{2, -7}}), 0));
}

TEST(Reference, QByHand) {
    RealVector weights(2);
    weights << 2, 3;
    const Voxels at = Voxels::at(test::make_grid(4, 4), {{0, 0, 0}, {0.25, 0, 0}});
    // 2 + 3;  2 exp(i pi / 2) + 3 exp(i pi) = 2i - 3
    const ComplexVector q =
        q_on_host(*reference_transforms(), {{1, 0, 0}, {2, 0, 0}}, weights, at, silent)
            .values.row(0)
            .transpose();
    EXPECT_TRUE(near(q, ComplexVector(row({5, {-3, 2}}).transpose()), bound));
}

TEST(Reference, WeightsOfQAreWTimesPhiSquared) {
    Trajectory trajectory;
    trajectory.positions.resize(2);
    EXPECT_EQ(trajectory.q_weights(), RealVector::Ones(2));
    trajectory.phi = ComplexVector(2);
    trajectory.phi << Complex(3, 4), i;
    trajectory.weights = RealVector(2);
    trajectory.weights << 2, 5;
    EXPECT_EQ(trajectory.q_weights()(0), 50);
    EXPECT_EQ(trajectory.q_weights()(1), 5);
}

TEST(Reference, NothingIsASumOfNothing) {
    EXPECT_TRUE(near(fhd({}, CoilMatrix(2, 0), {{0.1, 0.2, 0}}), CoilMatrix::Zero(2, 1), 0));
    EXPECT_EQ(fhd({{1, 0, 0}}, row({1}), {}).cols(), 0);
}

TEST(Reference, SinglePrecisionAgreesToItsOwnDigits) {
    const OnHost result = adjoint_on_host(
        *open_transforms({"reference-single", "", ""}), std::vector<Vec3>{{1, 0, 0}}, row({1}),
        Voxels::at(test::make_grid(4, 4), {{0.25, 0, 0}}), silent);
    EXPECT_LT(result.error, 9 * tolerance::eps);
    EXPECT_TRUE(near(result.values, row({i}), result.error));
    EXPECT_GT(test::relative_l2(result.values, row({i})), 0) << "as good as double precision";
}

} // namespace
} // namespace lsrecon
