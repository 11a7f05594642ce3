#include "operators/wavelet.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

namespace {

constexpr std::size_t most_levels = 3;

/// Daubechies' low pass (1988, table 1) over sqrt(2), which an undecimated isometry needs.
Taps daubechies_4() {
    const double root = std::sqrt(3.0);
    return {(1 + root) / 8, (3 + root) / 8, (3 - root) / 8, (1 - root) / 8};
}

bool is_filtered(std::size_t size, std::size_t step) {
    const std::size_t length = (Taps().size() - 1) * step + 1;
    return step == 1 ? size > 1 : 2 * length <= size;
}

} // namespace

std::vector<WaveletLevel> wavelet_levels(const Grid& grid) {
    std::vector<WaveletLevel> levels;
    std::size_t next = 1; // component 0 is the coarse image
    double share = 1;
    for (std::size_t step = 1; levels.size() < most_levels; step *= 2) {
        WaveletLevel level;
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            if (is_filtered(grid.size[d], step)) {
                level.dimensions.push_back(d);
                share /= std::sqrt(2.0);
            }
        }
        if (level.dimensions.empty()) {
            break;
        }
        level.step = step;
        level.first = next;
        level.components = (std::size_t(1) << level.dimensions.size()) - 1;
        level.share = share;
        next += level.components;
        levels.push_back(level);
    }
    return levels;
}

Wavelet::Wavelet(Device& device, const Grid& grid, Precision precision)
    : device_(device), grid_(grid), levels_(wavelet_levels(grid)) {
    const auto zeros = [&] { return device.zeros(grid.voxels(), {true, precision}); };
    coarse_ = zeros();
    for (const WaveletLevel& level : levels_) {
        components_ += level.components;
        while (halves_.size() < 2 * (level.dimensions.size() - 1)) {
            halves_.push_back(zeros());
        }
    }
}

// Each filter of a dimension gives two results, which the next dimension takes one after the other.
Component Wavelet::place(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                         const Array& numbers, const Array& coarse) const {
    if (depth < level.dimensions.size()) {
        return {halves_[2 * (depth - 1) + passes % 2], 0};
    }
    return passes == 0 ? Component{coarse, 0} : Component{numbers, level.first + passes - 1};
}

void Wavelet::split(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                    const Component& in, const Array& out) {
    const Component low = place(level, depth + 1, 2 * passes, out, out);
    const Component high = place(level, depth + 1, 2 * passes + 1, out, out);
    device_.filter(grid_.size, level.dimensions[depth], level.step, daubechies_4(), in, low, high);
    if (depth + 1 < level.dimensions.size()) {
        split(level, depth + 1, 2 * passes, low, out);
        split(level, depth + 1, 2 * passes + 1, high, out);
    }
}

void Wavelet::merge(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                    const Array& in, const Component& out) {
    const Component low = place(level, depth + 1, 2 * passes, in, coarse_);
    const Component high = place(level, depth + 1, 2 * passes + 1, in, coarse_);
    if (depth + 1 < level.dimensions.size()) {
        merge(level, depth + 1, 2 * passes, in, low);
        merge(level, depth + 1, 2 * passes + 1, in, high);
    }
    device_.filter_adjoint(grid_.size, level.dimensions[depth], level.step, daubechies_4(), low,
                           high, out);
}

void Wavelet::apply(const Array& in, Array& out) {
    device_.copy(in, 0, coarse_);
    for (const WaveletLevel& level : levels_) {
        split(level, 0, 0, {coarse_, 0}, out);
        device_.copy(out, 0, coarse_);
    }
    if (levels_.empty()) {
        device_.copy(in, 0, out);
    }
}

void Wavelet::adjoint(const Array& in, Array& out) {
    device_.copy(in, 0, coarse_);
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
        merge(*level, 0, 0, in, {out, 0});
        device_.copy(out, 0, coarse_);
    }
    if (levels_.empty()) {
        device_.copy(in, 0, out);
    }
}

} // namespace lsrecon
