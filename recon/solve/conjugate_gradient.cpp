#include "solve/conjugate_gradient.hpp"

#include <Eigen/IterativeLinearSolvers>

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

} // namespace lsrecon
