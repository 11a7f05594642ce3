#include "backend/opencl/separable.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "plan/chunks.hpp"
#include "plan/split.hpp"

namespace lsrecon::opencl {

namespace {

constexpr double two_pi = 6.283185307179586476925286766559;
constexpr std::size_t lanes = 16;
/// How samples are divided: the product on CPUs sums in runs of its own, the one in local memory
/// sums a whole chunk in one float, which must be short where few samples hold the energy.
struct ChunkLengths {
    std::size_t longest;
    std::size_t short_one;
    std::size_t samples_in_short_ones;
};
constexpr ChunkLengths chunks_on_cpu{512, 512, 0};
constexpr ChunkLengths chunks_in_local_memory{256, 32, 2048};

// ROWS, LOCAL_ROWS and LOCAL_COLUMNS / LANES of kernels/separable.cl.
constexpr std::size_t rows_of_a_cpu_item = 4;
constexpr std::size_t rows_of_a_work_group = 64;
constexpr std::size_t tiles_of_a_work_group = 4;
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
              const Voxels& voxels, bool in_local_memory)
        : queue_(queue), coils_(rows(values)), size_(voxels.lattice_size()),
          first_(voxels.lattice_first()), in_local_memory_(in_local_memory),
          lengths_(in_local_memory ? chunks_in_local_memory : chunks_on_cpu) {
        tiles_ = divide_up(columns(), lanes);
        build_kernels();
        upload_samples(trajectory, values, voxels);
        panel_ = queue.buffer(2 * sizeof(float) * tiles_ * lanes * lengths_.longest);
        y_factors_ = queue.buffer(2 * sizeof(float) * size_[1] * lengths_.longest);
        z_factors_ = queue.buffer(2 * sizeof(float) * coils_ * size_[2] * lengths_.longest);
    }

    CoilMatrix run(const Progress& progress) {
        CoilMatrix out(static_cast<Eigen::Index>(coils_),
                       static_cast<Eigen::Index>(size_[0] * size_[1] * size_[2]));
        const std::size_t row_count = coils_ * size_[1] * size_[2];
        const std::size_t limit =
            std::min(most_bytes_of_totals, queue_.info().max_allocation_bytes);
        const std::size_t block_rows =
            std::max(rows_of_a_cpu_item, limit / (tiles_ * sizeof(Tile)));
        double done = 0;
        for (const Range& block : split_into_ranges(row_count, block_rows)) {
            std::vector<Tile> totals(block.count * tiles_, Tile{});
            const cl::Buffer buffer = queue_.upload(totals);
            for (const Range& chunk : chunks_) {
                run_chunk(chunk, block, buffer);
                done += static_cast<double>(block.count) * static_cast<double>(chunk.count);
                progress(done / (static_cast<double>(row_count) * static_cast<double>(padded_)));
            }
            queue_.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, totals.size() * sizeof(Tile),
                                                totals.data());
            queue_.finish();
            unpack(totals, block, out);
        }
        return out;
    }

private:
    /// High and low parts of one coordinate of all samples.
    struct Coordinate {
        cl::Buffer high;
        cl::Buffer low;
    };

    void build_kernels() {
        const std::string options = text("-DLANES=", lanes, " -DCHUNK=", lengths_.longest);
        factors_x_ = queue_.kernel("separable.cl", "factors_x", options);
        factors_rows_ = queue_.kernel("separable.cl", "factors_rows", options);
        product_ = queue_.kernel("separable.cl", in_local_memory_ ? "product_in_local" : "product",
                                 options);
        std::array<float, lanes> numbers{};
        for (std::size_t i = 0; i < lanes; ++i) {
            numbers[i] = static_cast<float>(static_cast<double>(i) + centre_offset());
        }
        lane_numbers_ = queue_.upload(numbers.data(), sizeof(numbers));
    }

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

    /// Samples with the largest values first, so that the short chunks (ChunkLengths) get them.
    /// Returns the order; fills chunks_, whose ranges are padded to whole vectors.
    std::vector<std::size_t> order_of_samples(const CoilMatrix& values) {
        std::vector<std::size_t> order(lsrecon::columns(values));
        std::iota(order.begin(), order.end(), std::size_t(0));
        const RealVector energy = values.colwise().squaredNorm().transpose();
        std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
            return energy(static_cast<Eigen::Index>(i)) > energy(static_cast<Eigen::Index>(j));
        });
        const std::size_t large = std::min(order.size(), lengths_.samples_in_short_ones);
        for (const Range& chunk : split_into_ranges(large, lengths_.short_one)) {
            add_chunk(chunk.count);
        }
        for (const Range& chunk : split_into_ranges(order.size() - large, lengths_.longest)) {
            add_chunk(chunk.count);
        }
        return order;
    }

    void add_chunk(std::size_t count) {
        const std::size_t padded = divide_up(count, lanes) * lanes;
        chunks_.push_back({padded_, padded});
        counts_.push_back(count);
        padded_ += padded;
    }

    /// Everything about the samples goes to the device once; padding has no value.
    void upload_samples(const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                        const Voxels& voxels) {
        const std::vector<std::size_t> order = order_of_samples(values);
        const SplitScale scale(2 * voxels.extent_in_voxels()); // halves of voxels are exact, too
        std::array<std::vector<float>, 6> parts;
        for (std::vector<float>& part : parts) {
            part.assign(padded_, 0.0F);
        }
        std::vector<float> of_values(2 * coils_ * padded_, 0.0F);
        std::size_t next = 0;
        for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
            for (std::size_t i = 0; i < counts_[chunk]; ++i) {
                const std::size_t m = order[next++];
                const std::size_t at = chunks_[chunk].first + i;
                for (std::size_t d = 0; d < 3; ++d) {
                    const SplitScale::Parts k =
                        scale.trajectory(trajectory[m][d] / voxels.per_fov()[d]);
                    parts[2 * d][at] = k.high;
                    parts[2 * d + 1][at] = k.low;
                }
                const double turns = trajectory[m][0] / voxels.per_fov()[0] * centre_offset();
                const Complex to_centre = std::polar(1.0, -two_pi * turns);
                for (std::size_t c = 0; c < coils_; ++c) {
                    const Complex value = to_centre * values(static_cast<Eigen::Index>(c),
                                                             static_cast<Eigen::Index>(m));
                    of_values[2 * c * padded_ + at] = static_cast<float>(value.real());
                    of_values[(2 * c + 1) * padded_ + at] = static_cast<float>(value.imag());
                }
            }
        }
        for (std::size_t d = 0; d < 3; ++d) {
            coordinates_[d] = {queue_.upload(parts[2 * d]), queue_.upload(parts[2 * d + 1])};
        }
        values_ = queue_.upload(of_values);
        std::vector<float> one(2 * padded_, 0.0F);
        std::fill(one.begin(), one.begin() + static_cast<long>(padded_), 1.0F);
        ones_ = queue_.upload(one);
    }

    void run_chunk(const Range& chunk, const Range& block, const cl::Buffer& totals) {
        const auto offset = static_cast<cl_int>(chunk.first);
        const auto stride = static_cast<cl_int>(padded_);
        const std::size_t vectors = chunk.count / lanes;
        set_args(factors_x_, coordinates_[0].high, coordinates_[0].low, offset, lane_numbers_,
                 panel_);
        queue_.launch(factors_x_, cl::NDRange(chunk.count, tiles_), cl::NullRange);
        set_args(factors_rows_, coordinates_[1].high, coordinates_[1].low, offset,
                 static_cast<cl_int>(first_[1]), ones_, stride, y_factors_);
        queue_.launch(factors_rows_, cl::NDRange(vectors, size_[1], 1), cl::NullRange);
        set_args(factors_rows_, coordinates_[2].high, coordinates_[2].low, offset,
                 static_cast<cl_int>(first_[2]), values_, stride, z_factors_);
        queue_.launch(factors_rows_, cl::NDRange(vectors, size_[2], coils_), cl::NullRange);
        set_args(product_, panel_, y_factors_, z_factors_, static_cast<cl_int>(chunk.count),
                 static_cast<cl_int>(size_[1]), static_cast<cl_int>(block.first),
                 static_cast<cl_int>(block.count), static_cast<cl_int>(tiles_), totals);
        if (in_local_memory_) {
            queue_.launch(product_,
                          cl::NDRange(16 * divide_up(tiles_, tiles_of_a_work_group),
                                      16 * divide_up(block.count, rows_of_a_work_group)),
                          cl::NDRange(16, 16));
        } else {
            queue_.launch(product_, cl::NDRange(divide_up(block.count, rows_of_a_cpu_item)),
                          cl::NDRange(1));
        }
        queue_.commands().flush();
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
    std::size_t coils_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    bool in_local_memory_;
    ChunkLengths lengths_;
    std::size_t tiles_ = 0;
    std::vector<Range> chunks_; ///< padded
    std::vector<std::size_t> counts_; ///< samples of each chunk
    std::size_t padded_ = 0; ///< samples with padding
    std::array<Coordinate, 3> coordinates_;
    cl::Buffer values_; ///< [coil][real or imaginary][sample]
    cl::Buffer ones_;
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
                               const CoilMatrix& values, const Voxels& voxels, bool in_local_memory,
                               const Progress& progress) {
    if (trajectory.empty() || voxels.count() == 0 || values.rows() == 0) {
        return CoilMatrix::Zero(values.rows(), static_cast<Eigen::Index>(voxels.count()));
    }
    return Separable(queue, trajectory, values, voxels, in_local_memory).run(progress);
}

} // namespace lsrecon::opencl
