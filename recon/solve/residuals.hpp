#pragma once

#include <vector>

#include "base/types.hpp"
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

} // namespace lsrecon
