// Encodings and normal operators of frames, and what a transform keeps between its calls.

#include <future>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "device/host_device.hpp"
#include "plan/plan.hpp"
#include "support/arrays_fixture.hpp"
#include "support/equations.hpp"
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
    const Formulation formulation{one.grid, one.voxels, true, false};
    const CoilRows no_maps;
    ImageSpace images(on.device(), formulation, no_maps);
    std::vector<ComplexVector> products;
    for (const test::Problem* const now : {&one, &two}) {
        const Encoding encoding(*on.opened, images, *now->trajectory);
        const NormalOperator n(encoding, [&](const Trajectory& trajectory) {
            EXPECT_EQ(&trajectory, now->trajectory.get());
            return compute_q(*on.opened, trajectory, one.grid);
        });
        const LeastSquares problem(n, SolveOptions{0.1});
        ASSERT_TRUE(problem.is_on_device());
        const ComplexVector x = one.rho.row(0).transpose();
        products.push_back(problem.system().apply(x));
        EXPECT_EQ(problem.system().apply(x), products.back());
        const auto sum = static_cast<double>(now->trajectory->samples()); // of weights of 1
        EXPECT_NEAR(n.q_at_zero(), sum, sum * tolerance::q_at_zero(now->trajectory->samples()));
    }
    EXPECT_NE(products[0], products[1]);
}

// Voxels off the grid need no Q, frames with maps neither.
TEST_P(Frames, OfAListNeedNoQ) {
    test::Case of{"list", {6, 5, 0}, 33, 2, 11};
    of.coil_maps = true;
    const test::Problem problem = test::make_problem(of);
    const Formulation formulation{problem.grid, problem.voxels, false, true};
    const CoilRows maps = problem.coil_maps;
    const test::Equations by(*on.opened, formulation, maps, *problem.trajectory,
                             [](const Trajectory&) -> Q {
                                 ADD_FAILURE() << "Q was asked for";
                                 return {};
                             });
    const LeastSquares of_list(by.n, SolveOptions{0.1});
    ASSERT_TRUE(of_list.is_on_device());
    const ComplexVector x = problem.rho.row(0).transpose();
    const auto f = on.opened->make(problem.positions(), problem.voxels);
    EXPECT_TRUE(test::near(of_list.system().apply(x), of_list.on_reference().system->apply(x),
                           tolerance::gram(f->forward_error() + f->adjoint_error())));
}

/// A case with everything that an encoding may have.
test::Case encoded(bool has_maps) {
    test::Case of{"encoded", {7, 6, 0}, 50, 3};
    of.coil_maps = has_maps;
    of.phi = of.weights = true;
    return of;
}

std::vector<ComplexVector> images_of(const test::Problem& problem, bool has_maps) {
    std::vector<ComplexVector> images;
    for (Eigen::Index c = 0; c < (has_maps ? 1 : problem.samples.rows()); ++c) {
        images.emplace_back(test::Random(static_cast<unsigned>(c)).vector(problem.grid.voxels()));
    }
    return images;
}

// <A rho, W d> = <rho, A^H W d>
TEST_P(Frames, ForwardIsTheAdjointOfTheAdjoint) {
    for (const bool has_maps : {true, false}) {
        const test::Problem problem = test::make_problem(encoded(has_maps));
        const Formulation formulation{problem.grid, problem.voxels, true, has_maps};
        const CoilRows maps = problem.coil_maps;
        const test::Equations by(*on.opened, formulation, maps, *problem.trajectory);
        const std::vector<ComplexVector> images = images_of(problem, has_maps);
        const CoilMatrix samples = by.encoding.forward(images);
        const RightHandSides back = by.encoding.adjoint(problem.samples);
        Complex of_samples = 0;
        for (Eigen::Index m = 0; m < samples.cols(); ++m) {
            of_samples += problem.trajectory->weight(static_cast<std::size_t>(m)) *
                          samples.col(m).dot(problem.samples.col(m));
        }
        Complex of_images = 0;
        double size = 0;
        for (std::size_t p = 0; p < images.size(); ++p) {
            of_images += images[p].dot(back.volumes[p].values());
            size += images[p].norm() * back.volumes[p].norm();
        }
        EXPECT_LE(std::abs(of_samples - of_images), 10 * back.error * size) << has_maps;
    }
}

TEST_P(Frames, TheDerivativeIsThatOfFiniteDifferences) {
    constexpr double step = 1e-4; // cycles per field of view
    const auto exact = reference_transforms();
    for (const bool has_maps : {true, false}) {
        const test::Problem problem = test::make_problem(encoded(has_maps));
        const Formulation formulation{problem.grid, problem.voxels, true, has_maps};
        const CoilRows maps = problem.coil_maps;
        const std::vector<ComplexVector> images = images_of(problem, has_maps);
        std::vector<Vec3> directions(problem.trajectory->samples());
        for (std::size_t m = 0; m < directions.size(); ++m) {
            directions[m] = {std::cos(double(m)), std::sin(2.0 * double(m)), 0};
        }
        const auto moved = [&](double by) {
            Trajectory trajectory = *problem.trajectory;
            for (std::size_t m = 0; m < directions.size(); ++m) {
                for (std::size_t d = 0; d < 2; ++d) {
                    trajectory.positions[m][d] += by * directions[m][d];
                }
            }
            const test::Equations of(*exact, formulation, maps, trajectory);
            return of.encoding.forward(images);
        };
        const CoilMatrix expected = (moved(step) - moved(-step)) / (2 * step);
        const test::Equations by(*on.opened, formulation, maps, *problem.trajectory);
        const CoilMatrix derivative = by.encoding.derivative(images, directions);
        EXPECT_LE((derivative - expected).norm(), 1e-5 * expected.norm()) << has_maps;
    }
}

TEST_P(Frames, SeveralThreadsUseOneEncoding) {
    const test::Problem problem = test::make_problem(encoded(true));
    const Formulation formulation{problem.grid, problem.voxels, true, true};
    const CoilRows maps = problem.coil_maps;
    const test::Equations by(*on.opened, formulation, maps, *problem.trajectory);
    const ComplexVector alone = by.encoding.adjoint(problem.samples).volumes.front().values();
    std::vector<std::future<ComplexVector>> others;
    for (int i = 0; i < 4; ++i) {
        others.push_back(std::async(std::launch::async, [&]() -> ComplexVector {
            return by.encoding.adjoint(problem.samples).volumes.front().values();
        }));
    }
    for (std::future<ComplexVector>& other : others) {
        EXPECT_EQ(other.get(), alone);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Frames, testing::ValuesIn(test::array_cases()));

// The cheaper one is that of a described CPU, whatever the device here.
TEST(NormalOperators, MultiplyByTheCheaperOfQAndFAndItsAdjoint) {
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
            SolveOptions settings{0.1};
            settings.iterations = iterations;
            const Route route = route_of(*of_cpu, problem.trajectory->points(), formulation,
                                         settings, 0, iterations > 0 ? 1 : 0);
            const test::Equations by(*transforms, formulation, no_maps, *problem.trajectory,
                                     [&](const Trajectory& trajectory) {
                                         ++qs;
                                         return compute_q(*transforms, trajectory, problem.grid);
                                     },
                                     {route});
            return LeastSquares(by.n, settings).system().apply(x);
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
        const auto make = [&] { return on.opened->make(problem.positions(), problem.voxels); };
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
