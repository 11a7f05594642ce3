// Conjugate gradients by Eigen for a function, and on the arrays of a device.

#include "solve/conjugate_gradient.hpp"

#include <cmath>

#include <Eigen/IterativeLinearSolvers>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

class MatrixFree;
}

namespace Eigen::internal {
/// Eigen's solvers take the matrix for a sparse one.
template <> struct traits<lsrecon::MatrixFree> : public traits<SparseMatrix<std::complex<double>>> {
};
} // namespace Eigen::internal

namespace lsrecon {

/// A function that looks like a matrix to Eigen's iterative solvers (Eigen's manual, "Matrix-free
/// solvers").
class MatrixFree : public Eigen::EigenBase<MatrixFree> {
public:
    using Scalar = Complex;
    using RealScalar = double;
    using StorageIndex = int;
    enum {
        ColsAtCompileTime = Eigen::Dynamic,
        MaxColsAtCompileTime = Eigen::Dynamic,
        IsRowMajor = false
    };

    MatrixFree(const std::function<ComplexVector(const ComplexVector&)>& apply, Eigen::Index size)
        : apply_(apply), size_(size) {}
    Eigen::Index rows() const { return size_; }
    Eigen::Index cols() const { return size_; }
    ComplexVector operator()(const ComplexVector& x) const { return apply_(x); }

    template <typename Rhs> Eigen::Product<MatrixFree, Rhs, Eigen::AliasFreeProduct>
    operator*(const Eigen::MatrixBase<Rhs>& x) const {
        return {*this, x.derived()};
    }

private:
    const std::function<ComplexVector(const ComplexVector&)>& apply_;
    Eigen::Index size_;
};

namespace {

/// The identity, which records every residual that passes through it: Eigen keeps no history.
class ResidualRecorder : public Eigen::IdentityPreconditioner {
public:
    void start(Residuals& residuals) { residuals_ = &residuals; }

    template <typename Rhs> ComplexVector solve(const Rhs& residual) const {
        residuals_->add(residual.norm()); // b has norm 1
        return residual;
    }

private:
    Residuals* residuals_ = nullptr;
};

} // namespace
} // namespace lsrecon

namespace Eigen::internal {
template <typename Rhs>
struct generic_product_impl<lsrecon::MatrixFree, Rhs, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<lsrecon::MatrixFree, Rhs,
                                generic_product_impl<lsrecon::MatrixFree, Rhs>> {
    using Scalar = std::complex<double>;
    template <typename Result> static void scaleAndAddTo(Result& result,
                                                         const lsrecon::MatrixFree& matrix,
                                                         const Rhs& x, const Scalar& alpha) {
        result += alpha * matrix(x);
    }
};
} // namespace Eigen::internal

namespace lsrecon {

Solution conjugate_gradient(const std::function<ComplexVector(const ComplexVector&)>& apply,
                            const ComplexVector& b, const SolveOptions& options) {
    // Eigen squares norms, and takes a right-hand side for zero whose square is below 1e-308.
    const double norm = b.stableNorm();
    if (norm == 0) {
        return zero_solution(b.size());
    }
    Residuals residuals(options);
    // Eigen would continue with a step of the wrong sign.
    const std::function<ComplexVector(const ComplexVector&)> positive =
        [&](const ComplexVector& p) {
            ComplexVector product = apply(p);
            residuals.require_positive(p.dot(product).real());
            return product;
        };
    const MatrixFree matrix(positive, b.size());
    Eigen::ConjugateGradient<MatrixFree, Eigen::Lower | Eigen::Upper, ResidualRecorder> solver;
    solver.setMaxIterations(options.iterations);
    solver.setTolerance(residuals.target());
    solver.compute(matrix);
    solver.preconditioner().start(residuals);
    const ComplexVector of_norm_1 = b / norm;
    const ComplexVector x = norm * solver.solve(of_norm_1);
    // Eigen leaves its loop before it asks the preconditioner once more when it has converged;
    // otherwise its error is the last residual, but for rounding.
    constexpr double rounding = 1e-9;
    if (solver.error() < (1 - rounding) * residuals.history().back()) {
        residuals.add(solver.error());
    }
    residuals.require_finite(x);
    return {x, residuals.history(), residuals.stop()};
}

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

namespace {

/// The iterations for a right-hand side over its norm, and their image on the device.
struct Iterated {
    Array x;
    Residuals residuals;
    Stop stop;
    Iterations run;
};

/// `earlier`, or null, keeps x before the late iterations.
Iterated iterate(Device& device, SelfAdjoint& a, Precision precision, SelfAdjoint* inverse,
                 const Volume& b, const SolveOptions& options, EarlierImage* earlier) {
    require_tolerance(options.tolerance, precision);
    // b of norm 1: squares of floats leave their range at 1e19, which a scan in other units may
    // reach.
    const double norm = b.norm();
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
    Iterations run;
    device.combine(1, z, 0, p);
    for (int i = 0; i < options.iterations && !residuals.reached(); ++i) {
        if (earlier != nullptr) {
            earlier->before(i, device, x);
        }
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
    if (!std::isfinite(truth)) {
        residuals.add(truth);
    }
    if (residuals.reached() && !(truth <= options.tolerance)) {
        throw ToleranceError(text("solve: rounding on the device limits the relative residual to ",
                                  truth, ", above `tolerance` ", options.tolerance));
    }
    const Stop stop = residuals.stop();
    residuals.correct_last(truth);
    return {std::move(x), std::move(residuals), stop, std::move(run)};
}

} // namespace

Solution conjugate_gradient(Device& device, SelfAdjoint& a, Precision precision,
                            SelfAdjoint* inverse, const Volume& b, const SolveOptions& options) {
    const double norm = b.norm();
    if (norm == 0) {
        return zero_solution(static_cast<Eigen::Index>(b.count()));
    }
    EarlierImage earlier(options.iterations);
    Iterated done = iterate(device, a, precision, inverse, b, options, &earlier);
    ComplexVector x = device.download(done.x);
    multiply(x, norm);
    return {std::move(x), done.residuals.history(), done.stop,
            done.stop == Stop::iterations ? earlier.take(norm) : ComplexVector(),
            inverse ? Iterations() : std::move(done.run)};
}

void add_solution(Device& device, SelfAdjoint& a, Precision precision, SelfAdjoint* inverse,
                  const Volume& b, const SolveOptions& options, Array& sum) {
    const double norm = b.norm();
    if (norm > 0) {
        device.combine(norm, iterate(device, a, precision, inverse, b, options, nullptr).x, 1, sum);
    }
}

ComplexVector repeated(Device& device, SelfAdjoint& a, Precision precision, const Volume& b,
                       const Iterations& run) {
    const double norm = b.norm();
    if (norm == 0) {
        return ComplexVector::Zero(static_cast<Eigen::Index>(b.count()));
    }
    Array x = device.zeros(a.inputs(), {true, precision});
    Array r = b.on(device, precision, 1 / norm);
    Array p = device.zeros(a.inputs(), {true, precision});
    Array a_p = device.zeros(a.inputs(), {true, precision});
    device.combine(1, r, 0, p);
    for (std::size_t i = 0; i < run.alphas.size(); ++i) {
        a.apply(p, a_p);
        device.combine(run.alphas[i], p, 1, x);
        device.combine(-run.alphas[i], a_p, 1, r);
        device.combine(1, r, run.betas[i], p);
    }
    ComplexVector solution = device.download(x);
    multiply(solution, norm);
    return solution;
}

Cost cost_of_conjugate_gradient(std::size_t voxels, Precision precision, bool preconditioned) {
    const double vectors = preconditioned ? 5 : 4; // x, r, p, A p; z
    return vectors * Cost::array(voxels, Element{true, precision}.bytes());
}

} // namespace lsrecon
