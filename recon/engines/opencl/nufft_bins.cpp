#include "engines/opencl/nufft_bins.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "engines/nufft/samples.hpp"

namespace lsrecon::opencl {

namespace {

/// Of a tile, one after the other in floats; others compute the rest of a tile meanwhile.
constexpr std::size_t samples_of_a_chunk = 1024;

/// What is known of a sample on the fine grid.
struct OnGrid {
    std::array<cl_ushort, 3> first{}; ///< point of its kernel: x, y and layer
    std::array<double, 3> t{}; ///< 2 offset - 1, by dimension
};

} // namespace

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
            const double place = grid_.beginning(d, trajectory_[m][d] / per_fov_[d]);
            const double first = std::ceil(place);
            const std::size_t to = !tiles_.is_volume && d == 1 ? 2 : d; // layers
            result.first[to] =
                static_cast<cl_ushort>(static_cast<std::size_t>(first) % grid_.fine[d]);
            result.t[d] = 2 * (first - place) - 1;
        }
        return result;
    }
    const std::vector<Vec3>& trajectory() const { return trajectory_; }
    std::size_t layers() const { return grid_.fine[tiles_.is_volume ? 2 : 1]; }
    std::size_t bin_of(const OnGrid& sample) const {
        return sample.first[1] / tiles_.along_y() * bins_x_ + sample.first[0] / tiles_.along_x();
    }

private:
    const std::vector<Vec3>& trajectory_;
    Vec3 per_fov_;
    const NufftGrid& grid_;
    NufftTiles tiles_;
    std::size_t bins_x_;
};

namespace {

/// Samples by their bins, in the order of the scan within each.
struct ByBin {
    std::vector<cl_uint> order;
    std::vector<std::size_t> starts; ///< of each bin, and the end

    ByBin(const Placing& placing, std::size_t samples, std::size_t bins)
        : order(samples), starts(bins + 1) {
        const std::vector<Range> ranges =
            split_into_ranges(samples, divide_up(std::max<std::size_t>(1, samples), all_cores()));
        std::vector<std::vector<std::size_t>> next(ranges.size(), std::vector<std::size_t>(bins));
        std::vector<cl_uint> bin_of(samples);
        for_each_in_parallel(ranges.size(), [&](std::size_t r) {
            for (std::size_t m = ranges[r].first; m < ranges[r].first + ranges[r].count; ++m) {
                bin_of[m] = static_cast<cl_uint>(placing.bin_of(placing.at(m)));
                ++next[r][bin_of[m]];
            }
        });
        std::size_t sum = 0;
        for (std::size_t bin = 0; bin < bins; ++bin) {
            starts[bin] = sum;
            for (std::vector<std::size_t>& of_range : next) {
                sum += std::exchange(of_range[bin], sum);
            }
        }
        starts[bins] = sum;
        for_each_in_parallel(ranges.size(), [&](std::size_t r) {
            for (std::size_t m = ranges[r].first; m < ranges[r].first + ranges[r].count; ++m) {
                order[next[r][bin_of[m]]++] = static_cast<cl_uint>(m);
            }
        });
    }
    std::size_t bins() const { return starts.size() - 1; }
};

/// What the device is given of samples, sorted.
template <typename Real> struct SortedSamples {
    std::vector<cl_uint> order;
    std::vector<cl_ushort4> first_points;
    std::vector<std::array<Real, 2>> phases;
    std::array<std::vector<Real>, 3> offsets;

    void resize(std::size_t count) {
        order.resize(count);
        first_points.resize(count);
        phases.resize(count);
        for (std::vector<Real>& of_dimension : offsets) {
            of_dimension.resize(count);
        }
    }
};

/// Sorts the samples of one bin by their layers. `starts` is of its first layer, `first` the first
/// sample of `to`.
template <typename Real> void sort_bin(const Placing& placing, const MiddlePhases& middle,
                                       const ByBin& by_bin, std::size_t bin, cl_uint* starts,
                                       std::size_t first, SortedSamples<Real>& to) {
    const std::size_t begin = by_bin.starts[bin];
    const std::size_t count = by_bin.starts[bin + 1] - begin;
    std::vector<cl_ushort> layer_of(count);
    std::vector<std::size_t> next(placing.layers() + 1);
    for (std::size_t i = 0; i < count; ++i) {
        layer_of[i] = placing.at(by_bin.order[begin + i]).first[2];
        ++next[layer_of[i] + 1U];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t layer = 0; layer < placing.layers(); ++layer) {
        starts[layer] = static_cast<cl_uint>(begin + next[layer]);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const cl_uint m = by_bin.order[begin + i];
        const OnGrid sample = placing.at(m);
        const std::size_t at = begin - first + next[layer_of[i]]++;
        to.order[at] = m;
        to.first_points[at] = {{sample.first[0], sample.first[1], sample.first[2], 0}};
        for (std::size_t d = 0; d < 3; ++d) {
            to.offsets[d][at] = static_cast<Real>(sample.t[d]);
        }
        if (middle.given()) {
            const Complex phase = middle.of(placing.trajectory()[m]);
            to.phases[at] = {static_cast<Real>(phase.real()), static_cast<Real>(phase.imag())};
        }
    }
}

/// Bins one after the other, about so many samples at a time: what is sorted of them stays in
/// memory that is used again.
std::vector<Range> bins_at_a_time(const ByBin& by_bin) {
    constexpr std::size_t samples_at_a_time = std::size_t(1) << 20;
    std::vector<Range> ranges;
    for (std::size_t bin = 0; bin < by_bin.bins(); ++bin) {
        if (ranges.empty() ||
            by_bin.starts[bin + 1] - by_bin.starts[ranges.back().first] > samples_at_a_time) {
            ranges.push_back({bin, 0});
        }
        ++ranges.back().count;
    }
    return ranges;
}

} // namespace

NufftBins::NufftBins(const Resources& resources, const SamplePoints& points, const Voxels& voxels,
                     const NufftGrid& grid) {
    const NufftTiles tiles(voxels.lattice_size());
    const Placing placing(points.trajectory, voxels, grid, tiles);
    const std::size_t bins_x = grid.fine[0] / tiles.along_x();
    const std::size_t bins_y = tiles.is_volume ? grid.fine[1] / tiles.along_y() : 1;
    bins = {{static_cast<cl_int>(bins_x), static_cast<cl_int>(bins_y),
             static_cast<cl_int>(placing.layers()), 0}};
    const std::size_t of_layer = grid.fine[0] * (tiles.is_volume ? grid.fine[1] : 1);
    strides = {{grid.fine[0], of_layer, of_layer * placing.layers(), 0}};
    if (resources.precision == Precision::float64) {
        sort<double>(resources.queue, points, voxels, placing);
    } else {
        sort<float>(resources.queue, points, voxels, placing);
    }
    divide(resources.queue, tiles, grid.kernel.width());
}

template <typename Real> void NufftBins::sort(Queue& queue, const SamplePoints& points,
                                              const Voxels& voxels, const Placing& placing) {
    const std::size_t samples = points.count();
    const MiddlePhases middle(voxels);
    with_phases = middle.given();
    const ByBin by_bin(placing, samples, static_cast<std::size_t>(bins.s[0] * bins.s[1]));
    starts_of_keys_.resize(by_bin.bins() * placing.layers() + 1);
    starts_of_keys_.back() = static_cast<cl_uint>(samples);
    order = queue.buffer(samples * sizeof(cl_uint));
    first_points = queue.buffer(samples * sizeof(cl_ushort4));
    offsets = queue.buffer(3 * samples * sizeof(Real));
    phases = with_phases ? queue.buffer(2 * samples * sizeof(Real)) : offsets;
    SortedSamples<Real> sorted;
    for (const Range& some : bins_at_a_time(by_bin)) {
        const std::size_t first = by_bin.starts[some.first];
        const std::size_t count = by_bin.starts[some.first + some.count] - first;
        sorted.resize(count);
        for_each_in_parallel(some.count, [&](std::size_t i) {
            const std::size_t bin = some.first + i;
            sort_bin(placing, middle, by_bin, bin, &starts_of_keys_[bin * placing.layers()], first,
                     sorted);
        });
        const auto write = [&](const cl::Buffer& to, const auto& values, std::size_t at) {
            if (!values.empty()) {
                constexpr std::size_t bytes = sizeof(values[0]);
                queue.commands().enqueueWriteBuffer(to, CL_TRUE, at * bytes, count * bytes,
                                                    values.data());
            }
        };
        write(order, sorted.order, first);
        write(first_points, sorted.first_points, first);
        for (std::size_t d = 0; d < 3; ++d) {
            write(offsets, sorted.offsets[d], d * samples + first);
        }
        if (with_phases) {
            write(phases, sorted.phases, first);
        }
    }
    starts = queue.upload(starts_of_keys_);
}

Cost NufftBins::cost(const SamplePoints& points, const NufftTiles& tiles, const NufftGrid& grid,
                     Precision precision) {
    const auto samples = static_cast<double>(points.count());
    const auto number = static_cast<double>(bytes_of(precision));
    const std::size_t width = grid.kernel.width();
    // A sample is read by each tile that may see it.
    const double reads = static_cast<double>(tiles.bins_x(width) * tiles.bins_y(width)) *
                         (1 + static_cast<double>(width - 1) / static_cast<double>(tiles.layers()));
    const double chunks = reads * samples / static_cast<double>(samples_of_a_chunk);
    const double of_part = 2 * number * static_cast<double>(tiles.points() * tiles.layers());
    const double of_sample = sizeof(cl_uint) + sizeof(cl_ushort4) + 7 * number;
    Cost cost;
    cost.device_bytes = of_sample * samples + of_part * chunks;
    cost.largest_array = std::max(of_part * chunks, 3 * number * samples);
    return cost;
}

/// In the order of kernels/nufft.cl: layers are the fastest dimension of tiles.
void NufftBins::divide(Queue& queue, const NufftTiles& tiles, std::size_t width) {
    const auto modulo = [](long at, long extent) { return (at + extent) % extent; };
    const long reach = static_cast<long>(width) - 1;
    const auto bins_x = static_cast<long>(tiles.bins_x(width));
    const auto bins_y = static_cast<long>(tiles.bins_y(width));
    const long layers = bins.s[2];
    const auto in_tile = [&](long x, long y, long first) {
        std::size_t count = 0;
        const long last = std::min(first + static_cast<long>(tiles.layers()), layers);
        for (long by = 0; by < bins_y; ++by) {
            for (long bx = 0; bx < bins_x; ++bx) {
                const long bin_y = modulo(y + 1 - bins_y + by, bins.s[1]);
                const long bin_x = modulo(x + 1 - bins_x + bx, bins.s[0]);
                const auto row = static_cast<std::size_t>((bin_y * bins.s[0] + bin_x) * layers);
                const auto between = [&](long from, long to) {
                    return starts_of_keys_[row + static_cast<std::size_t>(to)] -
                           starts_of_keys_[row + static_cast<std::size_t>(from)];
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
                const std::vector<Range> ranges =
                    split_into_ranges(std::max<std::size_t>(1, count), samples_of_a_chunk);
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
    chunks = queue.upload(chunks_of_all);
    if (split.empty()) {
        split.push_back({});
    }
    split_tiles = queue.upload(split);
}

} // namespace lsrecon::opencl
