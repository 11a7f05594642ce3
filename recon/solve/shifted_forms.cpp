#include "solve/shifted_forms.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

namespace {

/// Of L D L^T = T + shift, with the diagonal and what is beside it.
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

// The last diagonal element that makes T singular leaves it the last pivot 0 (Golub and Meurant,
// section 6.2).
ShiftedForms::ShiftedForms(const Iterations& run, double squares, double shift, Nodes nodes)
    : squares_(squares), shift_(shift) {
    for (std::size_t i = 0; i < run.alphas.size(); ++i) {
        const double before = i == 0 ? 0 : run.betas[i - 1] / run.alphas[i - 1];
        diagonal_.push_back(1 / run.alphas[i] + before);
        beside_.push_back(std::sqrt(run.betas[i]) / run.alphas[i]);
    }
    if (nodes == Nodes::of_gauss || diagonal_.empty()) {
        return;
    }
    const std::vector<double> pivots = pivots_of(diagonal_, beside_, -shift);
    if (std::all_of(pivots.begin(), pivots.end(), [](double pivot) { return pivot > 0; })) {
        diagonal_.push_back(shift + beside_.back() * beside_.back() / pivots.back());
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
    const std::vector<double> z = solve(y);
    const bool is_iterate = beside_.size() == count;
    Forms forms{squares_ * y[0], 0, 0, is_iterate ? beside_.back() * std::abs(y.back()) : 0};
    for (std::size_t i = 0; i < count; ++i) {
        forms.x_x += squares_ * y[i] * y[i];
        forms.slope += squares_ * y[i] * z[i];
    }
    return forms;
}

} // namespace lsrecon
