#include "solve/shifted_forms.hpp"

#include <cmath>

namespace lsrecon {

namespace {

/// The pivots D of L D L^T = T + shift. T has this diagonal, and `beside` next to it.
std::vector<double> pivots_of(const std::vector<double>& diagonal,
                              const std::vector<double>& beside, double shift) {
    std::vector<double> pivots(diagonal.size());
    for (std::size_t i = 0; i < pivots.size(); ++i) {
        pivots[i] =
            diagonal[i] + shift - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivots[i - 1]);
    }
    return pivots;
}

} // namespace

ShiftedForms::ShiftedForms(const Iterations& run, double squares, double shift)
    : squares_(squares), shift_(shift) {
    for (std::size_t i = 0; i < run.alphas.size(); ++i) {
        const double before = i == 0 ? 0 : run.betas[i - 1] / run.alphas[i - 1];
        diagonal_.push_back(1 / run.alphas[i] + before);
        beside_.push_back(std::sqrt(run.betas[i]) / run.alphas[i]);
    }
}

// The solution of (A + shift) x = b is x = ||b|| V y, where (T + shift) y = e_1 and T + shift = L D
// L^T.
ShiftedForms::Forms ShiftedForms::at(double shift) const {
    const std::size_t count = diagonal_.size();
    if (count == 0) {
        return {};
    }
    const std::vector<double> pivots = pivots_of(diagonal_, beside_, shift - shift_);
    const auto solve = [&](std::vector<double> values) {
        for (std::size_t i = 1; i < count; ++i) {
            values[i] -= beside_[i - 1] / pivots[i - 1] * values[i - 1];
        }
        for (std::size_t i = count; i-- > 0;) {
            values[i] = (values[i] - (i + 1 < count ? beside_[i] * values[i + 1] : 0)) / pivots[i];
        }
        return values;
    };
    std::vector<double> first(count, 0);
    first[0] = 1;
    const std::vector<double> y = solve(first);
    Forms forms{squares_ * y[0], 0, beside_.back() * std::abs(y.back())};
    for (const double value : y) {
        forms.x_x += squares_ * value * value;
    }
    return forms;
}

} // namespace lsrecon
