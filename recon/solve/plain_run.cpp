#include "solve/plain_run.hpp"

#include <cmath>

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
    return norm_ * device_.download(x_);
}

} // namespace lsrecon
