// The preconditioner where coil maps are 0, on every device.

#include <gtest/gtest.h>

#include "engines/transforms.hpp"
#include "operators/differences.hpp"
#include "operators/operator.hpp"
#include "operators/preconditioner.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using RestrictedPreconditioner = test::ArraysFixture;

// A is lambda alone where maps see nothing, and terms are what they are there.
TEST_P(RestrictedPreconditioner, IsTheDiagonalWhereMapsSeeNothing) {
    test::Case radial{"radial", {16, 15, 0}};
    radial.design = "radial";
    const auto reference = reference_transforms();
    Reporter report;
    const test::Problem problem = test::make_problem(radial);
    constexpr double lambda = 1e-3;
    const Q q = compute_q(*reference, *problem.trajectory, problem.grid, report);
    const std::size_t voxels = q.grid.voxels();
    RealVector seen = RealVector::Ones(static_cast<Eigen::Index>(voxels));
    for (Eigen::Index n = 0; n < seen.size(); ++n) {
        seen(n) = n % 16 < 5 || n / 16 > 11 ? 0 : 1;
    }
    CoilMatrix values = random.matrix(2, voxels);
    values.array().rowwise() *= seen.transpose().array().cast<Complex>();
    const CoilRows rows(values);
    EXPECT_EQ(seen_by(rows), seen);
    Preconditioner inverse(on.device(), q, on.precision,
                           make_cosine_basis(on.device(), q.grid, on.precision), 1, lambda);
    inverse.raise_to_mean();
    inverse.restrict_to(seen);
    const auto apply = [&](const ComplexVector& x) {
        Array out = on.device().zeros(voxels, {true, on.precision});
        inverse.apply(of(x), out);
        return on.device().download(out);
    };
    EXPECT_TRUE(test::adjoint_test(apply, apply, voxels, voxels, bound(32)));
    const ComplexVector x = vector(voxels);
    const ComplexVector y = apply(x);
    const auto unseen = (1 - seen.array()).cast<Complex>();
    const auto outside = [&](const ComplexVector& z) { return ComplexVector(z.array() * unseen); };
    EXPECT_TRUE(test::near(lambda * outside(y), outside(x), bound(32)));
    EXPECT_GT(x.dot(y).real(), 0);
    Identity one(on.device(), voxels);
    inverse.set_weight(&one, 2);
    EXPECT_TRUE(test::near((2 + lambda) * outside(apply(x)), outside(x), bound(32)));
    Differences within(on.device(), q.grid, on.precision, differences_within(seen, q.grid));
    inverse.set_weight(&within, 5); // which have nothing there
    EXPECT_TRUE(test::near((2 + lambda) * outside(apply(x)), outside(x), bound(32)));
    const ComplexVector inside = x - outside(x);
    EXPECT_EQ(outside(apply(inside)).norm(), 0) << "residuals of what maps see must not get there";
}

// K^H K is taken for what it does to a voxel among others that are seen, wherever those are.
TEST_P(RestrictedPreconditioner, KnowsDifferencesWhereTheMiddleIsNotSeen) {
    const auto reference = reference_transforms();
    Reporter report;
    const test::Problem problem = test::make_problem({"grid", {12, 10, 0}, 60});
    const Q q = compute_q(*reference, *problem.trajectory, problem.grid, report);
    RealVector seen = RealVector::Zero(static_cast<Eigen::Index>(q.grid.voxels()));
    for (Eigen::Index n = 0; n < seen.size(); ++n) {
        seen(n) = n % 12 < 4 || n / 12 > 6 ? 1 : 0; // the middle is voxel 6 of row 5
    }
    const auto inverse_of = [&](Operator& k) {
        Preconditioner inverse(on.device(), q, on.precision,
                               make_periodic_basis(on.device(), q.grid, on.precision), 1, 0.1);
        inverse.restrict_to(seen);
        inverse.set_weight(&k, 0.7);
        const ComplexVector x = vector(q.grid.voxels()).cwiseProduct(seen.cast<Complex>());
        Array out = on.device().zeros(q.grid.voxels(), {true, on.precision});
        inverse.apply(of(x), out);
        return std::pair(x, on.device().download(out));
    };
    Differences all(on.device(), q.grid);
    Differences within(on.device(), q.grid, on.precision, differences_within(seen, q.grid));
    const test::Random before = random;
    const auto [x, expected] = inverse_of(all);
    random = before;
    EXPECT_TRUE(test::near(inverse_of(within).second, expected, bound(32)));
}

INSTANTIATE_TEST_SUITE_P(Devices, RestrictedPreconditioner, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
