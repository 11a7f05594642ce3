// What frames share, and what a transform keeps between its calls.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "device/described_device.hpp"
#include "encoding/normal_equations.hpp"
#include "plan/plan.hpp"
#include "support/arrays_fixture.hpp"
#include "support/machines.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using Frames = test::ArraysFixture;

TEST_P(Frames, OfTwoSamplingsOneAfterTheOtherMakeTwoQs) {
    const test::Problem one = test::make_problem({"one", {6, 5, 0}, 33, 2});
    test::Case of{"two", {6, 5, 0}, 40, 2};
    of.seed = 2;
    const test::Problem two = test::make_problem(of);
    Reporter report;
    int qs = 0;
    const Formulation formulation{one.grid, one.voxels, true, false};
    const CoilRows no_maps;
    PlaceEquations frames({*on.opened, formulation, no_maps, 0.1, [&](const Sampling& sampling) {
                               ++qs;
                               return compute_q(*on.opened, sampling, one.grid, report);
                           }});
    std::vector<ComplexVector> products;
    for (const test::Problem* const now : {&one, &two}) {
        NormalEquations equations(frames, *now->sampling);
        System* const system = equations.on_device();
        ASSERT_NE(system, nullptr);
        const ComplexVector x = one.rho.row(0).transpose();
        products.push_back(system->apply(x));
        EXPECT_EQ(equations.on_device(), system);
        EXPECT_EQ(system->apply(x), products.back()) << "the product of its sampling";
        const auto sum = static_cast<double>(now->sampling->samples()); // of weights of 1
        EXPECT_NEAR(equations.q_at_zero(), sum,
                    sum * tolerance::q_at_zero(now->sampling->samples()));
    }
    EXPECT_EQ(qs, 2);
    EXPECT_NE(products[0], products[1]);
}

// Voxels off the grid need no Q, frames with maps neither.
TEST_P(Frames, OfAListNeedNoQ) {
    test::Case of{"list", {6, 5, 0}, 33, 2, 11};
    of.coil_maps = true;
    const test::Problem problem = test::make_problem(of);
    const Formulation formulation{problem.grid, problem.voxels, false, true};
    const CoilRows maps = problem.coil_maps;
    PlaceEquations frames({*on.opened, formulation, maps, 0.1, [&](const Sampling&) -> Q {
                               ADD_FAILURE() << "Q was asked for";
                               return {};
                           }});
    NormalEquations equations(frames, *problem.sampling);
    const ComplexVector x = problem.rho.row(0).transpose();
    ASSERT_NE(equations.on_device(), nullptr);
    const auto f = on.opened->make(problem.trajectory(), problem.voxels);
    EXPECT_TRUE(test::near(equations.on_device()->apply(x), equations.on_reference().apply(x),
                           tolerance::gram(f->forward_error() + f->adjoint_error())));
}

INSTANTIATE_TEST_SUITE_P(Devices, Frames, testing::ValuesIn(test::array_cases()));

// The cheaper one is that of a described CPU, whatever the device here.
TEST(NormalOperator, MultipliesByTheCheaperOfQAndFAndItsAdjoint) {
    ComputeOptions options;
    options.engine = "nufft";
    options.accuracy_is_of_image = true;
    options.accuracy = 1e-6;
    std::unique_ptr<Transforms> transforms;
    std::unique_ptr<Transforms> of_cpu;
    try {
        transforms = open_transforms(options);
        of_cpu = open_transforms(options, engines(),
                                 make_described_device(test::described_machine("cpu", 2, 2600, 2)));
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    for (const std::size_t samples : {200, 60000}) {
        const test::Problem problem = test::make_problem({"volume", {40, 40, 40}, samples, 1});
        const ComplexVector x = problem.rho.row(0).transpose();
        const Formulation formulation{problem.grid, problem.voxels, true, false};
        const CoilRows no_maps;
        int qs = 0;
        const auto product = [&](int iterations) {
            Reporter report;
            CommonToFrames common{*transforms, formulation, no_maps, 0.1,
                                  [&](const Sampling& sampling) {
                                      ++qs;
                                      return compute_q(*transforms, sampling, problem.grid, report);
                                  }};
            SolveOptions how;
            how.iterations = iterations;
            const Route route = route_of(*of_cpu, problem.sampling->points(), formulation, how, 0,
                                         iterations > 0 ? 1 : 0);
            PlaceEquations frames(std::move(common));
            return NormalEquations(frames, *problem.sampling, route).on_device()->apply(x);
        };
        const ComplexVector cheaper = product(10);
        EXPECT_EQ(qs, samples > 1000 ? 1 : 0);
        EXPECT_TRUE(test::near(cheaper, product(0), 1e-5));
    }
}

using Kept = test::ArraysFixture;

TEST_P(Kept, ATransformThatServedOthersGivesTheBitsOfAFreshOne) {
    for (const std::size_t listed : {0, 41}) {
        const test::Problem problem = test::make_problem({"kept", {9, 7, 0}, 65, 2, listed});
        const auto adjoint = [&](Transform& by, const CoilMatrix& samples) {
            Array out = on.device().zeros(2 * problem.voxels.count(), {true, on.precision});
            by.adjoint(of(test::flat(samples)), out, test::silent);
            return on.device().download(out);
        };
        const auto forward = [&](Transform& by) {
            Array out = on.device().zeros(2 * 65, {true, on.precision});
            by.forward(of(test::flat(problem.rho)), out, test::silent);
            return on.device().download(out);
        };
        const auto q = [&](Transform& by) {
            Array weights = on.device().zeros(65, {false, on.precision});
            on.device().upload(RealVector(RealVector::Ones(65)), {0, 65}, 0, weights);
            Array out = on.device().zeros(problem.voxels.count(), {true, on.precision});
            by.adjoint(weights, out, test::silent);
            return on.device().download(out);
        };
        const auto make = [&] { return on.opened->make(problem.trajectory(), problem.voxels); };
        const CoilMatrix other = random.matrix(2, 65);
        const auto used = make();
        const ComplexVector first = adjoint(*used, problem.samples);
        EXPECT_EQ(adjoint(*used, other), adjoint(*make(), other));
        EXPECT_EQ(forward(*used), forward(*make()));
        EXPECT_EQ(q(*used), q(*make()));
        EXPECT_EQ(adjoint(*used, problem.samples), first);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Kept, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
