#include "solve/summary.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// "15" or "9 to 15".
std::string range_of(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *least == *most ? text(*most) : text(*least, " to ", *most);
}

} // namespace

void SolveSummary::add(const CoilMatrix& fhd, const Solved& solved, double q_at_zero,
                       double error) {
    for (std::size_t p = 0; p < solved.residuals.size(); ++p) {
        const auto row = static_cast<Eigen::Index>(p);
        residuals_.push_back(solved.residuals[p].back());
        iterations_.push_back(static_cast<double>(solved.residuals[p].size() - 1));
        ended_by_limit_ += solved.stops[p] == Stop::iterations ? 1 : 0;
        resolved_ =
            std::max(resolved_, resolved_lambda(error, fhd.row(row).transpose(),
                                                solved.rho.row(row).transpose(), q_at_zero));
    }
}

double SolveSummary::worst_residual() const {
    return *std::max_element(residuals_.begin(), residuals_.end());
}

std::string SolveSummary::as_text() const {
    const std::size_t solves = residuals_.size();
    const std::string count = range_of(iterations_);
    std::string line = solves == 1 ? "" : text(solves, " solves ");
    line += text("stopped at ", count, count == "1" ? " iteration" : " iterations", " with ");
    line += solves == 1 ? text("residual ", rounded(worst_residual()))
                        : text("residuals up to ", rounded(worst_residual()), ", median ",
                               rounded(median(residuals_)));
    line += text(" (asked ", rounded(options_.tolerance), "): ");
    if (ended_by_limit_ == 0) {
        return line + "the tolerance ended the solve";
    }
    line += "the iteration limit ended ";
    line += ended_by_limit_ == solves ? "the solve" : text(ended_by_limit_, " of them");
    return kept_tolerance() ? line : line + "; more: --iterations";
}

std::string SolveSummary::about_lambda() const {
    return text("lambda ", rounded(options_.lambda),
                " is below what the precision of the transforms resolves for this scan, ",
                rounded(resolved_),
                ": rounding may show in the image; a larger --lambda, or fewer --iterations, keeps "
                "it out");
}

std::vector<std::pair<std::string, double>> SolveSummary::numbers() const {
    return {{"residual_worst", worst_residual()},
            {"residual_median", median(residuals_)},
            {"lambda_resolved", resolved_}};
}

double resolved_lambda(double error, const ComplexVector& b, const ComplexVector& x,
                       double q_at_zero) {
    const double size = x.stableNorm();
    return size > 0 ? error * (b.stableNorm() / size / q_at_zero) : 0;
}

} // namespace lsrecon
