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

/// Of the two transforms together: each has half of the square of K in.
const double share_of_transform = std::sqrt(0.5);

bool is_filtered(std::size_t size, std::size_t step) {
    const std::size_t length = (Taps().size() - 1) * step + 1;
    return step == 1 ? size > 1 : 2 * length <= size;
}

WaveletLevels levels_of(const Grid& grid, const Taps& low_pass, std::size_t coarse) {
    WaveletLevels levels;
    std::size_t next = coarse + 1;
    double share = share_of_transform;
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
        level.low_pass = low_pass;
        level.step = step;
        level.coarse = coarse;
        level.first = next;
        level.components = (std::size_t(1) << level.dimensions.size()) - 1;
        level.share = share;
        next += level.components;
        levels.push_back(level);
    }
    return levels;
}

} // namespace

std::vector<WaveletLevels> wavelet_transforms(const Grid& grid) {
    Taps low_pass = daubechies_4();
    std::vector<WaveletLevels> transforms{levels_of(grid, low_pass, 0)};
    if (transforms[0].empty()) {
        return {};
    }
    std::reverse(low_pass.begin(), low_pass.end());
    const WaveletLevel& coarsest = transforms[0].back();
    transforms.push_back(levels_of(grid, low_pass, coarsest.first + coarsest.components));
    return transforms;
}

std::size_t wavelet_components(const Grid& grid) {
    const std::vector<WaveletLevels> transforms = wavelet_transforms(grid);
    if (transforms.empty()) {
        return 1;
    }
    const WaveletLevel& last = transforms.back().back();
    return last.first + last.components;
}

std::vector<Penalised> wavelet_details(const Grid& grid) {
    std::vector<Penalised> details;
    for (const WaveletLevels& levels : wavelet_transforms(grid)) {
        for (const WaveletLevel& level : levels) {
            details.push_back(
                {level.first * grid.voxels(), level.components * grid.voxels(), 1, level.share});
        }
    }
    return details;
}

Wavelet::Wavelet(Device& device, const Grid& grid, Precision precision)
    : device_(device), grid_(grid), transforms_(wavelet_transforms(grid)) {
    const auto zeros = [&] { return device.zeros(grid.voxels(), {true, precision}); };
    coarse_ = zeros();
    fine_ = zeros();
    for (const WaveletLevels& levels : transforms_) {
        while (halves_.size() < 2 * (levels[0].dimensions.size() - 1)) {
            halves_.push_back(zeros());
        }
    }
}

// Each filter of a dimension gives two results, which the next dimension takes one after the other.
Component Wavelet::place(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                         const Array& numbers, const Component& coarse) const {
    if (depth < level.dimensions.size()) {
        return {halves_[2 * (depth - 1) + passes % 2], 0};
    }
    return passes == 0 ? coarse : Component{numbers, level.first + passes - 1};
}

void Wavelet::split(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                    const Component& in, const Array& out) {
    const Component low = place(level, depth + 1, 2 * passes, out, {out, level.coarse});
    const Component high = place(level, depth + 1, 2 * passes + 1, out, {out, level.coarse});
    device_.filter(grid_.size, level.dimensions[depth], level.step, level.low_pass, in, low, high);
    if (depth + 1 < level.dimensions.size()) {
        split(level, depth + 1, 2 * passes, low, out);
        split(level, depth + 1, 2 * passes + 1, high, out);
    }
}

void Wavelet::merge(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                    const Array& in, const Component& out) {
    const Component low = place(level, depth + 1, 2 * passes, in, {coarse_, 0});
    const Component high = place(level, depth + 1, 2 * passes + 1, in, {coarse_, 0});
    if (depth + 1 < level.dimensions.size()) {
        merge(level, depth + 1, 2 * passes, in, low);
        merge(level, depth + 1, 2 * passes + 1, in, high);
    }
    device_.filter_adjoint(grid_.size, level.dimensions[depth], level.step, level.low_pass, low,
                           high, out);
}

void Wavelet::apply(const Array& in, Array& out) {
    if (transforms_.empty()) {
        device_.copy(in, 0, out);
        return;
    }
    for (const WaveletLevels& levels : transforms_) {
        device_.combine(share_of_transform, in, 0, coarse_);
        for (const WaveletLevel& level : levels) {
            split(level, 0, 0, {coarse_, 0}, out);
            device_.copy(out, level.coarse * inputs(), coarse_);
        }
    }
}

void Wavelet::adjoint(const Array& in, Array& out) {
    if (transforms_.empty()) {
        device_.copy(in, 0, out);
        return;
    }
    device_.combine(0, out, 0, out);
    for (const WaveletLevels& levels : transforms_) {
        device_.copy(in, levels[0].coarse * inputs(), coarse_);
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            merge(*level, 0, 0, in, {fine_, 0});
            device_.copy(fine_, 0, coarse_);
        }
        device_.combine(share_of_transform, coarse_, 1, out);
    }
}

} // namespace lsrecon
