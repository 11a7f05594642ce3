#include "solve/cg.hpp"

#include <cmath>

#include "base/error.hpp"
#include "solve/late_change.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

void require_tolerance(double tolerance, Precision precision) {
    const double reach = smallest_tolerance(unit_roundoff(precision));
    if (tolerance < reach) {
        throw ToleranceError(
            text("in this precision the device reaches a `tolerance` of ", reach, " at best; ",
                 tolerance, " was asked for\n  next:     ",
                 precision == Precision::float32 ? "pass `precision` double, or " : "pass ",
                 "a larger `tolerance`"));
    }
}

namespace {

/// ||b - A x||; `workspace` is overwritten.
double true_residual(Device& device, SelfAdjoint& a, const Array& x, Array b, Array& workspace) {
    a.apply(x, workspace);
    device.combine(-1, workspace, 1, b);
    return std::sqrt(device.dot(b, b));
}

} // namespace

Solution conjugate_gradient(Device& device, SelfAdjoint& a, Precision precision,
                            SelfAdjoint* inverse, const Volume& b, const SolveOptions& options) {
    // b of norm 1: squares of floats leave their range at 1e19, which a scan in other units may
    // reach.
    const double norm = b.norm();
    if (norm == 0) {
        return zero_solution(static_cast<Eigen::Index>(b.count()));
    }
    require_tolerance(options.tolerance, precision);
    Residuals residuals(options);
    residuals.add(norm / norm); // 1, or NaN for a right-hand side that is not finite
    const auto zeros = [&] { return device.zeros(a.inputs(), {true, precision}); };
    Array x = zeros();
    Array r = b.on(device, precision, 1 / norm);
    Array p = zeros();
    Array a_p = zeros();
    Array z = inverse ? zeros() : r; // without, the same array
    const auto precondition = [&] {
        if (inverse) {
            inverse->apply(r, z);
        }
        return device.dot(r, z);
    };
    double product = precondition(); // r^H z
    EarlierImage earlier(options.iterations);
    Iterations run;
    device.combine(1, z, 0, p);
    for (int i = 0; i < options.iterations && !residuals.reached(); ++i) {
        earlier.before(i, device, x);
        a.apply(p, a_p);
        const double curvature = device.dot(p, a_p);
        residuals.require_positive(curvature);
        const double alpha = product / curvature;
        device.combine(alpha, p, 1, x);
        device.combine(-alpha, a_p, 1, r);
        const double before = product;
        product = precondition();
        residuals.add(std::sqrt(inverse ? device.dot(r, r) : product));
        device.combine(1, z, product / before, p);
        run.alphas.push_back(alpha);
        run.betas.push_back(product / before);
    }
    if (options.looks_ahead) {
        a.apply(p, a_p);
        run.next_alpha = product / device.dot(p, a_p);
    }
    const double truth = true_residual(device, a, x, b.on(device, precision, 1 / norm), a_p);
    const ComplexVector solution = norm * device.download(x);
    residuals.require_finite(solution);
    if (residuals.reached() && !(truth <= options.tolerance)) {
        throw ToleranceError(text("solve: rounding on the device limits the relative residual to ",
                                  truth, ", above `tolerance` ", options.tolerance));
    }
    const Stop stop = residuals.stop();
    residuals.correct_last(truth);
    ComplexVector before = stop == Stop::iterations ? earlier.take(norm) : ComplexVector();
    return {solution, residuals.history(), stop, std::move(before),
            inverse ? Iterations() : std::move(run)};
}

Cost cost_of_conjugate_gradient(std::size_t voxels, Precision precision, bool preconditioned) {
    const double vectors = preconditioned ? 5 : 4; // x, r, p, A p; z
    return vectors * Cost::array(voxels, Element{true, precision}.bytes());
}

} // namespace lsrecon
