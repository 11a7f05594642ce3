// Errors that are estimated from random points, of engines that are wrong by known amounts.

#include "encoding/certificate.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

#include "device/array.hpp"
#include "engines/exact_sums.hpp"
#include "support/case.hpp"
#include "support/equations.hpp"
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
    EXPECT_GE(few, 16U) << "fewer would say nothing";
    EXPECT_GT(voxels_of_exact_sums(1e9, 1, 1000), voxels_of_exact_sums(1e9, 8, 1000));
}

struct Errors {
    double spread; ///< their size differs from voxel to voxel by up to e^spread
    std::size_t points;
    double exceeded; ///< the bound, at most
};
class SampledErrorOf : public testing::TestWithParam<Errors> {};

TEST_P(SampledErrorOf, IsWithoutBiasAndItsBoundHolds) {
    constexpr int repetitions = 4000;
    const Errors of = GetParam();
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const double s = 2 * of.spread;
    const double truth = s == 0 ? 2 : 2 * (std::exp(s) - 1) / s; // of |error|^2
    double mean = 0;
    int exceeded = 0;
    for (int i = 0; i < repetitions; ++i) {
        std::vector<double> squares;
        for (std::size_t p = 0; p < of.points; ++p) {
            const double size = std::exp(of.spread * uniform(generator));
            squares.push_back(std::norm(size * Complex(normal(generator), normal(generator))));
        }
        const ErrorEstimate found = error_estimate(squares, 100, 10);
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
        for (std::size_t i = 0; i < out.count(); ++i) {
            numbers<Complex>(out)[i] *= 1 + by_;
        }
    }

private:
    double by_;
};

/// Of a scan, its coil maps and an engine that is wrong.
class Equations {
public:
    Equations(double wrong, const Problem& problem)
        : problem_(problem),
          maps_(problem.coil_maps), formulation_{problem.grid, problem.voxels, true, true},
          transforms_(open_transforms(test::on_reference(), table_of(wrong))),
          by_(*transforms_, formulation_, maps_, *problem.trajectory),
          drawn_(draw_voxels(maps_, problem.voxels.count())), of_(by_.encoding, by_.n, drawn_) {}

    std::vector<Volume> fhd() { return by_.encoding.adjoint(problem_.samples).volumes; }
    Certificate errors_of(const std::vector<Volume>& fhd) {
        return of_.of(of_.exact(problem_.samples).get(), fhd);
    }

private:
    static std::vector<Engine> table_of(double wrong) {
        return test::wrapped([wrong](std::unique_ptr<Transform> inner) {
            return std::make_unique<Wrong>(std::move(inner), wrong);
        });
    }

    const Problem& problem_;
    CoilRows maps_;
    Formulation formulation_;
    std::unique_ptr<Transforms> transforms_;
    test::Equations by_;
    DrawnVoxels drawn_;
    Certifier of_;
};

Problem problem_of(std::array<std::size_t, 3> size) {
    Case of{"scan", size, 200, 3};
    of.phi = true;
    of.weights = true;
    of.coil_maps = true;
    return test::make_problem(of);
}

Certificate errors_of(double wrong) {
    const Problem problem = problem_of({12, 11, 0});
    Equations equations(wrong, problem);
    return equations.errors_of(equations.fhd());
}

TEST(Certificate, AreThoseOfAnEngineThatIsWrong) {
    for (const double wrong : {1e-2, 1e-6}) {
        const Certificate errors = errors_of(wrong);
        for (const ErrorEstimate& error : {errors.fhd, errors.gram}) {
            EXPECT_GE(error.upper, wrong);
            EXPECT_NEAR(error.estimate, wrong, 0.5 * wrong);
        }
    }
}

TEST(Certificate, AreOfAsManyPointsOnAnyMachine) {
    Case of{"scan", {4, 4, 0}, 30000};
    const Problem problem = test::make_problem(of);
    const CoilRows no_maps;
    const DrawnVoxels drawn = draw_voxels(no_maps, problem.voxels.count());
    const Certificate errors =
        certify_fhd(exact_fhd(*problem.trajectory, problem.samples, problem.voxels, drawn), no_maps,
                    drawn, {Volume(test::exact_adjoint_of(problem).values.row(0).transpose())});
    EXPECT_EQ(errors.voxels, 32) << "4e7 multiply-adds, 36 of a pair";
}

TEST(Certificate, OfAnExactEngineAreRounding) {
    const Certificate errors = errors_of(0);
    EXPECT_GT(errors.voxels, 0);
    EXPECT_LT(errors.fhd.upper, 1e-12);
    EXPECT_LT(errors.gram.upper, 1e-12);
}

TEST(Certificate, OfEachFrameAreItsOwn) {
    const Problem problem = problem_of({12, 11, 0});
    Equations equations(0, problem);
    const std::vector<Volume> fhd = equations.fhd();
    for (const double wrong : {1e-3, 1e-1, 1e-6}) {
        EXPECT_NEAR(equations.errors_of(with_errors(fhd, wrong)).fhd.estimate, wrong, 0.5 * wrong);
    }
    EXPECT_LT(equations.errors_of(fhd).fhd.upper, 1e-12);
}

TEST(Certificate, AreFoundWhereTheMapsAre) {
    constexpr double wrong = 1e-4;
    for (const double elsewhere : {0.0, 1e-5}) { // of the maps
        Problem problem = problem_of({60, 59, 0});
        for (Eigen::Index n = 0; n < problem.coil_maps.cols(); ++n) {
            problem.coil_maps.col(n) *= n / 3 == 600 ? 1 : elsewhere;
        }
        Equations equations(wrong, problem);
        const Certificate errors = equations.errors_of(equations.fhd());
        EXPECT_GE(errors.fhd.upper, wrong) << elsewhere;
        EXPECT_NEAR(errors.fhd.estimate, wrong, 0.5 * wrong) << elsewhere;
    }
}

TEST(DrawnVoxels, AreDrawnInProportionToTheSquaresOfTheMaps) {
    CoilMatrix maps = CoilMatrix::Zero(2, 1000);
    maps.col(30) << 3, Complex(0, 4); // 25
    maps.col(999) << 0, Complex(5, -5); // 50
    const CoilRows rows(maps);
    const DrawnVoxels drawn = draw_voxels(rows, 1000);
    double of_large = 0;
    for (std::size_t i = 0; i < drawn.at.size(); ++i) {
        ASSERT_TRUE(drawn.at[i] == 30 || drawn.at[i] == 999) << drawn.at[i];
        EXPECT_DOUBLE_EQ(drawn.weights[i], 75.0 / (1000 * (drawn.at[i] == 30 ? 25 : 50)));
        of_large += drawn.at[i] == 999 ? 1 : 0;
    }
    const auto count = static_cast<double>(drawn.at.size());
    EXPECT_NEAR(of_large / count, 2.0 / 3, 4 * std::sqrt(2.0 / 9 / count));
    EXPECT_NEAR(drawn.unknowns, 75.0 * 75 / (25 * 25 + 50 * 50), 1e-12);
}

TEST(DrawnVoxels, AreAnyWhereMapsDoNotDiffer) {
    const CoilRows none;
    const CoilRows zeros(CoilMatrix::Zero(2, 1000).eval());
    for (const CoilRows* const maps : {&none, &zeros}) {
        const DrawnVoxels drawn = draw_voxels(*maps, 1000);
        EXPECT_EQ(drawn.weights, std::vector<double>(drawn.at.size(), 1));
        EXPECT_EQ(drawn.unknowns, 1000);
        EXPECT_GT(std::set<std::size_t>(drawn.at.begin(), drawn.at.end()).size(), 50U);
    }
}

TEST(WithErrors, HaveThisSize) {
    const ComplexVector values = test::Random(1).vector(1000);
    const std::vector<Volume> wrong = with_errors({Volume(values)}, 1e-3);
    EXPECT_NEAR((wrong[0].values() - values).norm() / values.norm(), 1e-3, 1e-9);
}

} // namespace
} // namespace lsrecon
