#pragma once

#include <vector>

#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// Inner products and norms of x = (A + shift)^-1 b for every shift, from one run of conjugate
/// gradients without preconditioner. The coefficients of the run are Lanczos' tridiagonal matrix T
/// of A in the Krylov space of b, and b^H f(A) b = ||b||^2 (f(T))_11 is a Gauss quadrature (Golub
/// and Meurant 2010, Matrices, Moments and Quadrature, chapters 6 and 15). No shift needs another
/// product with A.
class ShiftedForms {
public:
    /// A run on A + shift, whose right-hand side has the square `squares`; `shift` is the smallest
    /// that can be asked for.
    ShiftedForms(const Iterations& run, double squares, double shift);

    struct Forms {
        double b_x = 0; ///< Re <b, x>
        double x_x = 0; ///< ||x||^2
        double residual = 0; ///< ||b - (A + shift) x|| / ||b|| of the run for this shift
    };
    /// The forms of the iterate that conjugate gradients on A + shift reach after as many
    /// iterations.
    Forms at(double shift) const;

private:
    double squares_;
    double shift_;
    std::vector<double> diagonal_; ///< diagonal of T + shift
    std::vector<double> beside_; ///< what is beside it, and the next one of a longer run
};

} // namespace lsrecon
