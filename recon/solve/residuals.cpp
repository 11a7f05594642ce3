// Records residuals, and stops a solve that diverges.

#include "solve/residuals.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// CG's residual may rise by the square root of the condition number on its way down; beyond this
/// it does not recover.
constexpr double diverged = 1e6;

/// The residual of the normal equations understates the error of the image, by up to the condition
/// number. Measured on a phantom spiral with lambda 0.01: image error 1.7e-5 at a residual of 1e-7,
/// 2e-6 at a tenth of it, which took a fifth more iterations.
constexpr double safety = 0.1;

constexpr double largest_target = 0.99;

} // namespace

void Residuals::add(double relative) {
    if (options_.monitor) {
        options_.monitor({0, history_.size(), relative});
    }
    if (!(relative < diverged)) {
        throw ToleranceError(text(
            "solve: the relative residual became ", relative, " at iteration ", history_.size(),
            "\n  expected: a residual that falls, for a positive operator\n  next:     "
            "pass `precision` double, raise `lambda`, or run 'lsrecon validate' on this device"));
    }
    history_.push_back(relative);
}

void Residuals::require_positive(double curvature) const {
    if (curvature < 0) {
        throw ToleranceError(
            text("solve: p^H A p became ", curvature, " at iteration ", history_.size(),
                 "\n  expected: a positive operator\n  next:     pass "
                 "`precision` double, raise `lambda`, or run 'lsrecon validate' on this device"));
    }
}

void Residuals::require_finite(const ComplexVector& x) {
    std::atomic<bool> all{true};
    for_each_segment(x, [&](const auto& segment, Eigen::Index) {
        if (!segment.allFinite()) {
            all = false;
        }
    });
    if (!all) {
        add(std::numeric_limits<double>::quiet_NaN());
    }
}

double Residuals::target() const {
    return std::min(largest_target, safety * options_.tolerance);
}

Solution zero_solution(Eigen::Index size) {
    return {ComplexVector::Zero(size), {0}, Stop::tolerance};
}

} // namespace lsrecon
