#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

/// Bytes of the factors of one chunk of samples, so that the caches of a GPU keep most of them.
constexpr std::size_t most_bytes_of_factors = std::size_t(1) << 26;
/// Work-groups that a compute unit should have to choose from.
constexpr std::size_t work_groups_of_a_unit = 2;
constexpr std::size_t sums_of_a_pair = 4;
/// Index of the run argument, of a product whose sums are made in runs.
constexpr cl_uint argument_run = 10;
constexpr std::size_t fewest_samples = 64; ///< size of a chunk and of a strip
constexpr std::size_t most_samples = 65536; ///< size of a chunk

class TiledForm {
public:
    TiledForm(const TiledProduct& product, const SeparableWork& work, std::size_t most_bytes)
        : resources_(work.resources), queue_(resources_.queue), form_(product),
          tile_(product.tiles), work_(work), most_bytes_(most_bytes),
          size_(work.voxels.lattice_size()), first_(work.voxels.lattice_first()),
          whole_(work.voxels.whole_size()), columns_(work.voxels),
          factors_(queue_.kernel(tile_.file, "factors", tile_.defines)),
          product_(queue_.kernel(tile_.file, "product", tile_.defines)),
          finish_(queue_.kernel(tile_.file, "finish", tile_.defines)),
          column_tiles_(divide_up(columns_.count, tile_.columns)),
          x_stride_(column_tiles_ * tile_.columns),
          y_stride_(round_up(size_[1], product.rows_of_a_load)),
          coils_(work.coils(work.samples.count())),
          coils_of_bundle_(std::clamp<std::size_t>(
              most_bytes / (bytes_of_a_row() * rows_of_whole()), 1, coils_)) {
        x_factors_ = factors_of(x_stride_);
        y_factors_ = factors_of(y_stride_);
        z_factors_ = factors_of(coils_of_bundle_ * size_[2]);
    }

    // Groups of coils outermost: the factors of z, which have the values, are then made once for
    // every block of rows that needs them.
    void run() {
        for (const Range& bundle : split_into_ranges(coils_, coils_of_bundle_)) {
            values_ = work_.samples.packed(work_.in, bundle);
            z_stride_ = bundle.count * size_[2];
            for (const Range& block : split_into_ranges(y_stride_ * z_stride_, rows_of_a_block())) {
                run_block(bundle, block);
            }
        }
    }

private:
    std::size_t bytes_of_a_row() const { return x_stride_ * sums_of_a_pair * tile_.total_bytes; }

    Array factors_of(std::size_t count) const {
        return resources_.zeros(2 * count * samples_of_a_chunk());
    }

    std::size_t samples_of_a_chunk() const {
        const std::size_t bytes =
            2 * bytes_of(resources_.precision) *
            (x_stride_ + round_up(whole_[1], form_.rows_of_a_load) + coils_of_bundle_ * whole_[2]);
        const std::size_t affordable = std::min(most_bytes_of_factors, most_bytes_) / bytes;
        const std::size_t all = round_up(work_.samples.count(), tile_.step) + tile_.step;
        return std::clamp<std::size_t>(std::min(affordable, all), fewest_samples, most_samples);
    }

    std::size_t rows_of_whole() const {
        return round_up(whole_[1], form_.rows_of_a_load) * whole_[2];
    }

    std::size_t rows_of_a_block() const {
        return std::max<std::size_t>(1, most_bytes_ / bytes_of_a_row() / tile_.rows) * tile_.rows;
    }

    /// The number of strips, chosen by the first block of the whole lattice, so that all blocks,
    /// and parts of the lattice, have sums in the same order.
    std::size_t strips_for(std::size_t coils) const {
        const std::size_t rows = std::min(rows_of_a_block(), rows_of_whole() * coils);
        const std::size_t tiles = divide_up(rows, tile_.rows) * column_tiles_;
        const std::size_t wanted = work_groups_of_a_unit * queue_.info().compute_units;
        return std::clamp<std::size_t>(
            wanted / tiles, 1, std::max<std::size_t>(1, samples_of_a_chunk() / fewest_samples));
    }

    void run_block(const Range& bundle, const Range& block) {
        const std::size_t row_tiles = divide_up(block.count, tile_.rows);
        const std::size_t tiles = row_tiles * column_tiles_;
        const std::size_t strips = strips_for(bundle.count);
        const cl::Buffer totals = queue_.zeros(strips * tiles * tile_.rows * tile_.columns *
                                               sums_of_a_pair * tile_.total_bytes);
        const std::size_t count = work_.samples.count();
        // A strip is whole steps, so that padding may take some of the room for factors.
        const std::size_t length =
            std::max(tile_.step, samples_of_a_chunk() / strips / tile_.step * tile_.step) * strips;
        std::size_t done = 0;
        for (const TiledProduct::Part& part : form_.parts) {
            const std::size_t end = done + std::min(part.most_samples, count - done);
            while (done < end) {
                // The next samples fill the strips, and zeros after the last.
                const std::size_t strip =
                    round_up(divide_up(std::min(length, end - done), strips), tile_.step);
                run_chunk({done, strip * strips}, part.run, bundle.count, block, strips, totals);
                done = std::min(done + strip * strips, count);
                const double of_block = static_cast<double>(done) / static_cast<double>(count);
                const double of_bundle = (static_cast<double>(block.first) +
                                          of_block * static_cast<double>(block.count)) /
                                         static_cast<double>(y_stride_ * z_stride_);
                queue_.keep_pace();
                work_.progress((static_cast<double>(bundle.first) +
                                of_bundle * static_cast<double>(bundle.count)) /
                               static_cast<double>(coils_));
            }
        }
        resources_.launch(finish_, {size_[0], block.count, 1}, totals, static_cast<cl_int>(strips),
                          static_cast<cl_int>(column_tiles_), static_cast<cl_int>(row_tiles),
                          static_cast<cl_int>(first_[0]), static_cast<cl_int>(columns_.halved),
                          static_cast<cl_int>(block.first), static_cast<cl_int>(y_stride_),
                          static_cast<cl_int>(size_[1]),
                          static_cast<cl_ulong>(bundle.first * work_.voxels.count()),
                          buffer_of(work_.out));
    }

    /// Whole steps of every strip.
    void run_chunk(const Range& chunk, std::size_t run, std::size_t coils, const Range& block,
                   std::size_t strips, const cl::Buffer& totals) {
        make_factors(chunk, 0, columns_.offset(), {x_stride_, 1}, x_factors_);
        make_factors(chunk, 1, static_cast<double>(first_[1]), {y_stride_, 1}, y_factors_);
        make_factors(chunk, 2, static_cast<double>(first_[2]), {size_[2], coils}, z_factors_);
        Queue::set_arguments(product_, buffer_of(x_factors_), buffer_of(y_factors_),
                             buffer_of(z_factors_), static_cast<cl_int>(chunk.count / strips),
                             static_cast<cl_int>(x_stride_), static_cast<cl_int>(y_stride_),
                             static_cast<cl_int>(z_stride_), static_cast<cl_int>(block.first),
                             static_cast<cl_int>(block.count), totals);
        if (run > 0) {
            product_.setArg(argument_run, static_cast<cl_int>(run));
        }
        queue_.launch(
            product_,
            cl::NDRange(tile_.items * column_tiles_, divide_up(block.count, tile_.rows), strips),
            cl::NDRange(tile_.items, 1, 1));
    }

    struct Factors {
        std::size_t count; ///< along the dimension
        std::size_t coils; ///< 1 for factors without values
    };

    void make_factors(const Range& chunk, int dimension, double first, const Factors& factors,
                      const Array& out) {
        const bool with_values = dimension == 2;
        resources_.launch(factors_, {factors.count, chunk.count, factors.coils},
                          buffer_of(work_.samples.positions()), buffer_of(values_),
                          static_cast<cl_int>(work_.samples.stride()),
                          static_cast<cl_int>(chunk.first), static_cast<cl_int>(dimension),
                          static_cast<cl_int>(with_values), resources_.number(first),
                          static_cast<cl_int>(factors.count * factors.coils), buffer_of(out));
    }

    const Resources& resources_;
    Queue& queue_;
    const TiledProduct& form_;
    const Tiles& tile_;
    const SeparableWork& work_;
    std::size_t most_bytes_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    std::array<std::size_t, 3> whole_; ///< size of the lattice that these voxels are part of
    LatticeColumns columns_;
    cl::Kernel factors_;
    cl::Kernel product_;
    cl::Kernel finish_;
    std::size_t column_tiles_;
    std::size_t x_stride_;
    std::size_t y_stride_;
    std::size_t z_stride_ = 0; ///< stride in the bundle of coils at work
    std::size_t coils_;
    std::size_t coils_of_bundle_;
    Array x_factors_;
    Array y_factors_;
    Array z_factors_;
    Array values_; ///< values of the bundle of coils at work
};

} // namespace

void separable_tiled(const TiledProduct& product, const SeparableWork& work,
                     std::size_t most_bytes) {
    TiledForm(product, work, most_bytes).run();
}

} // namespace lsrecon::opencl
