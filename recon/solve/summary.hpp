#pragma once

#include "solve/solve.hpp"

namespace lsrecon {

/// What the solver did to all problems of a scan.
class SolveSummary {
public:
    explicit SolveSummary(const SolveOptions& options) : options_(options) {}

    /// The problems of one frame: their right-hand sides, and what was made of them in normal
    /// equations of this relative error.
    void add(const CoilMatrix& fhd, const Solved& solved, double q_at_zero, double error);

    bool kept_tolerance() const { return worst_residual() <= options_.tolerance; }
    /// One line: iterations done, why they ended, the residual and the one asked for.
    std::string as_text() const;

    /// Whether rounding in the transforms decides over the image as much as lambda does; false
    /// without lambda, when stopping early is what regularises.
    bool lambda_is_lost() const { return options_.lambda > 0 && options_.lambda < resolved_; }
    std::string about_lambda() const;

    /// For the record: worst and median of the final residuals, the smallest lambda that is
    /// resolved.
    std::vector<std::pair<std::string, double>> numbers() const;

private:
    double worst_residual() const;

    SolveOptions options_;
    std::vector<double> residuals_; ///< the last of every problem
    std::vector<double> iterations_; ///< done
    std::size_t ended_by_limit_ = 0;
    double resolved_ = 0;
};

/// The lambda below which an error of A and b, relative to b, says more about the solution of
/// (A + lambda Q(0) I) x = b than the data do:
///
///     error ||b|| / (Q(0) ||x||)
///
/// The error is spread over all directions. In those that the scan did not measure it is divided by
/// lambda Q(0), and is then as large as x. ||b|| / ||x|| is at most ||A|| and, where the image lies
/// in what was measured best, nearly that.
double resolved_lambda(double error, const ComplexVector& b, const ComplexVector& x,
                       double q_at_zero);

} // namespace lsrecon
