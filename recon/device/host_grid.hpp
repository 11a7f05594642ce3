#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "base/complex_rows.hpp"
#include "base/parallel.hpp"
#include "device/host_rows.hpp"

// The verbs of HostDevice on a grid, a stretch of memory at a time; x is the fastest dimension.

namespace lsrecon {

using GridSize = std::array<std::size_t, 3>;

/// Cores for so many numbers: with fewer each, a thread takes longer to start than to work.
inline std::size_t cores_for(std::size_t numbers) {
    constexpr std::size_t worth_a_core = std::size_t(1) << 17;
    return std::clamp<std::size_t>(numbers / worth_a_core, 1, all_cores());
}

/// work(part, first, count) for `total` numbers in parts of `length`: numbers from `first` on of
/// one part after the other, divided among these cores.
template <typename Work>
void for_each_stretch(std::size_t total, std::size_t length, std::size_t cores, const Work& work) {
    for_each_range_in_parallel(total, cores, [&](Range rest) {
        while (rest.count > 0) {
            const std::size_t first = rest.first % length;
            const std::size_t count = std::min(rest.count, length - first);
            work(rest.first / length, first, count);
            rest = {rest.first + count, rest.count - count};
        }
    });
}

/// A grid cut across dimension d: blocks one after the other, each of `length` slabs of `step`
/// neighbours in memory. Across x a slab is one voxel.
struct Slabs {
    std::size_t length;
    std::size_t step;
    std::size_t blocks;

    Slabs(const GridSize& size, std::size_t d)
        : length(size[d]), step(d == 0   ? 1
                                : d == 1 ? size[0]
                                         : size[0] * size[1]),
          blocks(size[0] * size[1] * size[2] / (length * step)) {}
    std::size_t block() const { return length * step; }
    std::size_t voxels() const { return blocks * block(); }
};

/// Calls visit(first voxel of a block, range of its slabs): all of them, or one core's share.
template <typename Visit> void for_each_block(const Slabs& slabs, const Visit& visit) {
    const std::size_t whole = slabs.step == 1 ? slabs.length : 1; // rows of x are not divided
    for_each_stretch(slabs.blocks * slabs.length / whole, slabs.length / whole,
                     cores_for(slabs.voxels()),
                     [&](std::size_t block, std::size_t first, std::size_t count) {
                         visit(block * slabs.block(), Range{first * whole, count * whole});
                     });
}

/// Device::difference() of complex numbers; null stands for factors of 1, here and below.
template <typename Real> void difference(const Slabs& slabs, const Real* factors,
                                         const std::complex<Real>* in, std::complex<Real>* out) {
    for_each_block(slabs, [&](std::size_t first, const Range& range) {
        const std::size_t begin = first + range.first * slabs.step;
        const bool to_end = range.first + range.count == slabs.length;
        const std::size_t count = (range.count - (to_end ? 1 : 0)) * slabs.step;
        HostRows<Real>::difference(reinterpret_cast<const Real*>(in + begin + slabs.step),
                                   reinterpret_cast<const Real*>(in + begin),
                                   reinterpret_cast<Real*>(out + begin), 2 * count);
        if (factors != nullptr) {
            HostRows<Real>::multiply(factors + begin, reinterpret_cast<Real*>(out + begin), count);
        }
        if (to_end) {
            std::fill_n(out + begin + count, slabs.step, std::complex<Real>(0));
        }
    });
}

/// Device::add_difference_adjoint(): out(n) += in(n - 1) - in(n), where the first has no n - 1, and
/// the last no difference.
template <typename Real> void add_difference_adjoint(const Slabs& slabs, const Real* factors,
                                                     const std::complex<Real>* in,
                                                     std::complex<Real>* out) {
    if (slabs.length == 1) {
        return;
    }
    using Rows = HostRows<Real>;
    for_each_block(slabs, [&](std::size_t first, const Range& range) {
        const auto from = [&](std::size_t slab) {
            return reinterpret_cast<const Real*>(in + first + slab * slabs.step);
        };
        const auto by = [&](std::size_t slab) { return factors + first + slab * slabs.step; };
        const auto to = [&](std::size_t slab) {
            return reinterpret_cast<Real*>(out + first + slab * slabs.step);
        };
        const auto add = [&](Real sign, std::size_t slab, std::size_t out_slab) {
            if (factors == nullptr) {
                Rows::combine(sign, from(slab), 1, to(out_slab), 2 * slabs.step);
            } else {
                Rows::add_product(sign, by(slab), from(slab), to(out_slab), slabs.step);
            }
        };
        const std::size_t end = range.first + range.count;
        const std::size_t begin = std::max<std::size_t>(range.first, 1);
        const std::size_t last = std::min(end, slabs.length - 1);
        if (range.first == 0) {
            add(-1, 0, 0);
        }
        if (begin < last && factors == nullptr) {
            Rows::add_difference(from(begin - 1), from(begin), to(begin),
                                 2 * (last - begin) * slabs.step);
        } else if (begin < last) {
            Rows::add_difference_of_products(by(begin - 1), from(begin - 1), by(begin), from(begin),
                                             to(begin), (last - begin) * slabs.step);
        }
        if (end == slabs.length) {
            add(1, end - 2, end - 1);
        }
    });
}

/// A periodic filter: sum_t a[t] from(n + t steps), n counted in slabs.
template <typename Real> struct HostFilter {
    typename HostRows<Real>::Coefficients a;
    const std::complex<Real>* from;
};

/// out = the sum of some filters whose steps, which may be negative, are the same.
template <typename Real> void add_up_filters(const Slabs& slabs, long steps,
                                             const std::vector<HostFilter<Real>>& filters,
                                             std::complex<Real>* out) {
    const long length = static_cast<long>(slabs.length);
    const auto wrapped = [&](std::size_t slab, std::size_t t) {
        const long at = (static_cast<long>(slab) + static_cast<long>(t) * steps) % length;
        return static_cast<std::size_t>(at < 0 ? at + length : at);
    };
    /// `count` values from a slab on, whose taps do not go round.
    const auto filter = [&](std::size_t first, std::size_t slab, std::size_t count) {
        typename HostRows<Real>::Rows rows;
        for (std::size_t f = 0; f < filters.size(); ++f) {
            for (std::size_t t = 0; t < rows.size(); ++t) {
                rows[t] = reinterpret_cast<const Real*>(filters[f].from + first +
                                                        wrapped(slab, t) * slabs.step);
            }
            const auto sum =
                f == 0 ? &HostRows<Real>::sum_of_rows : &HostRows<Real>::add_sum_of_rows;
            sum(filters[f].a, rows, reinterpret_cast<Real*>(out + first + slab * slabs.step),
                2 * count);
        }
    };
    const std::size_t reach =
        std::min((Taps().size() - 1) * static_cast<std::size_t>(std::abs(steps)), slabs.length);
    const std::size_t begin = steps < 0 ? reach : 0;
    const std::size_t whole = slabs.length - reach; // slabs from there on that do not go round
    for_each_block(slabs, [&](std::size_t first, const Range& range) {
        const bool along_x = slabs.step == 1;
        if (along_x && whole > 0) {
            filter(first, begin, whole);
        }
        for (std::size_t slab = range.first; slab < range.first + range.count; ++slab) {
            if (!along_x || slab < begin || slab >= begin + whole) {
                filter(first, slab, slabs.step);
            }
        }
    });
}

/// visit(voxel, where interleaving puts it) for every voxel.
template <typename Visit>
void for_each_interleaved_voxel(const GridSize& size, const Visit& visit) {
    const auto place = [](std::size_t n, std::size_t end) {
        return n % 2 == 0 ? n / 2 : end - 1 - n / 2;
    };
    const std::size_t cores = cores_for(size[0] * size[1] * size[2]);
    for_each_range_in_parallel(size[1] * size[2], cores, [&](const Range& rows) {
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
            const std::size_t to =
                place(row / size[1], size[2]) * size[1] + place(row % size[1], size[1]);
            for (std::size_t x = 0; x < size[0]; ++x) {
                visit(row * size[0] + x, to * size[0] + place(x, size[0]));
            }
        }
    });
}

/// visit(w(k), y(k), y(N - k)), 0 < k < N / 2, for every pair of voxels in slabs k and N - k.
template <typename Value, typename Visit>
void for_each_pair_in_slabs(const Slabs& slabs, const Value* w, Value* y, const Visit& visit) {
    const std::size_t pairs = (slabs.length - 1) / 2; // of slabs, in each block
    const std::size_t cores = cores_for(slabs.voxels());
    for_each_range_in_parallel(slabs.blocks * pairs, cores, [&](const Range& range) {
        for (std::size_t i = range.first; i < range.first + range.count; ++i) {
            const std::size_t k = i % pairs + 1;
            Value* const block = y + i / pairs * slabs.block();
            Value* const a = block + k * slabs.step;
            Value* const b = block + (slabs.length - k) * slabs.step;
            for (std::size_t n = 0; n < slabs.step; ++n) {
                visit(w[k], a[n], b[n]);
            }
        }
    });
}

} // namespace lsrecon
