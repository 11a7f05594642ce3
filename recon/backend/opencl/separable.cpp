#include "backend/opencl/separable.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/chunks.hpp"
#include "plan/split.hpp"

namespace lsrecon::opencl {

namespace {

constexpr double two_pi = 6.283185307179586476925286766559;
constexpr std::size_t lanes = 16;
constexpr std::size_t chunk_samples = 512;
constexpr std::size_t rows_per_item = 4;
constexpr std::size_t most_bytes_of_totals = std::size_t(1) << 28;

std::size_t divide_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

/// The sums p1..p4 of one tile of x (kernels/separable.cl).
struct Tile {
    struct Sum {
        std::array<float, lanes> high;
        std::array<float, lanes> low;
        double at(std::size_t lane) const { return static_cast<double>(high[lane]) + low[lane]; }
    };
    std::array<Sum, 4> sums;
};

class Separable {
public:
    Separable(Queue& queue, const std::vector<Vec3>& trajectory, const CoilMatrix& values,
              const Voxels& voxels)
        : queue_(queue), trajectory_(trajectory), values_(values), size_(voxels.lattice_size()),
          first_(voxels.lattice_first()), per_fov_(voxels.per_fov()),
          scale_(2 * voxels.extent_in_voxels()) { // 2: halves of voxels must be exact, too
        tiles_ = divide_up(columns(), lanes);
        row_count_ = rows(values) * size_[1] * size_[2];
        const std::string options = text("-DLANES=", lanes, " -DCHUNK=", chunk_samples);
        factors_x_ = queue.kernel("separable.cl", "factors_x", options);
        factors_rows_ = queue.kernel("separable.cl", "factors_rows", options);
        product_ = queue.kernel("separable.cl", "product", options);
        std::array<float, lanes> numbers{};
        for (std::size_t i = 0; i < lanes; ++i) {
            numbers[i] = static_cast<float>(static_cast<double>(i) + centre_offset());
        }
        lane_numbers_ = queue.upload(numbers.data(), sizeof(numbers));
        panel_ = queue.buffer(2 * sizeof(float) * tiles_ * lanes * chunk_samples);
        y_factors_ = queue.buffer(2 * sizeof(float) * size_[1] * chunk_samples);
        z_factors_ = queue.buffer(2 * sizeof(float) * rows(values) * size_[2] * chunk_samples);
    }

    CoilMatrix run(const Progress& progress) {
        CoilMatrix out(values_.rows(), static_cast<Eigen::Index>(size_[0] * size_[1] * size_[2]));
        const std::size_t bytes_of_a_row = tiles_ * sizeof(Tile);
        const std::size_t limit =
            std::min(most_bytes_of_totals, queue_.info().max_allocation_bytes);
        const std::size_t block_rows = std::max(rows_per_item, limit / bytes_of_a_row);
        for (const Range& block : split_into_ranges(row_count_, block_rows)) {
            std::vector<Tile> totals(block.count * tiles_, Tile{});
            const cl::Buffer buffer = queue_.upload(totals);
            for (const Range& chunk : split_into_ranges(trajectory_.size(), chunk_samples)) {
                run_chunk(chunk, block, buffer);
                progress((static_cast<double>(block.first) +
                          static_cast<double>(block.count) * static_cast<double>(chunk.first) /
                              static_cast<double>(trajectory_.size())) /
                         static_cast<double>(row_count_));
            }
            queue_.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, totals.size() * sizeof(Tile),
                                                totals.data());
            queue_.finish();
            unpack(totals, block, out);
        }
        return out;
    }

private:
    /// x -> -x pairs voxels about the middle of the lattice. An even number of voxels has its
    /// middle between two of them: x = (j + 1/2) - 1/2 and x = -(j + 1/2) - 1/2 are then a pair, no
    /// voxel is without a partner, and exp(-i 2 pi k / 2) goes to the values.
    bool middle_between_voxels() const {
        return size_[0] % 2 == 0 && first_[0] == -static_cast<long>(size_[0] / 2);
    }
    double centre_offset() const { return middle_between_voxels() ? 0.5 : 0.0; }

    /// Columns of the product: one for each pair of voxels.
    std::size_t columns() const {
        if (middle_between_voxels()) {
            return size_[0] / 2;
        }
        const long last = first_[0] + static_cast<long>(size_[0]) - 1;
        return static_cast<std::size_t>(std::max(std::abs(first_[0]), std::abs(last))) + 1;
    }

    /// High and low parts of one coordinate, padded to whole vectors by samples of no value.
    struct Coordinate {
        cl::Buffer high;
        cl::Buffer low;
    };

    Coordinate coordinate(const Range& chunk, std::size_t padded, std::size_t d) {
        std::vector<float> high(padded, 0.0F);
        std::vector<float> low(padded, 0.0F);
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const SplitScale::Parts k =
                scale_.trajectory(trajectory_[chunk.first + i][d] / per_fov_[d]);
            high[i] = k.high;
            low[i] = k.low;
        }
        return {queue_.upload(high), queue_.upload(low)};
    }

    cl::Buffer chunk_values(const Range& chunk, std::size_t padded) {
        std::vector<float> values(2 * rows(values_) * padded, 0.0F);
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const double k = trajectory_[chunk.first + i][0] / per_fov_[0];
            const Complex to_centre = std::polar(1.0, -two_pi * k * centre_offset());
            for (std::size_t c = 0; c < rows(values_); ++c) {
                const Complex value =
                    to_centre * values_(static_cast<Eigen::Index>(c),
                                        static_cast<Eigen::Index>(chunk.first + i));
                values[2 * c * padded + i] = static_cast<float>(value.real());
                values[(2 * c + 1) * padded + i] = static_cast<float>(value.imag());
            }
        }
        return queue_.upload(values);
    }

    void run_chunk(const Range& chunk, const Range& block, const cl::Buffer& totals) {
        const std::size_t padded = divide_up(chunk.count, lanes) * lanes;
        const cl::NDRange any_group = cl::NullRange;
        const Coordinate x = coordinate(chunk, padded, 0);
        const Coordinate y = coordinate(chunk, padded, 1);
        const Coordinate z = coordinate(chunk, padded, 2);
        const cl::Buffer values = chunk_values(chunk, padded);
        std::vector<float> one(2 * padded, 0.0F);
        std::fill(one.begin(), one.begin() + static_cast<long>(padded), 1.0F);
        const cl::Buffer ones = queue_.upload(one);

        set_args(factors_x_, x.high, x.low, lane_numbers_, panel_);
        queue_.launch(factors_x_, cl::NDRange(padded, tiles_), any_group);
        set_args(factors_rows_, y.high, y.low, static_cast<cl_int>(first_[1]), ones, y_factors_);
        queue_.launch(factors_rows_, cl::NDRange(padded / lanes, size_[1], 1), any_group);
        set_args(factors_rows_, z.high, z.low, static_cast<cl_int>(first_[2]), values, z_factors_);
        queue_.launch(factors_rows_, cl::NDRange(padded / lanes, size_[2], rows(values_)),
                      any_group);
        set_args(product_, panel_, y_factors_, z_factors_, static_cast<cl_int>(padded),
                 static_cast<cl_int>(size_[1]), static_cast<cl_int>(block.first),
                 static_cast<cl_int>(block.count), static_cast<cl_int>(tiles_), totals);
        queue_.launch(product_, cl::NDRange(divide_up(block.count, rows_per_item)), cl::NDRange(1));
        queue_.finish(); // the chunk's buffers end here
    }

    template <typename... Values>
    static void set_args(cl::Kernel& kernel, const Values&... values) {
        cl_uint index = 0;
        (kernel.setArg(index++, values), ...);
    }

    /// out(+x) = (p1 - p2) + i (p3 + p4), out(-x) = (p1 + p2) + i (p4 - p3).
    void unpack(const std::vector<Tile>& totals, const Range& block, CoilMatrix& out) const {
        const std::size_t rows_of_a_coil = size_[1] * size_[2];
        for (std::size_t r = 0; r < block.count; ++r) {
            const std::size_t row = block.first + r;
            const std::size_t start = row % rows_of_a_coil * size_[0];
            const auto coil = static_cast<Eigen::Index>(row / rows_of_a_coil);
            for (std::size_t i = 0; i < size_[0]; ++i) {
                const long x = first_[0] + static_cast<long>(i);
                const auto distance = static_cast<std::size_t>(
                    x < 0 && middle_between_voxels() ? -x - 1 : std::abs(x));
                const Tile& tile = totals[r * tiles_ + distance / lanes];
                const std::size_t lane = distance % lanes;
                const double p1 = tile.sums[0].at(lane);
                const double p2 = tile.sums[1].at(lane);
                const double p3 = tile.sums[2].at(lane);
                const double p4 = tile.sums[3].at(lane);
                out(coil, static_cast<Eigen::Index>(start + i)) =
                    x >= 0 ? Complex(p1 - p2, p3 + p4) : Complex(p1 + p2, p4 - p3);
            }
        }
    }

    Queue& queue_;
    const std::vector<Vec3>& trajectory_;
    const CoilMatrix& values_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    Vec3 per_fov_;
    SplitScale scale_;
    std::size_t tiles_ = 0;
    std::size_t row_count_ = 0;
    cl::Kernel factors_x_;
    cl::Kernel factors_rows_;
    cl::Kernel product_;
    cl::Buffer lane_numbers_;
    cl::Buffer panel_;
    cl::Buffer y_factors_;
    cl::Buffer z_factors_;
};

} // namespace

CoilMatrix separable_transform(Queue& queue, const std::vector<Vec3>& trajectory,
                               const CoilMatrix& values, const Voxels& voxels,
                               const Progress& progress) {
    if (trajectory.empty() || voxels.count() == 0 || values.rows() == 0) {
        return CoilMatrix::Zero(values.rows(), static_cast<Eigen::Index>(voxels.count()));
    }
    return Separable(queue, trajectory, values, voxels).run(progress);
}

} // namespace lsrecon::opencl
