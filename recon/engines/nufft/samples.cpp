#include "engines/nufft/samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"

namespace lsrecon {

namespace {

/// Points of a tile along each of so many dimensions: its values stay in a core's cache.
std::size_t points_along(std::size_t d, int dimensions) {
    return dimensions == 3 ? (d == 0 ? 32 : 16) : 24;
}

/// The boundaries of tiles of about so many points along one dimension: an even number of tiles,
/// each at least as wide as a kernel, or a single one, so that two colours are enough.
std::vector<std::size_t> boundaries(std::size_t points, std::size_t width, std::size_t along) {
    const std::size_t about = (points + along) / (2 * along) * 2;
    const std::size_t most = points / (width + 1) / 2 * 2;
    const std::size_t count = std::max<std::size_t>(std::min(about, most), 1);
    std::vector<std::size_t> begin;
    for (std::size_t i = 0; i <= count; ++i) {
        begin.push_back(i * points / count);
    }
    return begin;
}

} // namespace

MiddlePhases::MiddlePhases(const Voxels& voxels) : per_fov_(voxels.per_fov()) {
    for (std::size_t d = 0; d < 3; ++d) {
        middle_[d] = static_cast<double>(voxels.lattice_first()[d]) +
                     static_cast<double>(voxels.lattice_size()[d] / 2);
        given_ = given_ || middle_[d] != 0;
    }
}

Complex MiddlePhases::of(const Vec3& k) const {
    double turns = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        turns += k[d] / per_fov_[d] * middle_[d];
    }
    return std::polar(1.0, 2 * pi * (turns - std::floor(turns)));
}

NufftSamples::NufftSamples(const std::vector<Vec3>& trajectory, const Voxels& voxels,
                           const NufftGrid& grid) {
    const std::size_t width = grid.kernel.width();
    int dimensions = 0;
    for (const std::size_t points : grid.fine) {
        dimensions += points > 1 ? 1 : 0;
    }
    std::array<std::vector<std::size_t>, 3> begin;
    std::array<std::vector<std::size_t>, 3> tile_at; // of each point
    for (std::size_t d = 0; d < 3; ++d) {
        begin[d] = boundaries(grid.fine[d], width, points_along(d, dimensions));
        for (std::size_t t = 0; t + 1 < begin[d].size(); ++t) {
            tile_at[d].resize(begin[d][t + 1], t);
        }
    }
    const std::array<std::size_t, 3> counts{begin[0].size() - 1, begin[1].size() - 1,
                                            begin[2].size() - 1};

    // The first point of each kernel decides its tile.
    const std::size_t samples = trajectory.size();
    std::vector<std::array<double, 3>> place(samples);
    std::vector<std::size_t> tile_of(samples);
    std::vector<std::size_t> in_tile(counts[0] * counts[1] * counts[2]);
    const auto find_place = [&](std::size_t m) {
        std::array<std::size_t, 3> tile{};
        for (std::size_t d = 0; d < 3; ++d) {
            if (grid.fine[d] == 1) {
                continue;
            }
            place[m][d] = grid.beginning(d, trajectory[m][d] / voxels.per_fov()[d]);
            tile[d] = tile_at[d][grid.first_point(d, place[m][d])];
        }
        tile_of[m] = (tile[2] * counts[1] + tile[1]) * counts[0] + tile[0];
    };
    for_each_range_in_parallel(samples, all_cores(), [&](const Range& range) {
        for (std::size_t m = range.first; m < range.first + range.count; ++m) {
            find_place(m);
        }
    });
    for (const std::size_t tile : tile_of) {
        ++in_tile[tile];
    }

    order.resize(samples);
    std::vector<std::size_t> next(in_tile.size());
    std::exclusive_scan(in_tile.begin(), in_tile.end(), next.begin(), std::size_t(0));
    for (std::size_t z = 0; z < counts[2]; ++z) {
        for (std::size_t y = 0; y < counts[1]; ++y) {
            for (std::size_t x = 0; x < counts[0]; ++x) {
                const std::size_t t = (z * counts[1] + y) * counts[0] + x;
                const std::array<std::size_t, 3> at{x, y, z};
                Tile tile{next[t], in_tile[t], {}, {1, 1, 1}, 0};
                for (std::size_t d = 0; d < 3; ++d) {
                    if (grid.fine[d] > 1) {
                        tile.corner[d] = begin[d][at[d]];
                        tile.size[d] = begin[d][at[d] + 1] - begin[d][at[d]] + width - 1;
                    }
                    tile.color += static_cast<int>(at[d] % 2) << d;
                }
                if (tile.count > 0) {
                    tiles.push_back(tile);
                }
            }
        }
    }
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const Tile& a, const Tile& b) { return a.color < b.color; });
    for (std::size_t m = 0; m < samples; ++m) {
        order[next[tile_of[m]]++] = m;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        first_point[d].resize(samples);
        offset[d].resize(samples);
    }
    for_each_in_parallel(tiles.size(), [&](std::size_t t) {
        const Tile& tile = tiles[t];
        for (std::size_t i = tile.first; i < tile.first + tile.count; ++i) {
            for (std::size_t d = 0; d < 3; ++d) {
                const double at = place[order[i]][d];
                offset[d][i] = std::ceil(at) - at;
                first_point[d][i] = static_cast<unsigned>(grid.first_point(d, at) - tile.corner[d]);
            }
        }
    });

    const MiddlePhases middle(voxels);
    shifts.resize(middle.given() ? samples : 0);
    for_each_range_in_parallel(shifts.size(), all_cores(), [&](const Range& range) {
        for (std::size_t m = range.first; m < range.first + range.count; ++m) {
            shifts[m] = middle.of(trajectory[m]);
        }
    });
}

} // namespace lsrecon
