// The residuals by which a solve ends, and the late change of its image.

#pragma once

#include <utility>
#include <vector>

#include "base/linear_algebra.hpp"
#include "base/types.hpp"
#include "device/device.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// The residuals of conjugate gradients on their way down, and the rules by which every solver
/// stops.
class Residuals {
public:
    explicit Residuals(const SolveOptions& options) : options_(options) {}

    /// ||b - A x|| / ||b|| before the next iteration, which the monitor hears. ToleranceError when
    /// it diverges or stops being finite.
    void add(double relative);
    /// Replaces the last residual of the recurrence by the measured one.
    void correct_last(double relative) { history_.back() = relative; }
    /// ToleranceError when p^H A p is negative.
    void require_positive(double curvature) const;
    /// ToleranceError when a value is not finite.
    void require_finite(const ComplexVector& x);

    /// The relative residual that ends the iterations. It is below 1, the residual of x = 0, so
    /// that at least one iteration is done for any tolerance.
    double target() const;
    bool reached() const { return history_.back() < target(); }
    Stop stop() const { return reached() ? Stop::tolerance : Stop::iterations; }
    const std::vector<double>& history() const { return history_; }

private:
    SolveOptions options_;
    std::vector<double> history_;
};

/// The solution for a right-hand side of zeros.
Solution zero_solution(Eigen::Index size);

/// An image that changed less in its late iterations has settled.
constexpr double settled_change = 0.01;

/// The number of iterations at the end of a solve that show whether more would change the image.
inline int late_iterations(int iterations) {
    return (iterations + 9) / 10;
}

/// The image before the last iterations. A residual says little of how much these change it: the
/// directions that the scan hardly measured come last, and have small residuals all along.
class EarlierImage {
public:
    explicit EarlierImage(int iterations) : first_(iterations - late_iterations(iterations)) {}

    /// Iteration `i`, from 0, begins with x.
    void before(int i, Device& device, const Array& x) {
        if (i == first_) {
            values_ = device.download(x);
        }
    }
    const ComplexVector& values() const { return values_; }
    /// Times `scale`, once; empty when none of the late iterations began.
    ComplexVector take(double scale) {
        multiply(values_, scale);
        return std::move(values_);
    }

private:
    int first_;
    ComplexVector values_;
};

/// ||image - earlier|| / ||image||; 0 without one of them.
inline double relative_change(const ComplexVector& image, const ComplexVector& earlier) {
    const double size = norm_of(image);
    return size > 0 && earlier.size() > 0 ? norm_of(image - earlier) / size : 0;
}

} // namespace lsrecon
