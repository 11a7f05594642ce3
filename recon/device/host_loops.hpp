// Loops over numbers in the host's memory, on every core where they are many.

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "device/device.hpp"

namespace lsrecon {

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

/// Fills memory with zeros, on every core where it is much.
inline void fill_with_zeros(void* begin, std::size_t bytes) {
    constexpr std::size_t worth_a_core = std::size_t(1) << 20;
    for_each_range_in_parallel(bytes, cores_for(bytes, worth_a_core), [&](const Range& some) {
        std::fill_n(static_cast<char*>(begin) + some.first, some.count, char(0));
    });
}

template <typename Body>
LSRECON_AVX2_CLONE void for_each_in_a_long_row(std::size_t count, Body body) {
    for (std::size_t i = 0; i < count; ++i) {
        body(i);
    }
}

/// body(i) for every i below `count`, several at a time where the compiler can see that no number
/// that is written is read by another i. `body` is copied: numbers that it captures by value stay
/// in registers.
template <typename Body> void for_each_in_a_row(std::size_t count, const Body& body) {
    constexpr std::size_t worth_vectors = 8;
    if (count >= worth_vectors) {
        return for_each_in_a_long_row(count, body);
    }
    for (std::size_t i = 0; i < count; ++i) {
        body(i);
    }
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

/// A sum as (high, low), for the digits that rounding takes from the first.
using TwoPartSum = std::pair<double, double>;
double total(const std::vector<TwoPartSum>& sums);

/// The inner loops of HostDevice, over real numbers in a row: two of a complex one. Float and
/// double. A row that is written overlaps no other unless stated otherwise.
template <typename Real> struct HostRows {
    /// y = a x + b y, where y is not read for b = 0, and x may be y.
    static void combine(Real a, const Real* x, Real b, Real* y, std::size_t count);
    /// sum x y, with the rounding of the products alone.
    static TwoPartSum dot(const Real* x, const Real* y, std::size_t count);
};

} // namespace lsrecon
