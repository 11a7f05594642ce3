// Sorts the samples of a NUFFT on the device by kernels/nufft_sort.cl, and divides tiles that hold
// many samples into chunks.

#include "engines/opencl/nufft_bins.hpp"

#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "engines/nufft/samples.hpp"

namespace lsrecon::opencl {

namespace {

/// The number of samples of a tile that are summed one after the other in floats; other chunks
/// compute the rest of a tile meanwhile. The sums of all chunks stay within some of the device's
/// memory.
std::size_t samples_of_a_chunk(double reads) {
    constexpr std::size_t few = 1024;
    constexpr double most_chunks = 65536;
    return few *
           std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(reads / most_chunks / few)));
}

/// The number of reads of samples by tiles, at most: a sample is read by each tile that may see it.
double reads_of(std::size_t samples, const NufftTiles& tiles, std::size_t width) {
    return static_cast<double>(samples * tiles.bins_x(width) * tiles.bins_y(width)) *
           (1 + static_cast<double>(width - 1) / static_cast<double>(tiles.layers()));
}

/// A sample on the fine grid, as kernels/nufft_sort.cl reads it.
template <typename Real> struct GridPosition {
    std::array<cl_ushort, 4> first{}; ///< point of its kernel: x, y and layer
    std::array<Real, 3> t{}; ///< 2 offset - 1, by dimension
};

/// The grid positions of samples on the device, in the order of the scan.
struct GridPositions {
    cl::Buffer positions;
    cl::Buffer phases; ///< or any other
};

/// Finds where the kernels of samples begin on the fine grid. The second dimension of a plane is
/// stored as layers.
template <typename Real> LSRECON_AVX2_CLONE void
find_grid_positions(const Vec3* positions, const Range& range, const Vec3& per_fov,
                    const std::vector<NufftLine>& lines, GridPosition<Real>* grid_positions) {
    for (std::size_t d = 0; d < lines.size(); ++d) {
        const NufftLine& line = lines[d];
        const std::size_t to = lines.size() == 2 && d == 1 ? 2 : d; // layers
        for (std::size_t i = range.first; i < range.first + range.count; ++i) {
            const double position = line.beginning(positions[i][d] / per_fov[d]);
            grid_positions[i].first[to] = static_cast<cl_ushort>(line.first_point(position));
            grid_positions[i].t[d] = static_cast<Real>(2 * (std::ceil(position) - position) - 1);
        }
    }
}

/// Computes the grid positions on the host: devices may lack doubles.
template <typename Real>
GridPositions upload_grid_positions(Queue& queue, const std::vector<Vec3>& positions,
                                    const Voxels& voxels, const NufftGrid& grid, bool is_volume) {
    // Grid positions of floats fit a pinned buffer of the queue. The memory is used again.
    constexpr std::size_t samples_at_a_time = std::size_t(3) << 18;
    const MiddlePhases middle(voxels);
    std::vector<NufftLine> lines;
    for (std::size_t d = 0; d < (is_volume ? 3 : 2); ++d) {
        lines.push_back(grid.line(d));
    }
    const std::size_t samples = positions.size();
    std::vector<GridPosition<Real>> grid_positions(std::min(samples_at_a_time, samples));
    std::vector<std::array<Real, 2>> phases(middle.given() ? grid_positions.size() : 0);
    GridPositions result;
    result.positions = queue.buffer(samples * sizeof(grid_positions[0]));
    result.phases = middle.given() ? queue.buffer(samples * sizeof(phases[0])) : result.positions;
    for (const Range& some : split_into_ranges(samples, samples_at_a_time)) {
        for_each_range_in_parallel(some.count, all_cores(), [&](const Range& range) {
            find_grid_positions(positions.data() + some.first, range, voxels.per_fov(), lines,
                                grid_positions.data());
            for (std::size_t i = range.first; middle.given() && i < range.first + range.count;
                 ++i) {
                const Complex phase = middle.of(positions[some.first + i]);
                phases[i] = {static_cast<Real>(phase.real()), static_cast<Real>(phase.imag())};
            }
        });
        const auto write = [&](const cl::Buffer& to, const auto& values) {
            constexpr std::size_t bytes = sizeof(values[0]);
            queue.write(values.data(), some.count * bytes, to, some.first * bytes);
        };
        write(result.positions, grid_positions);
        if (middle.given()) {
            write(result.phases, phases);
        }
    }
    return result;
}

cl::Kernel sort_kernel(const Resources& resources, const std::string& name) {
    return resources.queue.kernel("nufft_sort.cl", name, resources.defines());
}

/// Sorts samples by their keys, which are below `end`; those of one key stay in their order.
void sort_by_key(const Resources& resources, std::size_t samples, std::size_t end, cl::Buffer& keys,
                 cl::Buffer& order) {
    // These are DIGITS, GROUP and EACH of the kernels.
    constexpr int bits = 4;
    constexpr std::size_t group = 256;
    constexpr std::size_t each = 8;
    Queue& queue = resources.queue;
    const std::size_t groups = divide_up(samples, group * each);
    const std::size_t numbers = groups << bits;
    const cl::Buffer counts = queue.buffer(numbers * sizeof(cl_uint));
    cl::Buffer other_keys = queue.buffer(samples * sizeof(cl_uint));
    cl::Buffer other_order = queue.buffer(samples * sizeof(cl_uint));
    const auto launch = [&](const char* name, std::size_t launched, const auto&... values) {
        cl::Kernel kernel = sort_kernel(resources, name);
        Queue::set_arguments(kernel, values...);
        queue.launch(kernel, cl::NDRange(launched * group), cl::NDRange(group));
    };
    const cl_ulong all = samples;
    for (cl_int shift = 0; (end - 1) >> shift > 0; shift += bits) {
        launch("count_digits", groups, keys, all, shift, counts);
        launch("add_up", 1, static_cast<cl_ulong>(numbers), counts);
        launch("move_by_digit", groups, keys, order, all, shift, counts, other_keys, other_order);
        std::swap(keys, other_keys);
        std::swap(order, other_order);
    }
}

} // namespace

NufftBins::NufftBins(const Resources& resources, const SamplePoints& points, const Voxels& voxels,
                     const NufftGrid& grid)
    : with_phases(MiddlePhases(voxels).given()) {
    const NufftTiles tiles(voxels.lattice_size());
    const std::size_t bins_x = grid.fine[0] / tiles.along_x();
    const std::size_t bins_y = tiles.is_volume ? grid.fine[1] / tiles.along_y() : 1;
    const std::size_t layers = grid.fine[tiles.is_volume ? 2 : 1];
    bins = {
        {static_cast<cl_int>(bins_x), static_cast<cl_int>(bins_y), static_cast<cl_int>(layers), 0}};
    const std::size_t of_layer = grid.fine[0] * (tiles.is_volume ? grid.fine[1] : 1);
    strides = {{grid.fine[0], of_layer, of_layer * layers, 0}};
    starts_of_keys_.resize(bins_x * bins_y * layers + 1);
    sort(resources, points, voxels, grid);
    divide(resources.queue, tiles, grid.kernel.width(), points.count());
}

/// Sorts samples by bin and layer, so that those of a tile lie together, and finds where each key
/// starts; the host reads these starts for divide().
void NufftBins::sort(const Resources& resources, const SamplePoints& points, const Voxels& voxels,
                     const NufftGrid& grid) {
    Queue& queue = resources.queue;
    const NufftTiles tiles(voxels.lattice_size());
    const std::size_t samples = points.count();
    const std::size_t number = bytes_of(resources.precision);
    const std::size_t end = starts_of_keys_.size() - 1;
    const auto make = resources.precision == Precision::float64 ? upload_grid_positions<double>
                                                                : upload_grid_positions<float>;
    const GridPositions scan = make(queue, points.positions, voxels, grid, tiles.is_volume);
    cl::Buffer keys = queue.buffer(samples * sizeof(cl_uint));
    order = queue.buffer(samples * sizeof(cl_uint));
    const cl_int2 tile = {
        {static_cast<cl_int>(tiles.along_x()), static_cast<cl_int>(tiles.along_y())}};
    resources.launch(sort_kernel(resources, "find_keys"), {samples, 1, 1}, scan.positions, bins,
                     tile, keys, order);
    sort_by_key(resources, samples, end, keys, order);
    first_points = queue.buffer(samples * sizeof(cl_ushort4));
    offsets = queue.buffer(3 * samples * number);
    phases = with_phases ? queue.buffer(2 * samples * number) : offsets;
    resources.launch(sort_kernel(resources, "gather"), {samples, 1, 1}, order, scan.positions,
                     scan.phases, static_cast<cl_int>(with_phases), first_points, offsets, phases);
    const std::size_t bytes = starts_of_keys_.size() * sizeof(cl_uint);
    starts = queue.buffer(bytes);
    resources.launch(sort_kernel(resources, "find_starts"), {samples + 1, 1, 1}, keys,
                     static_cast<cl_uint>(end), starts);
    queue.read(starts, 0, bytes, starts_of_keys_.data());
}

Cost NufftBins::cost(const SamplePoints& points, const NufftTiles& tiles, const NufftGrid& grid,
                     Precision precision) {
    const auto samples = static_cast<double>(points.count());
    const auto number = static_cast<double>(bytes_of(precision));
    const double reads = reads_of(points.count(), tiles, grid.kernel.width());
    const double chunks = reads / static_cast<double>(samples_of_a_chunk(reads));
    const double of_part = 2 * number * static_cast<double>(tiles.points() * tiles.layers());
    const double of_sample = sizeof(cl_uint) + sizeof(cl_ushort4) + 7 * number;
    // The memory of sorting, before there are values and parts: grid positions and phases twice,
    // two arrays of keys and of order.
    const double of_place = sizeof(cl_ushort4) + 3 * number;
    const double in_sorting = 2 * (of_place + 2 * number) + 4 * sizeof(cl_uint);
    Cost cost;
    cost.device_bytes = std::max(in_sorting * samples, of_sample * samples + of_part * chunks);
    cost.largest_array = std::max(of_part * chunks, of_place * samples);
    return cost;
}

/// Divides samples in the order of kernels/nufft.cl: layers are the fastest dimension of tiles.
void NufftBins::divide(Queue& queue, const NufftTiles& tiles, std::size_t width,
                       std::size_t samples) {
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
    const std::size_t of_a_chunk = samples_of_a_chunk(reads_of(samples, tiles, width));
    std::vector<cl_int4> chunks_of_all;
    std::vector<cl_int4> split;
    cl_int tile = 0;
    for (long y = 0; y < bins.s[1]; ++y) {
        for (long x = 0; x < bins.s[0]; ++x) {
            for (long first = 0; first < layers; first += static_cast<long>(tiles.layers())) {
                const std::size_t count = in_tile(x, y, first);
                const std::vector<Range> ranges =
                    split_into_ranges(std::max<std::size_t>(1, count), of_a_chunk);
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
