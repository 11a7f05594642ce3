// Errors that are estimated from random points, of engines that are wrong by known amounts.

#include "solve/sampled_errors.hpp"

#include <gtest/gtest.h>
#include <random>

#include "device/reference_device.hpp"
#include "engines/exact_sums.hpp"
#include "solve/normal_equations.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::Problem;

TEST(ExactSums, AreThoseOfTheReference) {
    Case plane{"plane", {9, 7, 0}, 300, 3};
    Case volume{"volume", {5, 6, 7}, 5000, 1};
    Case listed{"listed", {8, 8, 0}, 64, 2, 37};
    Case field{"field", {9, 7, 0}, 100, 2};
    field.field_hz = 100;
    field.r2star = 30;
    for (const Case& of : {plane, volume, listed, field}) {
        const Problem problem = test::make_problem(of);
        const OnHost expected = test::exact_adjoint_of(problem);
        const CoilMatrix found = exact_adjoint(
            problem.points(), of.coils,
            [&](std::size_t c, std::size_t m) {
                return problem.samples(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(m));
            },
            problem.voxels);
        EXPECT_TRUE(test::near(found, expected.values, 2 * expected.error)) << of.name;
    }
}

TEST(ExactSums, TakeTheTimeThatTheyMay) {
    const std::size_t few = voxels_of_exact_sums(1, 8, 1000000);
    EXPECT_GE(few, 16U) << "fewer would tell nothing";
    EXPECT_GT(voxels_of_exact_sums(1e9, 1, 1000), voxels_of_exact_sums(1e9, 8, 1000));
}

struct Errors {
    double spread; ///< their size differs from place to place by up to e^spread
    std::size_t points;
    double exceeded; ///< the bound, at most
};
class SampledErrorOf : public testing::TestWithParam<Errors> {};

TEST_P(SampledErrorOf, IsWithoutBiasAndItsBoundHolds) {
    constexpr int repetitions = 4000;
    const Errors of = GetParam();
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> place;
    const double s = 2 * of.spread;
    const double truth = s == 0 ? 2 : 2 * (std::exp(s) - 1) / s; // of |error|^2
    double mean = 0;
    int exceeded = 0;
    for (int i = 0; i < repetitions; ++i) {
        std::vector<double> squares;
        for (std::size_t p = 0; p < of.points; ++p) {
            const double size = std::exp(of.spread * place(generator));
            squares.push_back(std::norm(size * Complex(normal(generator), normal(generator))));
        }
        const SampledError found = sampled_error(squares, 100, 10);
        mean += found.estimate * found.estimate / repetitions;
        exceeded += found.upper < std::sqrt(truth) ? 1 : 0;
    }
    EXPECT_NEAR(mean / truth, 1, 0.05);
    EXPECT_LE(exceeded, of.exceeded * repetitions);
}

INSTANTIATE_TEST_SUITE_P(Spreads, SampledErrorOf,
                         testing::Values(Errors{0, 16, 0.01}, Errors{1, 16, 0.025},
                                         Errors{1, 128, 0.025}, Errors{2, 48, 0.03}));

/// Results are wrong by a share of themselves.
class Wrong : public test::WrappedTransform {
public:
    Wrong(std::unique_ptr<Transform> inner, double by)
        : WrappedTransform(std::move(inner)), by_(by) {}
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        WrappedTransform::adjoint(values, out, progress);
        for (Complex& value : reference_values(out)) {
            value *= 1 + by_;
        }
    }

private:
    double by_;
};

SampledErrors errors_of(double wrong, bool exact, SampleErrors which) {
    std::vector<Engine> table = test::wrapped([wrong](std::unique_ptr<Transform> inner) {
        return std::make_unique<Wrong>(std::move(inner), wrong);
    });
    for (Engine& engine : table) {
        engine.exact = exact;
    }
    const auto transforms = open_transforms(test::on_reference(), table);
    Case of{"scan", {12, 11, 0}, 200, 3};
    of.phi = true;
    of.weights = true;
    of.coil_maps = true;
    const Problem problem = test::make_problem(of);
    const CoilRows maps(problem.coil_maps);
    const Plan plan{problem.grid, problem.voxels, true, true};
    Reporter report;
    FrameEquations frames({*transforms,
                           plan,
                           maps,
                           0,
                           [&](const Sampling& sampling) {
                               return compute_q(*transforms, sampling, problem.grid, report);
                           },
                           {},
                           nullptr,
                           false,
                           which});
    NormalEquations& equations = frames.of(problem.sampling);
    equations.fhd(problem.samples, report);
    return equations.sampled_errors(report);
}

TEST(SampledErrors, AreThoseOfAnEngineThatIsWrong) {
    for (const double wrong : {1e-2, 1e-6}) {
        const SampledErrors errors = errors_of(wrong, false, SampleErrors::of_engines_not_exact);
        for (const SampledError& error : {errors.fhd, errors.gram}) {
            EXPECT_GE(error.upper, wrong);
            EXPECT_NEAR(error.estimate, wrong, 0.5 * wrong);
        }
    }
}

TEST(SampledErrors, AreOfAsManyPointsOnAnyMachine) {
    Case of{"scan", {4, 4, 0}, 30000};
    const Problem problem = test::make_problem(of);
    SampledErrors errors;
    sample_fhd(*problem.sampling, problem.samples, CoilRows(), problem.voxels,
               {Volume(test::exact_adjoint_of(problem).values.row(0).transpose())}, errors);
    EXPECT_EQ(errors.voxels, 32) << "4e7 multiply-adds, 36 of a pair";
}

TEST(SampledErrors, OfExactEnginesAreSampledWhereItIsAskedFor) {
    EXPECT_EQ(errors_of(1e-2, true, SampleErrors::of_engines_not_exact).voxels, 0);
    const SampledErrors errors = errors_of(0, true, SampleErrors::of_all);
    EXPECT_GT(errors.voxels, 0);
    EXPECT_LT(errors.fhd.upper, 1e-12);
    EXPECT_LT(errors.gram.upper, 1e-12);
}

TEST(WithErrors, HaveThisSize) {
    const ComplexVector values = test::Random(1).vector(1000);
    const std::vector<Volume> wrong = with_errors({Volume(values)}, 1e-3);
    EXPECT_NEAR((wrong[0].values() - values).norm() / values.norm(), 1e-3, 1e-9);
}

} // namespace
} // namespace lsrecon
