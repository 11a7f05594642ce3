#include "solve/sensitivity.hpp"

#include <Eigen/Eigenvalues>
#include <random>

namespace lsrecon {

namespace {

/// After `count` iterations from 0 with these coefficients, the image of b = 1 of an A = `value`.
double image_of(const Iterations& run, double value) {
    double x = 0;
    double r = 1;
    double p = 1;
    for (std::size_t i = 0; i < run.alphas.size(); ++i) {
        x += run.alphas[i] * p;
        r -= run.alphas[i] * value * p;
        p = r + run.betas[i] * p;
    }
    return x;
}

/// Conjugate gradients on a diagonal.
RealVector iterate(const RealVector& diagonal, const RealVector& b, std::size_t iterations) {
    RealVector x = RealVector::Zero(b.size());
    RealVector r = b;
    RealVector p = b;
    double squares = r.squaredNorm();
    for (std::size_t i = 0; i < iterations && squares > 0; ++i) {
        const RealVector a_p = diagonal.cwiseProduct(p);
        const double alpha = squares / p.dot(a_p);
        x += alpha * p;
        r -= alpha * a_p;
        const double before = squares;
        squares = r.squaredNorm();
        p = r + squares / before * p;
    }
    return x;
}

/// Of A in the Krylov space of one more iteration: eigenvalues, and b in their directions.
struct Spectrum {
    RealVector values;
    RealVector b;
};

Spectrum spectrum_of(const Iterations& run) {
    std::vector<double> alphas = run.alphas;
    if (std::isfinite(run.next_alpha) && run.next_alpha > 0) {
        alphas.push_back(run.next_alpha);
    }
    const auto count = static_cast<Eigen::Index>(alphas.size());
    RealVector diagonal(count);
    RealVector beside(count - 1);
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        diagonal(i) = 1 / alphas[at] + (i > 0 ? run.betas[at - 1] / alphas[at - 1] : 0);
        if (i + 1 < count) {
            beside(i) = std::sqrt(run.betas[at]) / alphas[at];
        }
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, beside);
    return {solver.eigenvalues(), solver.eigenvectors().row(0).transpose()};
}

} // namespace

// sqrt(t) / (t + lambda) is largest at t = lambda. The mean of t is 1, that of the diagonal.
Amplification amplification_by(double lambda) {
    const double largest = 1 / lambda;
    return {std::min(largest, 0.5 / std::sqrt(lambda)), largest};
}

Amplification amplification_by(const Iterations& run, double lambda) {
    constexpr int a_decade = 8;
    constexpr int decades = 12;
    const double largest = image_of(run, lambda);
    const double most = spectrum_of(run).values.maxCoeff();
    double of_terms = 0;
    for (int i = 0; i <= a_decade * decades; ++i) { // up to the eigenvalues
        const double t = most * std::pow(10, -static_cast<double>(i) / a_decade);
        of_terms = std::max(of_terms, std::sqrt(t) * std::abs(image_of(run, t + lambda)));
    }
    return {std::min(largest, of_terms), largest};
}

double change_of_iterations(const Iterations& run, double error, std::size_t unknowns) {
    constexpr int draws = 8;
    const Spectrum spectrum = spectrum_of(run);
    const std::size_t iterations = run.alphas.size();
    const RealVector x = iterate(spectrum.values, spectrum.b, iterations);
    const double of_direction = error / std::sqrt(static_cast<double>(unknowns));
    std::mt19937_64 generator(1);
    double moved = 0; // the largest square
    for (int i = 0; i < draws; ++i) {
        RealVector b = spectrum.b;
        for (double& value : b) {
            value += generator() % 2 == 0 ? of_direction : -of_direction;
        }
        moved = std::max(moved, (iterate(spectrum.values, b, iterations) - x).squaredNorm());
    }
    return std::sqrt(moved) / x.norm();
}

} // namespace lsrecon
