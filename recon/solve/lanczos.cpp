// Runs plain conjugate gradients, and derives solutions and errors from their coefficients.

#include "solve/lanczos.hpp"

#include <cmath>
#include <random>

#include <Eigen/Eigenvalues>

#include "base/linear_algebra.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

PlainRun::PlainRun(Device& device, SelfAdjoint& a, Precision precision, const Volume& b,
                   bool keeps_image)
    : device_(device), a_(a), norm_(b.norm()) {
    if (norm_ == 0) {
        return;
    }
    const auto zeros = [&] { return device.zeros(a.inputs(), {true, precision}); };
    r_ = b.on(device, precision, 1 / norm_); // of norm 1, as of conjugate_gradient()
    p_ = zeros();
    a_p_ = zeros();
    if (keeps_image) {
        x_ = zeros();
    }
    device.combine(1, r_, 0, p_);
    square_ = device.dot(r_, r_);
}

void PlainRun::go_on(int iterations, double target) {
    if (norm_ == 0) {
        return;
    }
    Residuals residuals((SolveOptions()));
    residuals.add(std::sqrt(square_)); // or NaN for a right-hand side that is not finite
    std::vector<double>& alphas = coefficients_.alphas;
    while (static_cast<int>(alphas.size()) < iterations && std::sqrt(square_) >= target) {
        a_.apply(p_, a_p_);
        const double curvature = device_.dot(p_, a_p_);
        residuals.require_positive(curvature);
        const double alpha = square_ / curvature;
        if (!x_.empty()) {
            device_.combine(alpha, p_, 1, x_);
        }
        device_.combine(-alpha, a_p_, 1, r_);
        const double before = square_;
        square_ = device_.dot(r_, r_);
        residuals.add(std::sqrt(square_));
        device_.combine(1, r_, square_ / before, p_);
        alphas.push_back(alpha);
        coefficients_.betas.push_back(square_ / before);
    }
}

ComplexVector PlainRun::image() const {
    if (norm_ == 0) {
        return ComplexVector::Zero(static_cast<Eigen::Index>(a_.inputs()));
    }
    return times(device_.download(x_), norm_);
}

void PlainRun::add_to(double factor, Array& sum) const {
    if (norm_ > 0) {
        device_.combine(factor * norm_, x_, 1, sum);
    }
}

namespace {

/// The pivots D of L D L^T = T + shift. T has this diagonal, and `beside` next to it.
std::vector<double> pivots_of(const std::vector<double>& diagonal,
                              const std::vector<double>& beside, double shift) {
    std::vector<double> pivots(diagonal.size());
    for (std::size_t i = 0; i < pivots.size(); ++i) {
        pivots[i] =
            diagonal[i] + shift - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivots[i - 1]);
    }
    return pivots;
}

} // namespace

ShiftedForms::ShiftedForms(const Iterations& run, double squares, double shift)
    : squares_(squares), shift_(shift) {
    for (std::size_t i = 0; i < run.alphas.size(); ++i) {
        const double before = i == 0 ? 0 : run.betas[i - 1] / run.alphas[i - 1];
        diagonal_.push_back(1 / run.alphas[i] + before);
        beside_.push_back(std::sqrt(run.betas[i]) / run.alphas[i]);
    }
}

// The solution of (A + shift) x = b is x = ||b|| V y, where (T + shift) y = e_1 and T + shift = L D
// L^T.
ShiftedForms::Forms ShiftedForms::at(double shift) const {
    const std::size_t count = diagonal_.size();
    if (count == 0) {
        return {};
    }
    const std::vector<double> pivots = pivots_of(diagonal_, beside_, shift - shift_);
    const auto solve = [&](std::vector<double> values) {
        for (std::size_t i = 1; i < count; ++i) {
            values[i] -= beside_[i - 1] / pivots[i - 1] * values[i - 1];
        }
        for (std::size_t i = count; i-- > 0;) {
            values[i] = (values[i] - (i + 1 < count ? beside_[i] * values[i + 1] : 0)) / pivots[i];
        }
        return values;
    };
    std::vector<double> first(count, 0);
    first[0] = 1;
    const std::vector<double> y = solve(first);
    Forms forms{squares_ * y[0], 0, beside_.back() * std::abs(y.back())};
    for (const double value : y) {
        forms.x_x += squares_ * value * value;
    }
    return forms;
}

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
