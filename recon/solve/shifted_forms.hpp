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
    /// Where the quadrature has nodes: at the Ritz values, or at 0 as well (Gauss-Radau), below all
    /// eigenvalues of A. For 1 / (t + shift) the first is too small and the second too large.
    enum class Nodes { of_gauss, with_zero };
    /// A run on A + shift, whose right-hand side has the square `squares`; `shift` is the smallest
    /// that can be asked for. Where rounding leaves the run no positive T there is no node at 0.
    ShiftedForms(const Iterations& run, double squares, double shift,
                 Nodes nodes = Nodes::of_gauss);

    struct Forms {
        double b_x = 0; ///< Re <b, x>
        double x_x = 0; ///< ||x||^2
        double slope = 0; ///< <x, (A + shift)^-1 x>, half of -d ||x||^2 / d shift
        /// ||b - (A + shift) x|| / ||b|| of the run for this shift; 0 with a node at 0.
        double residual = 0;
    };
    /// The forms of the iterate that conjugate gradients on A + shift reach after as many
    /// iterations. With a node at 0 there is no such iterate.
    Forms at(double shift) const;

private:
    double squares_;
    double shift_;
    std::vector<double> diagonal_; ///< diagonal of T + shift, and the one by which T has the node
    std::vector<double> beside_; ///< one fewer, and without that node the next one of a longer run
};

} // namespace lsrecon
