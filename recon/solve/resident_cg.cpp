#include "solve/resident_cg.hpp"

#include "base/error.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

Solution resident_conjugate_gradient(ResidentSystem& system, const ComplexVector& b,
                                     const SolveOptions& options,
                                     const std::function<void(double)>& progress) {
    const double norm = b.stableNorm();
    if (norm == 0) {
        return zero_solution(b.size());
    }
    if (const double reach = smallest_tolerance(system.epsilon()); options.tolerance < reach) {
        throw ToleranceError(text("the device's precision keeps a --tolerance from ", reach,
                                  ", not ", options.tolerance));
    }
    Residuals residuals(options, progress);
    residuals.add(norm / norm); // 1, or NaN for a right-hand side that is not finite
    system.load(b);
    for (int i = 0; i < options.iterations && !residuals.reached(); ++i) {
        const ResidentSystem::Step step = system.iterate();
        residuals.require_positive(step.curvature);
        residuals.add(step.residual);
    }
    const ComplexVector x = system.solution();
    residuals.require_finite(x);
    const double truth = (b - system.apply(x)).stableNorm() / norm;
    if (residuals.reached() && !(truth <= options.tolerance)) {
        throw ToleranceError(text("solve: rounding on the device ends at a relative residual of ",
                                  truth, ", above --tolerance ", options.tolerance));
    }
    const Stop stop = residuals.stop();
    residuals.correct_last(truth);
    return {x, residuals.history(), stop};
}

} // namespace lsrecon
