// Sorts the samples of a NUFFT into tiles of the fine grid and computes where their kernels begin.

#include "engines/nufft/samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"

namespace lsrecon {

namespace {

/// Points of a tile along each dimension: its values stay in a core's cache.
constexpr std::size_t along = 16;

/// The boundaries of tiles of about so many points along one dimension: an even number of tiles,
/// each wider than what its kernels reach beyond it, or a single one, so that two colours are
/// enough.
std::vector<std::size_t> boundaries(std::size_t points, std::size_t width) {
    const std::size_t about = (points + along) / (2 * along) * 2;
    const std::size_t most = points / (width - 1 + points_beside_kernels) / 2 * 2;
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

FineGrid::FineGrid(const NufftGrid& grid, std::size_t side_by_side)
    : period(grid.fine), padded(grid.fine), arrays(side_by_side) {
    for (std::size_t d = 0; d < 3; ++d) {
        if (period[d] > 1) {
            padded[d] += grid.kernel.width() - 1 + (d == 0 ? points_beside_kernels : 0);
        }
    }
}

namespace {

/// The tiles of a fine grid along one dimension.
struct TileLine {
    std::vector<std::size_t> begin; ///< of tiles, and the end of the last
    std::vector<std::uint32_t> at; ///< tile of each point
    std::size_t step; ///< from a tile's number to the next one's

    std::size_t count() const { return begin.size() - 1; }
};

std::array<TileLine, 3> tile_lines(const NufftGrid& grid) {
    std::array<TileLine, 3> lines;
    std::size_t step = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        TileLine& line = lines[d];
        line.begin = boundaries(grid.fine[d], grid.kernel.width());
        for (std::size_t t = 0; t < line.count(); ++t) {
            line.at.resize(line.begin[t + 1], static_cast<std::uint32_t>(t));
        }
        line.step = step;
        step *= line.count();
    }
    return lines;
}

/// A sample in its tile, as in NufftSamples.
template <typename Real> struct GridPosition {
    std::array<std::uint16_t, 3> first_point;
    std::array<Real, 3> t;
};

/// Positions of samples on the fine grid along dimension d. The first point of a sample's kernel
/// decides its tile.
template <typename Real>
LSRECON_AVX2_CLONE void position_along(std::size_t d, const NufftLine& line, const TileLine& tiles,
                                       double per_fov, const std::vector<Vec3>& positions,
                                       const Range& range, GridPosition<Real>* grid_positions,
                                       std::uint32_t* tile_of) {
    for (std::size_t m = range.first; m < range.first + range.count; ++m) {
        const double begin = line.beginning(positions[m][d] / per_fov);
        const std::size_t point = line.first_point(begin);
        const std::size_t tile = tiles.at[point];
        tile_of[m] = (d == 0 ? 0 : tile_of[m]) + static_cast<std::uint32_t>(tile * tiles.step);
        grid_positions[m].first_point[d] = static_cast<std::uint16_t>(point - tiles.begin[tile]);
        grid_positions[m].t[d] = static_cast<Real>(2 * (std::ceil(begin) - begin) - 1);
    }
}

/// All tiles of a fine grid, before samples are sorted into them. The colour has a bit a dimension,
/// whether the tile is an odd one there.
template <typename Tile>
std::vector<Tile> tiles_of(const NufftGrid& grid, const std::array<TileLine, 3>& lines) {
    std::vector<Tile> tiles(lines[2].step * lines[2].count());
    for (std::size_t number = 0; number < tiles.size(); ++number) {
        Tile& tile = tiles[number];
        tile = {0, 0, {}, {1, 1, 1}, 0};
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t at = number / lines[d].step % lines[d].count();
            if (grid.fine[d] > 1) {
                tile.corner[d] = lines[d].begin[at];
                tile.size[d] = lines[d].begin[at + 1] - tile.corner[d] + grid.kernel.width() - 1;
            }
            tile.color += static_cast<int>(at % 2) << d;
        }
    }
    return tiles;
}

} // namespace

// Samples are counted and moved by ranges, one a core. Those of a tile stay in the order of the
// scan, however many ranges there are.
template <typename Real> NufftSamples<Real>::NufftSamples(const std::vector<Vec3>& positions,
                                                          const Voxels& voxels,
                                                          const NufftGrid& grid) {
    const std::size_t samples = positions.size();
    const std::size_t dimensions = grid.fine[2] > 1 ? 3 : 2;
    const std::array<TileLine, 3> lines = tile_lines(grid);
    tiles = tiles_of<Tile>(grid, lines);
    const std::size_t cores = cores_for(8 * samples);
    LargeArray<GridPosition<Real>> grid_positions(samples);
    LargeArray<std::uint32_t> tile_of(samples);
    std::vector<std::vector<std::size_t>> next =
        of_each_range(samples, cores, [&](const Range& range) {
            for (std::size_t d = 0; d < dimensions; ++d) {
                position_along(d, grid.line(d), lines[d], voxels.per_fov()[d], positions, range,
                               grid_positions.data(), tile_of.data());
            }
            std::vector<std::size_t> in_tile(tiles.size());
            for (std::size_t m = range.first; m < range.first + range.count; ++m) {
                ++in_tile[tile_of[m]];
            }
            return in_tile;
        });
    std::size_t before = 0;
    for (std::size_t number = 0; number < tiles.size(); ++number) {
        tiles[number].first = before;
        for (std::vector<std::size_t>& of_range : next) {
            before += std::exchange(of_range[number], before);
        }
        tiles[number].count = before - tiles[number].first;
    }

    order = LargeArray<std::uint32_t>(samples);
    for (std::size_t d = 0; d < dimensions; ++d) {
        first_point[d] = LargeArray<std::uint16_t>(samples);
        t[d] = LargeArray<Real>(samples);
    }
    const std::vector<Range> ranges = split_into_ranges(samples, divide_up(samples, cores));
    for_each_in_parallel(ranges.size(), [&](std::size_t r) {
        for (std::size_t m = ranges[r].first; m < ranges[r].first + ranges[r].count; ++m) {
            const std::size_t i = next[r][tile_of[m]]++;
            order[i] = static_cast<std::uint32_t>(m);
            for (std::size_t d = 0; d < dimensions; ++d) {
                first_point[d][i] = grid_positions[m].first_point[d];
                t[d][i] = grid_positions[m].t[d];
            }
        }
    });
    tiles.erase(std::remove_if(tiles.begin(), tiles.end(),
                               [](const Tile& tile) { return tile.count == 0; }),
                tiles.end());
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const Tile& a, const Tile& b) { return a.color < b.color; });

    const MiddlePhases middle(voxels);
    shifts = LargeArray<Complex>(middle.given() ? samples : 0);
    for_each_range_in_parallel(shifts.size(), cores, [&](const Range& range) {
        for (std::size_t m = range.first; m < range.first + range.count; ++m) {
            shifts[m] = middle.of(positions[m]);
        }
    });
}

template struct NufftSamples<double>;
template struct NufftSamples<float>;

} // namespace lsrecon
