#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "base/complex_rows.hpp"
#include "base/parallel.hpp"
#include "device/host_rows.hpp"

// The verbs of HostDevice on a grid, a line of memory at a time; x is the fastest dimension.

namespace lsrecon {

using Extents = std::array<std::size_t, 3>;

/// Numbers from which on starting threads pays.
constexpr std::size_t worth_every_core = std::size_t(1) << 18;

/// Dimension d of a grid as lines: `blocks` of them one after the other, each of `length` lines of
/// `step` neighbours. Along x a line is one voxel.
struct Lines {
    std::size_t length;
    std::size_t step;
    std::size_t blocks;

    Lines(const Extents& size, std::size_t d)
        : length(size[d]), step(d == 0   ? 1
                                : d == 1 ? size[0]
                                         : size[0] * size[1]),
          blocks(size[0] * size[1] * size[2] / (length * step)) {}
    std::size_t block() const { return length * step; }
    std::size_t voxels() const { return blocks * block(); }
};

/// Calls visit(first voxel of a block, range of its lines): all lines, or some of them on each
/// core.
template <typename Visit> void for_each_block(const Lines& lines, const Visit& visit) {
    const bool worth_it = lines.voxels() >= worth_every_core;
    if (lines.step == 1) {
        for_each_range_in_parallel(lines.blocks, worth_it, [&](const Range& blocks) {
            for (std::size_t b = blocks.first; b < blocks.first + blocks.count; ++b) {
                visit(b * lines.block(), Range{0, lines.length});
            }
        });
        return;
    }
    for_each_range_in_parallel(lines.blocks * lines.length, worth_it, [&](Range rest) {
        while (rest.count > 0) {
            const std::size_t line = rest.first % lines.length;
            const std::size_t count = std::min(rest.count, lines.length - line);
            visit(rest.first / lines.length * lines.block(), Range{line, count});
            rest = {rest.first + count, rest.count - count};
        }
    });
}

/// Device::difference() of complex numbers.
template <typename Real>
void difference(const Lines& lines, const std::complex<Real>* in, std::complex<Real>* out) {
    for_each_block(lines, [&](std::size_t first, const Range& range) {
        const std::size_t begin = first + range.first * lines.step;
        const bool to_end = range.first + range.count == lines.length;
        const std::size_t count = (range.count - (to_end ? 1 : 0)) * lines.step;
        HostRows<Real>::difference(reinterpret_cast<const Real*>(in + begin + lines.step),
                                   reinterpret_cast<const Real*>(in + begin),
                                   reinterpret_cast<Real*>(out + begin), 2 * count);
        if (to_end) {
            std::fill_n(out + begin + count, lines.step, std::complex<Real>(0));
        }
    });
}

/// Device::add_difference_adjoint(): out(n) += in(n - 1) - in(n), where the first has no n - 1, and
/// the last no difference.
template <typename Real> void
add_difference_adjoint(const Lines& lines, const std::complex<Real>* in, std::complex<Real>* out) {
    if (lines.length == 1) {
        return;
    }
    using Rows = HostRows<Real>;
    for_each_block(lines, [&](std::size_t first, const Range& range) {
        const auto parts = [&](auto* of, std::size_t line) {
            using Part = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(of)>>,
                                            const Real, Real>;
            return reinterpret_cast<Part*>(of + first + line * lines.step);
        };
        const std::size_t per_line = 2 * lines.step;
        const std::size_t end = range.first + range.count;
        const std::size_t begin = std::max<std::size_t>(range.first, 1);
        const std::size_t last = std::min(end, lines.length - 1);
        if (range.first == 0) {
            Rows::combine(-1, parts(in, 0), 1, parts(out, 0), per_line);
        }
        if (begin < last) {
            Rows::add_difference(parts(in, begin - 1), parts(in, begin), parts(out, begin),
                                 (last - begin) * per_line);
        }
        if (end == lines.length) {
            Rows::combine(1, parts(in, end - 2), 1, parts(out, end - 1), per_line);
        }
    });
}

/// A periodic filter of `from` along lines: sum_t a[t] from(n + t steps), n counted in lines.
template <typename Real> struct HostFilter {
    typename HostRows<Real>::Coefficients a;
    const std::complex<Real>* from;
};

/// out = the sum of some filters whose steps, which may be negative, are the same.
template <typename Real> void add_up_filters(const Lines& lines, long steps,
                                             const std::vector<HostFilter<Real>>& filters,
                                             std::complex<Real>* out) {
    using Value = std::complex<Real>;
    const long length = static_cast<long>(lines.length);
    const auto wrapped = [&](long line) {
        const long at = line % length;
        return static_cast<std::size_t>(at < 0 ? at + length : at);
    };
    /// `count` values from line `l` on, whose taps are not divided by the end of the lines.
    const auto filter = [&](std::size_t first, std::size_t l, std::size_t count) {
        typename HostRows<Real>::Rows rows;
        Real* const to = reinterpret_cast<Real*>(out + first + l * lines.step);
        for (std::size_t f = 0; f < filters.size(); ++f) {
            for (std::size_t t = 0; t < rows.size(); ++t) {
                const std::size_t line =
                    wrapped(static_cast<long>(l) + static_cast<long>(t) * steps);
                const Value* const from = filters[f].from + first + line * lines.step;
                rows[t] = reinterpret_cast<const Real*>(from);
            }
            const auto sum =
                f == 0 ? &HostRows<Real>::sum_of_rows : &HostRows<Real>::add_sum_of_rows;
            sum(filters[f].a, rows, to, 2 * count);
        }
    };
    const std::size_t reach =
        std::min((Taps().size() - 1) * static_cast<std::size_t>(std::abs(steps)), lines.length);
    const std::size_t begin = steps < 0 ? reach : 0;
    const std::size_t whole = lines.length - reach; // lines from there on that do not go round
    for_each_block(lines, [&](std::size_t first, const Range& range) {
        const bool along_x = lines.step == 1;
        if (along_x && whole > 0) {
            filter(first, begin, whole);
        }
        for (std::size_t l = range.first; l < range.first + range.count; ++l) {
            if (!along_x || l < begin || l >= begin + whole) {
                filter(first, l, lines.step);
            }
        }
    });
}

/// visit(voxel, where interleaving puts it) for every voxel.
template <typename Visit> void for_each_interleaved_voxel(const Extents& size, const Visit& visit) {
    const auto place = [](std::size_t n, std::size_t end) {
        return n % 2 == 0 ? n / 2 : end - 1 - n / 2;
    };
    for_each_range_in_parallel(
        size[1] * size[2], size[0] * size[1] * size[2] >= worth_every_core, [&](const Range& rows) {
            for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
                const std::size_t to =
                    place(row / size[1], size[2]) * size[1] + place(row % size[1], size[1]);
                for (std::size_t x = 0; x < size[0]; ++x) {
                    visit(row * size[0] + x, to * size[0] + place(x, size[0]));
                }
            }
        });
}

/// visit(w, y(k), y(N - k)), 0 < k < N / 2, for every pair along lines; w(k) is of their dimension.
template <typename Value, typename Visit>
void for_each_pair_of_lines(const Lines& lines, const Value* w, Value* y, const Visit& visit) {
    const std::size_t pairs = (lines.length - 1) / 2; // of lines, in each block
    for_each_range_in_parallel(
        lines.blocks * pairs, lines.voxels() >= worth_every_core, [&](const Range& range) {
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                const std::size_t k = i % pairs + 1;
                Value* const block = y + i / pairs * lines.block();
                Value* const a = block + k * lines.step;
                Value* const b = block + (lines.length - k) * lines.step;
                for (std::size_t n = 0; n < lines.step; ++n) {
                    visit(w[k], a[n], b[n]);
                }
            }
        });
}

} // namespace lsrecon
