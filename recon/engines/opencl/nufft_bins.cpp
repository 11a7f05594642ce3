#include "engines/opencl/nufft_bins.hpp"

#include <cmath>

#include "base/parallel.hpp"

namespace lsrecon::opencl {

namespace {

/// Of a tile, one after the other in floats; others compute the rest of a tile meanwhile.
constexpr std::size_t samples_of_a_chunk = 1024;

/// What is known of a sample on the fine grid.
struct OnGrid {
    std::array<cl_ushort, 3> first{}; ///< point of its kernel: x, y and layer
    std::array<double, 3> t{}; ///< 2 offset - 1: x, y and layer, or x and layer
};

/// Places samples on a fine grid.
class Placing {
public:
    Placing(const std::vector<Vec3>& trajectory, const Voxels& voxels, const NufftGrid& grid,
            const NufftTiles& tiles)
        : trajectory_(trajectory), per_fov_(voxels.per_fov()), grid_(grid), tiles_(tiles),
          bins_x_(grid.fine[0] / tiles.along_x()) {}

    OnGrid at(std::size_t m) const {
        OnGrid result;
        const std::size_t dimensions = tiles_.is_volume ? 3 : 2;
        for (std::size_t d = 0; d < dimensions; ++d) {
            const auto points = static_cast<double>(grid_.fine[d]);
            const double turns = trajectory_[m][d] / per_fov_[d]; // a voxel
            double place = (turns - std::floor(turns)) * points -
                           static_cast<double>(grid_.kernel.width()) / 2;
            place += place < 0 ? points : 0;
            place = std::min(place, std::nextafter(points, 0.0));
            const double first = std::ceil(place);
            const std::size_t to = !tiles_.is_volume && d == 1 ? 2 : d; // layers
            result.first[to] =
                static_cast<cl_ushort>(static_cast<std::size_t>(first) % grid_.fine[d]);
            result.t[d] = 2 * (first - place) - 1;
        }
        return result;
    }
    std::size_t layers() const { return grid_.fine[tiles_.is_volume ? 2 : 1]; }
    /// Of a bin and a first layer.
    std::size_t key_of(const OnGrid& sample) const {
        const std::size_t bin = sample.first[1] / tiles_.along_y() * bins_x_ +
                                sample.first[0] / tiles_.along_x();
        return bin * layers() + sample.first[2];
    }

private:
    const std::vector<Vec3>& trajectory_;
    Vec3 per_fov_;
    const NufftGrid& grid_;
    NufftTiles tiles_;
    std::size_t bins_x_;
};

/// exp(i 2 pi k c) of the middle c of the frequencies; none where that is 0.
class MiddlePhases {
public:
    explicit MiddlePhases(const Voxels& voxels) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double middle = static_cast<double>(voxels.lattice_first()[d]) +
                                  static_cast<double>(voxels.lattice_size()[d] / 2);
            turns_[d] = middle / voxels.per_fov()[d];
            given_ = given_ || middle != 0;
        }
    }
    bool given() const { return given_; }
    Complex of(const Vec3& k) const {
        const double turns = k[0] * turns_[0] + k[1] * turns_[1] + k[2] * turns_[2];
        return std::polar(1.0, 2 * pi * (turns - std::floor(turns)));
    }

private:
    std::array<double, 3> turns_{};
    bool given_ = false;
};

/// Where each core's samples of each key go: a counting sort that keeps the order of the scan.
class Sorting {
public:
    Sorting(const Placing& placing, std::size_t samples, std::size_t keys)
        : ranges_(split_into_ranges(samples, divide_up(samples, cores_for(keys)))), starts(keys + 1),
          next_(ranges_.size(), std::vector<cl_uint>(keys)) {
        for_each_in_parallel(ranges_.size(), [&](std::size_t r) {
            for (std::size_t m = ranges_[r].first; m < ranges_[r].first + ranges_[r].count; ++m) {
                ++next_[r][placing.key_of(placing.at(m))];
            }
        });
        cl_uint sum = 0;
        for (std::size_t key = 0; key < keys; ++key) {
            starts[key] = sum;
            for (std::vector<cl_uint>& of_range : next_) {
                const cl_uint count = of_range[key];
                of_range[key] = sum;
                sum += count;
            }
        }
        starts[keys] = sum;
    }
    /// visit(sample, where it goes)
    template <typename Visit> void for_each(const Placing& placing, const Visit& visit) {
        for_each_in_parallel(ranges_.size(), [&](std::size_t r) {
            for (std::size_t m = ranges_[r].first; m < ranges_[r].first + ranges_[r].count; ++m) {
                const OnGrid sample = placing.at(m);
                visit(m, sample, next_[r][placing.key_of(sample)]++);
            }
        });
    }

private:
    /// Tables of counts in no more than a quarter of a gigabyte.
    static std::size_t cores_for(std::size_t keys) {
        constexpr std::size_t most_counts = std::size_t(1) << 26;
        return std::clamp<std::size_t>(most_counts / keys, 1, all_cores());
    }
    std::vector<Range> ranges_;

public:
    std::vector<cl_uint> starts;

private:
    std::vector<std::vector<cl_uint>> next_;
};

template <typename Real> cl::Buffer upload_as(Queue& queue, const std::vector<double>& values) {
    return queue.upload(std::vector<Real>(values.begin(), values.end()));
}

} // namespace

NufftBins::NufftBins(const Resources& resources, const SamplePoints& points, const Voxels& voxels,
                     const NufftGrid& grid) {
    const NufftTiles tiles(voxels.lattice_size());
    const Placing placing(points.trajectory, voxels, grid, tiles);
    const MiddlePhases middle(voxels);
    const std::size_t samples = points.count();
    const std::size_t bins_x = grid.fine[0] / tiles.along_x();
    const std::size_t bins_y = tiles.is_volume ? grid.fine[1] / tiles.along_y() : 1;
    bins = {{static_cast<cl_int>(bins_x), static_cast<cl_int>(bins_y),
             static_cast<cl_int>(placing.layers()), 0}};
    const std::size_t of_layer = tiles.is_volume ? grid.fine[0] * grid.fine[1] : grid.fine[0];
    strides = {{grid.fine[0], of_layer, of_layer * placing.layers(), 0}};

    Sorting sorting(placing, samples, bins_x * bins_y * placing.layers());
    const std::size_t dimensions = tiles.is_volume ? 3 : 2;
    std::vector<cl_uint> sorted(samples);
    std::vector<cl_ushort4> firsts(samples);
    std::vector<double> t(dimensions * samples);
    std::vector<double> of_middle(middle.given() ? 2 * samples : 0);
    sorting.for_each(placing, [&](std::size_t m, const OnGrid& sample, std::size_t at) {
        sorted[at] = static_cast<cl_uint>(m);
        firsts[at] = {{sample.first[0], sample.first[1], sample.first[2], 0}};
        for (std::size_t d = 0; d < dimensions; ++d) {
            t[d * samples + at] = sample.t[d];
        }
        if (middle.given()) {
            const Complex phase = middle.of(points.trajectory[m]);
            of_middle[2 * at] = phase.real();
            of_middle[2 * at + 1] = phase.imag();
        }
    });
    Queue& queue = resources.queue;
    const auto upload = [&](const std::vector<double>& values) {
        return resources.precision == Precision::float64 ? queue.upload(values)
                                                         : upload_as<float>(queue, values);
    };
    starts = queue.upload(sorting.starts);
    order = queue.upload(sorted);
    first_points = queue.upload(firsts);
    offsets = upload(t);
    with_phases = middle.given();
    phases = with_phases ? upload(of_middle) : offsets;
    divide(resources, tiles, grid.kernel.width(), sorting.starts);
}

Cost NufftBins::cost(const SamplePoints& points, const NufftTiles& tiles, const NufftGrid& grid,
                     Precision precision) {
    const auto samples = static_cast<double>(points.count());
    const auto number = static_cast<double>(bytes_of(precision));
    const auto reached = [&](std::size_t along) { // tiles by a kernel
        return 1 + static_cast<double>(grid.kernel.width() - 1) / static_cast<double>(along);
    };
    const double chunks = samples / static_cast<double>(samples_of_a_chunk) *
                          reached(tiles.along_x()) * reached(tiles.layers()) *
                          (tiles.is_volume ? reached(tiles.along_y()) : 1);
    const double of_part = 2 * number * static_cast<double>(tiles.points() * tiles.layers());
    const double of_sample = sizeof(cl_uint) + sizeof(cl_ushort4) + 7 * number;
    Cost cost;
    cost.device_bytes = of_sample * samples + of_part * chunks;
    cost.largest_array = std::max(of_part * chunks, 3 * number * samples);
    return cost;
}

/// In the order of kernels/nufft.cl: layers are the fastest dimension of tiles.
void NufftBins::divide(const Resources& resources, const NufftTiles& tiles, std::size_t width,
                       const std::vector<cl_uint>& starts_of_keys) {
    const auto modulo = [](long at, long extent) { return (at + 2 * extent) % extent; };
    const long reach = static_cast<long>(width) - 1;
    const auto bins_of = [&](std::size_t along) {
        return along == 1 ? 1
                          : 1 + static_cast<long>(divide_up(width - 1, along));
    };
    const long layers = bins.s[2];
    const auto in_tile = [&](long x, long y, long first) {
        std::size_t count = 0;
        const long last = std::min(first + static_cast<long>(tiles.layers()), layers);
        for (long by = 0; by < bins_of(tiles.along_y()); ++by) {
            for (long bx = 0; bx < bins_of(tiles.along_x()); ++bx) {
                const auto row = static_cast<std::size_t>(
                    (modulo(y - by, bins.s[1]) * bins.s[0] + modulo(x - bx, bins.s[0])) * layers);
                const auto between = [&](long from, long to) {
                    return starts_of_keys[row + static_cast<std::size_t>(to)] -
                           starts_of_keys[row + static_cast<std::size_t>(from)];
                };
                count += between(std::max(0L, first - reach), last);
                if (first < reach) { // from the period's end
                    count += between(layers + first - reach, layers);
                }
            }
        }
        return count;
    };
    std::vector<cl_int4> chunks_of_all;
    std::vector<cl_int4> split;
    cl_int tile = 0;
    for (long y = 0; y < bins.s[1]; ++y) {
        for (long x = 0; x < bins.s[0]; ++x) {
            for (long first = 0; first < layers; first += static_cast<long>(tiles.layers())) {
                const std::size_t count = in_tile(x, y, first);
                const std::vector<Range> ranges = split_into_ranges(
                    std::max<std::size_t>(1, count), samples_of_a_chunk);
                if (ranges.size() > 1) {
                    split.push_back({{tile, static_cast<cl_int>(parts),
                                      static_cast<cl_int>(ranges.size()), 0}});
                }
                for (const Range& range : ranges) {
                    chunks_of_all.push_back(
                        {{tile, static_cast<cl_int>(range.first),
                          static_cast<cl_int>(std::min(range.count, count)),
                          ranges.size() > 1 ? static_cast<cl_int>(parts++) : -1}});
                }
                ++tile;
            }
        }
    }
    chunk_count = chunks_of_all.size();
    split_count = split.size();
    chunks = resources.queue.upload(chunks_of_all);
    if (split.empty()) {
        split.push_back({});
    }
    split_tiles = resources.queue.upload(split);
}

} // namespace lsrecon::opencl
