// The curve over lambda against dense equations, on every device.

#include "encoding/lambda_curve.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "encoding/sample_energy.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "support/arrays_fixture.hpp"
#include "support/equations.hpp"

namespace lsrecon {
namespace {

/// W^1/2 phi F S of a problem, a block of rows a coil.
Eigen::MatrixXcd dense_model(const test::Problem& problem) {
    const auto voxels = static_cast<Eigen::Index>(problem.voxels.count());
    const CoilMatrix f =
        forward_on_host(*reference_transforms(), problem.points(),
                        CoilMatrix::Identity(voxels, voxels), problem.voxels, test::silent)
            .values; // N x M
    const Trajectory& trajectory = *problem.trajectory;
    const Eigen::Index samples = f.cols();
    const ComplexVector factors =
        trajectory.weights.cwiseSqrt().cast<Complex>().cwiseProduct(trajectory.phi);
    Eigen::MatrixXcd model(problem.samples.rows() * samples, voxels);
    for (Eigen::Index c = 0; c < problem.samples.rows(); ++c) {
        model.middleRows(c * samples, samples) =
            factors.asDiagonal() * f.transpose() * problem.coil_maps.row(c).asDiagonal();
    }
    return model;
}

ComplexVector weighted(const test::Problem& problem, const CoilMatrix& samples) {
    ComplexVector all(samples.size());
    for (Eigen::Index c = 0; c < samples.rows(); ++c) {
        all.segment(c * samples.cols(), samples.cols()) =
            problem.trajectory->weights.cwiseSqrt().asDiagonal() * samples.row(c).transpose();
    }
    return all;
}

/// Residual and solution of (A + lambda q) rho = G^H d.
struct Dense {
    Eigen::MatrixXcd model;
    ComplexVector data;
    double q;
    Eigen::MatrixXcd gram = model.adjoint() * model;
    ComplexVector right = model.adjoint() * data;

    ComplexVector solve(double lambda) const {
        Eigen::MatrixXcd a = gram;
        a.diagonal().array() += lambda * q;
        return a.llt().solve(right);
    }
    std::array<double, 2> at(double lambda) const {
        const ComplexVector rho = solve(lambda);
        return {(model * rho - data).squaredNorm(), rho.squaredNorm()};
    }
};

IsEnough by_all_iterations(const SolveOptions& options) {
    return [&options](LambdaCurve&, int iterations) { return iterations == options.iterations; };
}

using LambdaCurves = test::ArraysFixture;

struct FormulationAndMaps {
    Formulation formulation;
    CoilRows maps;
};

/// The equations of a problem with coil maps.
struct EquationsOf : private FormulationAndMaps, test::Equations {
    EquationsOf(Transforms& transforms, const test::Problem& problem)
        : FormulationAndMaps{{problem.grid, problem.voxels, true, true}, problem.coil_maps},
          test::Equations(transforms, formulation, maps, *problem.trajectory) {}
};

/// Samples of three coils with maps, phi and weights.
test::Problem problem_of(const std::string& name, const std::array<std::size_t, 3>& size,
                         std::size_t samples) {
    test::Case of{name, size, samples, 3};
    of.coil_maps = of.phi = of.weights = true;
    return test::make_problem(of);
}

Dense dense_of(const test::Problem& problem) {
    return {dense_model(problem), weighted(problem, problem.samples),
            problem.trajectory->q_weights().sum()};
}

TEST_P(LambdaCurves, AreThoseOfDenseEquations) {
    const test::Problem problem = problem_of("curve", {6, 5, 0}, 60);
    Reporter report;
    const EquationsOf by(*on.opened, problem);
    const RightHandSides fhd = by.encoding.adjoint(problem.samples);
    const SolveOptions options{smallest_lambda, 300, 1e-4};
    const LambdaCurve curve = make_lambda_curve(by.n, problem.frame(), fhd, 2.5, options,
                                                by_all_iterations(options), report);

    const Dense dense = dense_of(problem);
    EXPECT_NEAR(curve.data, dense.data.squaredNorm(), 1e-9 * curve.data);
    EXPECT_NEAR(curve.noise, 2.5 * problem.trajectory->weights.sum(), 1e-9 * curve.noise);
    std::size_t compared = 0;
    for (const LambdaPoint& point : curve.points) {
        if (point.lambda < 0.01) {
            continue; // beyond it single precision has less to say
        }
        const double bound = tolerance::solution(by.error(fhd), point.lambda);
        const auto [residual, solution] = dense.at(point.lambda);
        // Squares have twice the relative error; single precision solves to its tolerance.
        const double twice = 2 * bound + 1e-5;
        EXPECT_NEAR(point.residual, residual, twice * residual) << point.lambda;
        EXPECT_NEAR(point.solution, solution, twice * solution) << point.lambda;
        EXPECT_TRUE(is_solved(point));
        ++compared;
    }
    EXPECT_EQ(compared, 25U); // 8 a decade from 0.01 to 10
}

// Of which nothing is left in ||d||^2 - <b, x> in single precision.
TEST_P(LambdaCurves, SmallResidualsAreThoseOfTheSamples) {
    test::Problem problem = problem_of("small", {6, 5, 0}, 60);
    const ComplexVector fitted =
        dense_model(problem) * problem.rho.row(0).transpose(); // of W^1/2 d
    for (Eigen::Index c = 0; c < problem.samples.rows(); ++c) {
        const ComplexVector of_coil =
            fitted.segment(c * problem.samples.cols(), problem.samples.cols());
        problem.samples.row(c) = of_coil.cwiseQuotient(problem.trajectory->weights.cwiseSqrt()) +
                                 1e-4 * problem.samples.row(c).transpose();
    }
    Reporter report;
    const EquationsOf by(*on.opened, problem);
    const SolveOptions options{smallest_lambda, 300, 1e-4};
    const LambdaCurve curve =
        make_lambda_curve(by.n, problem.frame(), by.encoding.adjoint(problem.samples), 0, options,
                          by_all_iterations(options), report);
    const Dense dense = dense_of(problem);
    const LambdaPoint& first = curve.points.front();
    const double residual = dense.at(first.lambda)[0];
    EXPECT_NEAR(first.residual, residual, 0.01 * residual) << residual / curve.data;
}

TEST_P(LambdaCurves, TheSolutionExplainsWhatItsResidualLeaves) {
    const test::Problem problem = problem_of("explained", {7, 5, 0}, 90);
    Reporter report;
    const EquationsOf by(*on.opened, problem);
    SolveOptions options;
    options.lambda = 0.05;
    const RightHandSides fhd = by.encoding.adjoint(problem.samples);
    const Solved solved = by.solve(fhd.volumes, options, report);
    const ComplexVector data = weighted(problem, problem.samples);
    const double energy = energy_of(*problem.trajectory, problem.samples);
    EXPECT_NEAR(energy, data.squaredNorm(), 1e-9 * energy);
    const double misfit = (dense_model(problem) * solved.image - data).squaredNorm();
    EXPECT_NEAR(energy - solved.explained, misfit,
                energy * 10 * (by.error(fhd) + on.opened->epsilon()));
}

TEST_P(LambdaCurves, AnImageThatGoesOnExplainsMoreUntilItIsEnough) {
    const test::Problem problem = problem_of("goes on", {7, 5, 0}, 90);
    Reporter report;
    const EquationsOf by(*on.opened, problem);
    SolveOptions options;
    options.lambda = 1;
    const std::vector<Volume> fhd = by.encoding.adjoint(problem.samples).volumes;
    const ComplexVector smooth = by.solve(fhd, options, report).image;
    const LeastSquares least(by.n, SolveOptions{1e-4});
    System& system = least.system();

    const Dense dense = dense_of(problem);
    const double energy = dense.data.squaredNorm();
    const double most = energy - dense.at(1e-4)[0];
    const double by_smooth = energy - (dense.model * smooth - dense.data).squaredNorm();
    const double unreached = system.explained_from(smooth, fhd[0], 60, 2 * energy);
    EXPECT_NEAR(unreached, most, 0.001 * energy);
    const double half_way = (by_smooth + most) / 2;
    const double enough = system.explained_from(smooth, fhd[0], 60, half_way);
    EXPECT_GE(enough, half_way);
    EXPECT_LE(enough, most + 0.001 * energy);
}

INSTANTIATE_TEST_SUITE_P(Devices, LambdaCurves, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
