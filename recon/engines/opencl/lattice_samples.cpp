// Sorts samples by their radius in k-space, pads them to whole strips, and packs their values on
// the device.

#include "engines/opencl/lattice_samples.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/numbers.hpp"
#include "engines/split.hpp"

namespace lsrecon::opencl {

namespace {

/// The number of samples after padding: whole steps of many strips may lengthen the last chunk
/// (separable_tiled.cpp).
std::size_t padded(std::size_t samples) {
    constexpr std::size_t most_of_a_chunk = 65536;
    return round_up(samples + std::min(samples, most_of_a_chunk) / 4 + 256, 16);
}

/// Orders samples by their radius; those of one radius keep the order of the scan, so that sums do
/// not depend on how a library sorts.
std::vector<cl_int> by_radius(const std::vector<Vec3>& positions) {
    std::vector<double> squares;
    squares.reserve(positions.size());
    for (const Vec3& k : positions) {
        squares.push_back(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    }
    std::vector<cl_int> order(positions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](cl_int i, cl_int j) {
        return squares[static_cast<std::size_t>(i)] < squares[static_cast<std::size_t>(j)];
    });
    return order;
}

} // namespace

LatticeColumns::LatticeColumns(const Voxels& voxels) {
    const std::size_t size = voxels.lattice_size()[0];
    const long first = voxels.lattice_first()[0];
    halved = size % 2 == 0 && first == -static_cast<long>(size / 2);
    const long last = first + static_cast<long>(size) - 1;
    count =
        halved ? size / 2 : static_cast<std::size_t>(std::max(std::abs(first), std::abs(last))) + 1;
}

LatticeSamples::LatticeSamples(const Resources& resources, const std::vector<Vec3>& positions,
                               const Voxels& voxels, bool sorted)
    : resources_(resources), count_(positions.size()), stride_(padded(count_)),
      halved_(LatticeColumns(voxels).halved) {
    std::vector<cl_int> order;
    if (sorted) {
        order = by_radius(positions);
        order_ = resources.queue.upload(order);
    }
    const bool split = resources.precision == Precision::float32;
    const SplitScale scale(2 * voxels.extent_in_voxels()); // halves of voxels are exact, too
    positions_ = resources.zeros((split ? 6 : 3) * stride_);
    constexpr std::size_t samples_at_a_time = std::size_t(1) << 16; // which caches hold
    std::vector<double> k; // cycles per voxel
    std::vector<float> high;
    std::vector<float> low;
    for (const Range& range : split_into_ranges(count_, samples_at_a_time)) {
        k.resize(range.count);
        high.resize(range.count);
        low.resize(range.count);
        for (std::size_t d = 0; d < 3; ++d) {
            const double per_fov = voxels.per_fov()[d];
            for (std::size_t i = 0; i < range.count; ++i) {
                const std::size_t m = range.first + i;
                k[i] = positions[sorted ? static_cast<std::size_t>(order[m]) : m][d] / per_fov;
            }
            if (!split) {
                resources.write(k, positions_, d * stride_ + range.first);
                continue;
            }
            for (std::size_t i = 0; i < range.count; ++i) {
                const SplitScale::Parts parts = scale.positions(k[i]);
                high[i] = parts.high;
                low[i] = parts.low;
            }
            resources.write(high, positions_, 2 * d * stride_ + range.first);
            resources.write(low, positions_, (2 * d + 1) * stride_ + range.first);
        }
    }
}

std::size_t LatticeSamples::bytes(std::size_t samples, Precision precision) {
    const std::size_t numbers = precision == Precision::float32 ? 6 : 3;
    return padded(samples) * numbers * bytes_of(precision) + samples * sizeof(cl_int);
}

std::string name_of(const Voxels& voxels, Precision precision) {
    std::string name = text("lattice in ", 8 * bytes_of(precision), " bits within ",
                            exact(voxels.extent_in_voxels()));
    for (std::size_t d = 0; d < 3; ++d) {
        name += text(" ", voxels.lattice_size()[d], " from ", voxels.lattice_first()[d], " of ",
                     exact(voxels.per_fov()[d]));
    }
    return name;
}

Array LatticeSamples::packed(const Array& values, const Range& coils) const {
    Array out = resources_.zeros(2 * coils.count * stride_);
    const int real_values = values.element().complex ? 0 : 1;
    resources_.launch(
        resources_.queue.kernel("separable_samples.cl", "pack",
                                text("-DREAL_VALUES=", real_values, resources_.defines())),
        {stride_, coils.count, 1}, buffer_of(values), static_cast<cl_ulong>(count_),
        static_cast<cl_ulong>(coils.first), order(), has_order(), buffer_of(positions_), halved(),
        buffer_of(out));
    return out;
}

} // namespace lsrecon::opencl
