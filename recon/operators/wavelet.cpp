// Filters the levels of the wavelet transform on a device.

#include "operators/wavelet.hpp"

#include <algorithm>
#include <cmath>

#include "device/host_loops.hpp"
#include "device/kernel.hpp"

namespace lsrecon {

namespace {

/// The voxels of the taps of a filter.
using TapVoxels = std::array<std::size_t, Taps().size()>;

/// visit(first, count, taps) for stretches of voxels: tap t of the filter of voxel first + i,
/// i < count, is at taps[t] + i. Steps count slabs of a periodic grid, backwards where negative.
template <typename Visit>
void for_each_filtered_stretch(const Slabs& slabs, long steps, const Visit& visit) {
    const long length = static_cast<long>(slabs.length);
    const long reach = std::min(static_cast<long>(Taps().size() - 1) * std::abs(steps), length);
    // Slabs whose taps do not go round.
    const auto begin = static_cast<std::size_t>(steps < 0 ? reach : 0);
    const std::size_t end = begin + static_cast<std::size_t>(length - reach);
    for_each_block(slabs, [&](std::size_t block, const Range& range) {
        const std::size_t last = range.first + range.count;
        for (std::size_t slab = range.first, next = 0; slab < last; slab = next) {
            next = slab >= begin && slab < end ? std::min(last, end) : slab + 1;
            TapVoxels taps;
            for (std::size_t t = 0; t < taps.size(); ++t) {
                const long at = (static_cast<long>(slab) + static_cast<long>(t) * steps) % length;
                taps[t] = block + static_cast<std::size_t>(at < 0 ? at + length : at) * slabs.step;
            }
            visit(block + slab * slabs.step, (next - slab) * slabs.step, taps);
        }
    });
}

/// Real numbers of the complex ones that each tap of a filter begins at.
template <typename Real> std::array<const Real*, Taps().size()>
reals_at(const TapVoxels& taps, const std::complex<Real>* from) {
    std::array<const Real*, Taps().size()> reals;
    std::transform(taps.begin(), taps.end(), reals.begin(),
                   [&](std::size_t tap) { return reinterpret_cast<const Real*>(from + tap); });
    return reals;
}

/// Two filters along dimension d of a periodic grid:
///
///     low(n)  = sum_t c_t in(n + t step)
///     high(n) = sum_t (-1)^t c_(3-t) in(n + t step)
template <typename Real> void filter_loops(const std::complex<Real>* in, std::size_t from,
                                           const GridSize& size, std::size_t d, std::size_t step,
                                           Real c0, Real c1, Real c2, Real c3,
                                           std::complex<Real>* low, std::size_t at_low,
                                           std::complex<Real>* high, std::size_t at_high) {
    const auto work = [&](std::size_t first, std::size_t count, const TapVoxels& taps) {
        const auto x = reals_at(taps, in + from);
        Real* const to_low = reinterpret_cast<Real*>(low + at_low + first);
        Real* const to_high = reinterpret_cast<Real*>(high + at_high + first);
        for_each_in_a_row(2 * count, [=](std::size_t i) {
            const std::array<Real, Taps().size()> v{x[0][i], x[1][i], x[2][i], x[3][i]};
            to_low[i] = c0 * v[0] + c1 * v[1] + c2 * v[2] + c3 * v[3];
            to_high[i] = c3 * v[0] - c2 * v[1] + c1 * v[2] - c0 * v[3];
        });
    };
    for_each_filtered_stretch(Slabs(size, d), static_cast<long>(step), work);
}

/// out = the adjoint of both.
template <typename Real>
void filter_adjoint_loops(const std::complex<Real>* low, std::size_t from_low,
                          const std::complex<Real>* high, std::size_t from_high,
                          const GridSize& size, std::size_t d, std::size_t step, Real c0, Real c1,
                          Real c2, Real c3, std::complex<Real>* out, std::size_t to) {
    const auto work = [&](std::size_t first, std::size_t count, const TapVoxels& taps) {
        const auto x = reals_at(taps, low + from_low);
        const auto y = reals_at(taps, high + from_high);
        Real* const sum = reinterpret_cast<Real*>(out + to + first);
        for_each_in_a_row(2 * count, [=](std::size_t i) {
            sum[i] = (c0 * x[0][i] + c1 * x[1][i] + c2 * x[2][i] + c3 * x[3][i]) +
                     (c3 * y[0][i] - c2 * y[1][i] + c1 * y[2][i] - c0 * y[3][i]);
        });
    };
    for_each_filtered_stretch(Slabs(size, d), -static_cast<long>(step), work);
}

constexpr Kernel filter{"wavelet.cl", "filter", &filter_loops<float>, &filter_loops<double>};
constexpr Kernel filter_adjoint{"wavelet.cl", "filter_adjoint", &filter_adjoint_loops<float>,
                                &filter_adjoint_loops<double>};

constexpr std::size_t most_levels = 3;

/// Daubechies' low pass (1988, table 1) over sqrt(2), which an undecimated isometry needs.
Taps daubechies_4() {
    const double root = std::sqrt(3.0);
    return {(1 + root) / 8, (3 + root) / 8, (3 - root) / 8, (1 - root) / 8};
}

/// The share of each of the two transforms: half of the square of K in.
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
Wavelet::Component Wavelet::output_of_filter(const WaveletLevel& level, std::size_t depth,
                                             std::size_t passes, const Array& numbers,
                                             const Component& coarse) const {
    if (depth < level.dimensions.size()) {
        return {halves_[2 * (depth - 1) + passes % 2], 0};
    }
    return passes == 0 ? coarse : Component{numbers, (level.first + passes - 1) * inputs()};
}

void Wavelet::split(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                    const Component& in, const Array& out) {
    const Component coarse{out, level.coarse * inputs()};
    const Component low = output_of_filter(level, depth + 1, 2 * passes, out, coarse);
    const Component high = output_of_filter(level, depth + 1, 2 * passes + 1, out, coarse);
    const Taps& c = level.low_pass;
    filter.run(device_, grid_.size, in.array, in.first, grid_.size, level.dimensions[depth],
               level.step, c[0], c[1], c[2], c[3], low.array, low.first, high.array, high.first);
    if (depth + 1 < level.dimensions.size()) {
        split(level, depth + 1, 2 * passes, low, out);
        split(level, depth + 1, 2 * passes + 1, high, out);
    }
}

void Wavelet::merge(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                    const Array& in, const Component& out) {
    const Component low = output_of_filter(level, depth + 1, 2 * passes, in, {coarse_, 0});
    const Component high = output_of_filter(level, depth + 1, 2 * passes + 1, in, {coarse_, 0});
    if (depth + 1 < level.dimensions.size()) {
        merge(level, depth + 1, 2 * passes, in, low);
        merge(level, depth + 1, 2 * passes + 1, in, high);
    }
    const Taps& c = level.low_pass;
    filter_adjoint.run(device_, grid_.size, low.array, low.first, high.array, high.first,
                       grid_.size, level.dimensions[depth], level.step, c[0], c[1], c[2], c[3],
                       out.array, out.first);
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
