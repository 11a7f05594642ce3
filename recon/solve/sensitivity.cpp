#include "solve/sensitivity.hpp"

#include <Eigen/Eigenvalues>
#include <random>

namespace lsrecon {

// sqrt(t) / (t + lambda) is largest at t = lambda; the mean of t is that of the diagonal, 1.
Amplification amplification_by(double lambda) {
    const double of_any = 1 / lambda;
    return {std::min(of_any, 0.5 / std::sqrt(lambda)), of_any};
}

Sensitivity::Sensitivity(Iterations run, double lambda) : run_(std::move(run)), lambda_(lambda) {
    std::vector<double> alphas = run_.alphas;
    if (std::isfinite(run_.next_alpha) && run_.next_alpha > 0) {
        alphas.push_back(run_.next_alpha);
    }
    const auto count = static_cast<Eigen::Index>(alphas.size());
    RealVector diagonal(count);
    RealVector beside(count - 1);
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        diagonal(i) = 1 / alphas[at] + (i > 0 ? run_.betas[at - 1] / alphas[at - 1] : 0);
        if (i + 1 < count) {
            beside(i) = std::sqrt(run_.betas[at]) / alphas[at];
        }
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, beside);
    values_ = solver.eigenvalues();
    b_ = solver.eigenvectors().row(0).transpose();
    x_ = image_of(b_);
}

// The factor on one eigenvalue: the approximate solution x of t x = 1 that the coefficients give.
double Sensitivity::polynomial(double eigenvalue) const {
    double x = 0;
    double r = 1;
    double p = 1;
    for (std::size_t i = 0; i < run_.alphas.size(); ++i) {
        x += run_.alphas[i] * p;
        r -= run_.alphas[i] * eigenvalue * p;
        p = r + run_.betas[i] * p;
    }
    return x;
}

Amplification Sensitivity::amplification() const {
    constexpr int a_decade = 8;
    constexpr int decades = 12;
    const double of_any = polynomial(lambda_);
    double of_terms = 0;
    for (int i = 0; i <= a_decade * decades; ++i) {
        const double t = values_.maxCoeff() * std::pow(10, -static_cast<double>(i) / a_decade);
        of_terms = std::max(of_terms, std::sqrt(t) * std::abs(polynomial(t + lambda_)));
    }
    return {std::min(of_any, of_terms), of_any};
}

// The result of as many conjugate gradients on the diagonal matrix of Ritz values.
RealVector Sensitivity::image_of(RealVector b) const {
    RealVector x = RealVector::Zero(b.size());
    RealVector p = b;
    double squares = b.squaredNorm();
    for (std::size_t i = 0; i < run_.alphas.size(); ++i) {
        const RealVector a_p = values_.cwiseProduct(p);
        const double curvature = p.dot(a_p);
        if (!(curvature > 0)) {
            break; // nothing is left
        }
        x += squares / curvature * p;
        b -= squares / curvature * a_p;
        const double before = squares;
        squares = b.squaredNorm();
        p = b + squares / before * p;
    }
    return x;
}

double Sensitivity::change(double error, std::size_t unknowns) const {
    constexpr int draws = 8;
    const double of_direction = error / std::sqrt(static_cast<double>(unknowns));
    std::mt19937_64 generator(1);
    double largest = 0;
    for (int i = 0; i < draws; ++i) {
        RealVector b = b_;
        for (double& value : b) {
            value += generator() % 2 == 0 ? of_direction : -of_direction;
        }
        largest = std::max(largest, (image_of(b) - x_).norm());
    }
    return largest / x_.norm();
}

} // namespace lsrecon
