#include "operators/unsampled.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/parallel.hpp"
#include "scan/directions.hpp"

namespace lsrecon {

namespace {

/// Directions in which the hull is cut. A ball between them is too large by 0.5 % at most.
constexpr std::size_t directions_in_3d = 400;
constexpr std::size_t directions_in_2d = 64;

/// Evenly spread, and both ends of every axis, so that boxes are exact.
std::vector<Vec3> directions(int dimensions) {
    std::vector<Vec3> result;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        for (const double end : {-1.0, 1.0}) {
            Vec3 axis{0, 0, 0};
            axis[d] = end;
            result.push_back(axis);
        }
    }
    const double golden_angle = pi * (3 - std::sqrt(5.0));
    const std::size_t count = dimensions == 3 ? directions_in_3d : directions_in_2d;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<double>(i);
        if (dimensions == 3) { // Vogel's spiral on a sphere
            const double z = 1 - (2 * at + 1) / static_cast<double>(count);
            const double radius = std::sqrt(1 - z * z);
            result.push_back(
                {radius * std::cos(golden_angle * at), radius * std::sin(golden_angle * at), z});
        } else {
            const double angle = 2 * pi * at / static_cast<double>(count);
            result.push_back({std::cos(angle), std::sin(angle), 0});
        }
    }
    return result;
}

/// Samples among which are all corners of the hull of all of them, as far as it matters: the
/// outermost of every row of frequencies along x. In units of N.
std::vector<Vec3> outermost(const std::vector<Vec3>& trajectory, const Grid& grid) {
    std::map<std::pair<long, long>, std::pair<Vec3, Vec3>> rows;
    for (const Vec3& k : trajectory) {
        const auto [row, is_new] =
            rows.try_emplace({std::lround(4 * k[1]), std::lround(4 * k[2])}, k, k);
        auto& [first, last] = row->second;
        first = k[0] < first[0] ? k : first;
        last = k[0] > last[0] ? k : last;
    }
    std::vector<Vec3> result;
    for (const auto& [row, ends] : rows) {
        for (Vec3 k : {ends.first, ends.second}) {
            for (std::size_t d = 0; d < 3; ++d) {
                k[d] /= static_cast<double>(grid.size[d]);
            }
            result.push_back(k);
        }
    }
    return result;
}

/// How far apart the outermost positions are along each axis, at least 1 cycle/fov: coils see what
/// lies between lines, and as far beyond the last one. In units of N.
Vec3 spacing_at_the_rim(const std::vector<Vec3>& trajectory, const Grid& grid) {
    Vec3 spacing{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        std::set<long> halves; // of a cycle/fov
        for (const Vec3& k : trajectory) {
            halves.insert(std::lround(2 * k[d]));
        }
        double widest = 1;
        if (halves.size() > 1) {
            const long first = *std::next(halves.begin()) - *halves.begin();
            const long last = *halves.rbegin() - *std::next(halves.rbegin());
            widest = std::max(widest, static_cast<double>(std::max(first, last)) / 2);
        }
        spacing[d] = widest / static_cast<double>(grid.size[d]);
    }
    return spacing;
}

} // namespace

RealVector unsampled_frequencies(const std::vector<Vec3>& trajectory, const Grid& grid) {
    const std::vector<Vec3> samples = outermost(trajectory, grid);
    const std::vector<Vec3> cuts = directions(grid.dimensions);
    const Vec3 spacing = spacing_at_the_rim(trajectory, grid);
    std::vector<double> reach(cuts.size()); // how far samples lie in a direction, and one beyond
    for_each_in_parallel(cuts.size(), [&](std::size_t i) {
        double farthest = -1;
        for (const Vec3& k : samples) {
            farthest = std::max(farthest, dot(cuts[i], k));
        }
        const Vec3 beyond{cuts[i][0] * spacing[0], cuts[i][1] * spacing[1],
                          cuts[i][2] * spacing[2]};
        reach[i] = farthest + std::sqrt(dot(beyond, beyond));
    });
    const std::size_t rows = grid.size[1] * grid.size[2];
    RealVector outside(static_cast<Eigen::Index>(grid.voxels()));
    const auto centred = [&](std::size_t at, std::size_t d) { // of the FFT's order, in units of N
        const auto size = static_cast<double>(grid.size[d]);
        const auto k = static_cast<double>(at);
        return (2 * at < grid.size[d] ? k : k - size) / size;
    };
    for_each_in_parallel(rows, [&](std::size_t row) {
        for (std::size_t x = 0; x < grid.size[0]; ++x) {
            const Vec3 k{centred(x, 0), centred(row % grid.size[1], 1),
                         centred(row / grid.size[1], 2)};
            bool is_outside = false;
            for (std::size_t i = 0; i < cuts.size() && !is_outside; ++i) {
                is_outside = dot(cuts[i], k) > reach[i];
            }
            outside(static_cast<Eigen::Index>(row * grid.size[0] + x)) = is_outside ? 1 : 0;
        }
    });
    return outside;
}

Unsampled::Unsampled(Device& device, const Grid& grid, Precision precision,
                     const std::vector<Vec3>& trajectory)
    : device_(device), fft_(device.plan_fft(grid.size, 1, precision)),
      mask_(device.zeros(grid.voxels(), {false, precision})),
      values_(device.zeros(grid.voxels(), {true, precision})) {
    const RealVector outside =
        unsampled_frequencies(trajectory, grid) / static_cast<double>(grid.voxels());
    device.upload(outside, {0, grid.voxels()}, 0, mask_);
}

void Unsampled::apply(const Array& in, Array& out) {
    device_.combine(1, in, 0, values_);
    fft_->convolve(mask_, {0}, values_);
    device_.combine(1, values_, 0, out);
}

} // namespace lsrecon
