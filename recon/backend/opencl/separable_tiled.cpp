#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/upload.hpp"

namespace lsrecon::opencl {

namespace {

/// Of one piece of samples, so that the caches of a GPU keep most of it.
constexpr std::size_t most_bytes_of_factors = std::size_t(1) << 26;
/// Work-groups that a compute unit should have to choose from.
constexpr std::size_t groups_of_a_unit = 2;
constexpr std::size_t bytes_of_a_total = 8; ///< two floats, or one double
constexpr std::size_t sums_of_a_pair = 4;
constexpr cl_uint argument_run = 10; ///< of a product whose sums are made in runs
constexpr std::size_t fewest_samples = 64; ///< of a piece and of a slice
constexpr std::size_t most_samples = 65536; ///< of a piece

class TiledForm {
public:
    TiledForm(Queue& queue, const TiledProduct& product, const SeparableWork& work)
        : queue_(queue), form_(product), tile_(product.tiles), work_(work),
          size_(work.voxels.lattice_size()), first_(work.voxels.lattice_first()),
          columns_(work.voxels), factors_(queue.kernel(tile_.file, "factors", tile_.defines)),
          product_(queue.kernel(tile_.file, "product", tile_.defines)),
          finish_(queue.kernel(tile_.file, "finish", tile_.defines)),
          column_groups_(divide_up(columns_.count, tile_.columns)),
          x_stride_(column_groups_ * tile_.columns),
          y_stride_(round_up(size_[1], product.rows_of_a_load)), z_stride_(work.coils * size_[2]) {
        x_factors_ = queue.buffer(2 * sizeof(float) * x_stride_ * samples_of_a_piece());
        y_factors_ = queue.buffer(2 * sizeof(float) * y_stride_ * samples_of_a_piece());
        z_factors_ = queue.buffer(2 * sizeof(float) * z_stride_ * samples_of_a_piece());
    }

    CoilMatrix run() {
        CoilMatrix out(static_cast<Eigen::Index>(work_.coils),
                       static_cast<Eigen::Index>(work_.voxels.count()));
        const std::size_t row_count = y_stride_ * z_stride_;
        const std::size_t bytes_of_a_row = x_stride_ * sums_of_a_pair * bytes_of_a_total;
        const std::size_t block_rows =
            std::max<std::size_t>(1, work_.most_bytes / bytes_of_a_row / tile_.rows) * tile_.rows;
        UploadRing ring(queue_);
        for (const Range& block : split_into_ranges(row_count, block_rows)) {
            run_block(ring, block, row_count, out);
        }
        return out;
    }

private:
    std::size_t samples_of_a_piece() const {
        const std::size_t bytes = 2 * sizeof(float) * (x_stride_ + y_stride_ + z_stride_);
        const std::size_t affordable = std::min(most_bytes_of_factors, work_.most_bytes) / bytes;
        const std::size_t all = round_up(work_.samples.count(), tile_.step) + tile_.step;
        return std::clamp<std::size_t>(std::min(affordable, all), fewest_samples, most_samples);
    }

    void run_block(UploadRing& ring, const Range& block, std::size_t row_count, CoilMatrix& out) {
        const std::size_t row_groups = divide_up(block.count, tile_.rows);
        const std::size_t groups = row_groups * column_groups_;
        const std::size_t wanted = groups_of_a_unit * queue_.info().compute_units;
        const std::size_t slices = std::clamp<std::size_t>(
            wanted / groups, 1, std::max<std::size_t>(1, samples_of_a_piece() / fewest_samples));
        const cl::Buffer totals = queue_.zeros(slices * groups * tile_.rows * tile_.columns *
                                               sums_of_a_pair * bytes_of_a_total);
        const std::size_t count = work_.samples.count();
        const auto run_part = [&](std::size_t first, std::size_t samples, std::size_t run) {
            // A slice is whole steps, so that padding may take some of the room for factors.
            const std::size_t length =
                std::max(tile_.step, samples_of_a_piece() / slices / tile_.step * tile_.step) *
                slices;
            for (const Range& piece : split_into_ranges(samples, length)) {
                run_piece(ring, {first + piece.first, piece.count}, run, block, slices, totals);
                const double of_block = static_cast<double>(first + piece.first + piece.count) /
                                        static_cast<double>(count);
                work_.progress((static_cast<double>(block.first) +
                                of_block * static_cast<double>(block.count)) /
                               static_cast<double>(row_count));
            }
        };
        std::size_t done = 0;
        for (const TiledProduct::Part& part : form_.parts) {
            const std::size_t samples = std::min(part.most_samples, count - done);
            run_part(done, samples, part.run);
            done += samples;
        }
        read_block(block, slices, row_groups, totals, out);
    }

    void run_piece(UploadRing& ring, const Range& piece, std::size_t run, const Range& block,
                   std::size_t slices, const cl::Buffer& totals) {
        const std::size_t slice = round_up(divide_up(piece.count, slices), tile_.step);
        const std::size_t padded = slice * slices;
        const cl::Buffer& samples = ring.next(
            [&](std::vector<float>& packed) { work_.samples.pack(piece, padded, packed); });
        make_factors(samples, padded, 0, columns_.offset(), {x_stride_, 1}, x_factors_);
        make_factors(samples, padded, 1, static_cast<double>(first_[1]), {y_stride_, 1},
                     y_factors_);
        make_factors(samples, padded, 2, static_cast<double>(first_[2]), {size_[2], work_.coils},
                     z_factors_);
        Queue::set_arguments(product_, x_factors_, y_factors_, z_factors_,
                             static_cast<cl_int>(slice), static_cast<cl_int>(x_stride_),
                             static_cast<cl_int>(y_stride_), static_cast<cl_int>(z_stride_),
                             static_cast<cl_int>(block.first), static_cast<cl_int>(block.count),
                             totals);
        if (run > 0) {
            product_.setArg(argument_run, static_cast<cl_int>(run));
        }
        ring.read_until(queue_.launch(
            product_,
            cl::NDRange(tile_.items * column_groups_, divide_up(block.count, tile_.rows), slices),
            cl::NDRange(tile_.items, 1, 1)));
    }

    struct Factors {
        std::size_t count; ///< along the dimension
        std::size_t coils; ///< 1 for factors without values
    };

    void make_factors(const cl::Buffer& samples, std::size_t padded, int dimension, double first,
                      const Factors& factors, const cl::Buffer& out) {
        const bool with_values = dimension == 2;
        Queue::set_arguments(factors_, samples, static_cast<cl_int>(padded),
                             static_cast<cl_int>(dimension), static_cast<cl_int>(with_values),
                             static_cast<cl_float>(first),
                             static_cast<cl_int>(factors.count * factors.coils), out);
        queue_.launch(factors_, cl::NDRange(factors.count, padded, factors.coils), cl::NullRange);
    }

    void read_block(const Range& block, std::size_t slices, std::size_t row_groups,
                    const cl::Buffer& totals, CoilMatrix& out) {
        std::vector<std::complex<float>> values(block.count * size_[0]);
        const std::size_t bytes = values.size() * sizeof(values[0]);
        const cl::Buffer buffer = queue_.buffer(bytes);
        Queue::set_arguments(finish_, totals, static_cast<cl_int>(slices),
                             static_cast<cl_int>(column_groups_), static_cast<cl_int>(row_groups),
                             static_cast<cl_int>(first_[0]), static_cast<cl_int>(columns_.halved),
                             buffer);
        queue_.launch(finish_, cl::NDRange(size_[0], block.count), cl::NullRange);
        queue_.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, values.data());
        queue_.finish();
        for (std::size_t r = 0; r < block.count; ++r) {
            const std::size_t y = (block.first + r) % y_stride_;
            const std::size_t z = (block.first + r) / y_stride_;
            if (y < size_[1]) {
                const auto coil = static_cast<Eigen::Index>(z / size_[2]);
                const auto start =
                    static_cast<Eigen::Index>((z % size_[2] * size_[1] + y) * size_[0]);
                const auto length = static_cast<Eigen::Index>(size_[0]);
                out.row(coil).segment(start, length) =
                    Eigen::Map<const Eigen::RowVectorXcf>(values.data() + r * size_[0], length)
                        .cast<Complex>();
            }
        }
    }

    Queue& queue_;
    const TiledProduct& form_;
    const Tiles& tile_;
    const SeparableWork& work_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    LatticeColumns columns_;
    cl::Kernel factors_;
    cl::Kernel product_;
    cl::Kernel finish_;
    std::size_t column_groups_;
    std::size_t x_stride_;
    std::size_t y_stride_;
    std::size_t z_stride_;
    cl::Buffer x_factors_;
    cl::Buffer y_factors_;
    cl::Buffer z_factors_;
};

} // namespace

CoilMatrix separable_tiled(Queue& queue, const TiledProduct& product, const SeparableWork& work) {
    return TiledForm(queue, product, work).run();
}

} // namespace lsrecon::opencl
