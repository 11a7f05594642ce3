// The separable transform in the local memory of GPUs: by kernels in the transform's precision, and
// in doubles for GPUs whose matrix units have them.

#include "base/error.hpp"
#include "device/machine_model.hpp"
#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

/// The division of a product by a kernel file: each work-group has some rows and columns of it.
struct Tiles {
    std::string file;
    std::string defines;
    std::size_t rows;
    std::size_t columns;
    std::size_t items; ///< items of a work-group
    std::size_t step; ///< terms of a sum that stand in local memory at a time
    std::size_t total_bytes; ///< bytes of one real sum as it is kept
};

std::size_t value_of(const Parameters& parameters, const char* name) {
    return static_cast<std::size_t>(parameters.at(name));
}

/// kernels/separable_local.cl. A product of few columns gets narrow, tall tiles, as far as local
/// memory has room.
Tiles local_tiles(const std::string& file, const Parameters& parameters, std::size_t columns,
                  const Resources& resources) {
    const std::size_t number_bytes = bytes_of(resources.precision);
    const std::size_t item_columns = value_of(parameters, "ITEM_COLUMNS");
    const std::size_t item_rows = value_of(parameters, "ITEM_ROWS");
    const std::size_t step = value_of(parameters, "STEP");
    std::size_t group_x = value_of(parameters, "GROUP_X");
    std::size_t group_y = value_of(parameters, "GROUP_Y");
    const auto narrower_fits = [&] { // real and imaginary parts, in two buffers
        const std::size_t numbers =
            4 * step * (group_x / 2 * item_columns + 2 * group_y * item_rows);
        return numbers * number_bytes <= resources.queue.info().local_bytes;
    };
    while (group_x % 16 == 0 && group_x * item_columns / 2 >= columns && narrower_fits()) {
        group_x /= 2;
        group_y *= 2;
    }
    return {file,
            text("-DGROUP_X=", group_x, " -DGROUP_Y=", group_y, " -DITEM_COLUMNS=", item_columns,
                 " -DITEM_ROWS=", item_rows, " -DSTEP=", step,
                 " -DUNROLL=", parameters.at("UNROLL"), resources.defines()),
            group_y * item_rows,
            group_x * item_columns,
            group_x * group_y,
            step,
            2 * number_bytes};
}

/// kernels/separable_matrix.h. A product of few columns gets narrow, tall tiles.
Tiles matrix_tiles(const std::string& file, const Parameters& parameters, std::size_t columns,
                   const Resources& resources) {
    constexpr std::size_t warp_size = 32;
    constexpr std::size_t most_warps_y = 4;
    const std::size_t warp_columns = value_of(parameters, "WARP_COLUMNS");
    const std::size_t warp_rows = value_of(parameters, "WARP_ROWS");
    const std::size_t step = value_of(parameters, "STEP");
    std::size_t warps_x = value_of(parameters, "WARPS_X");
    std::size_t warps_y = value_of(parameters, "WARPS_Y");
    while (warps_x > 1 && warps_y < most_warps_y && warps_x / 2 * warp_columns >= columns) {
        warps_x /= 2;
        warps_y *= 2;
    }
    return {file,
            text("-DWARPS_X=", warps_x, " -DWARPS_Y=", warps_y, " -DWARP_COLUMNS=", warp_columns,
                 " -DWARP_ROWS=", warp_rows, " -DSTEP=", step,
                 has_double_matrix_units(resources.queue.info()) ? " -DMATRIX_UNITS" : "",
                 resources.defines()),
            warps_y * warp_rows,
            warps_x * warp_columns,
            warps_x * warps_y * warp_size,
            step,
            sizeof(double)};
}

/// A product with so many columns by one of the files NAME_local.cl and NAME_matrix.cl.
Tiles tiles_of(Form form, const std::string& name, const Parameters& parameters,
               std::size_t columns, const Resources& resources) {
    return form == Form::local ? local_tiles(name + "_local.cl", parameters, columns, resources)
                               : matrix_tiles(name + "_matrix.cl", parameters, columns, resources);
}

/// Consecutive samples, and the length of their runs; 0 where the kernel has none, because it sums
/// in doubles.
struct Part {
    std::size_t most_samples;
    std::size_t run;
};
/// The last one takes what is left. The largest samples are summed in short runs, as long as a sum
/// in floats may get, since a scan may have its energy in few of them.
std::vector<Part> parts_of(Form form) {
    constexpr std::size_t all_samples = std::numeric_limits<std::size_t>::max();
    if (form == Form::local) {
        return {{2048, 64}, {all_samples, 1024}};
    }
    return {{all_samples, 0}};
}

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
    /// Fixes tiles and strides, and takes as many coils at a time as `most_bytes` of partial sums
    /// allow, at least one.
    TiledForm(Form form, const Parameters& parameters, const SeparableWork& work,
              std::size_t most_bytes)
        : resources_(work.resources), queue_(resources_.queue), work_(work),
          most_bytes_(most_bytes), size_(work.voxels.lattice_size()),
          first_(work.voxels.lattice_first()), whole_(work.voxels.whole_size()),
          columns_(work.voxels),
          tile_(tiles_of(form, "separable", parameters, columns_.count, resources_)),
          rows_of_a_load_(form == Form::local ? 4 : 1), parts_(parts_of(form)),
          factors_(queue_.kernel(tile_.file, "factors", tile_.defines)),
          product_(queue_.kernel(tile_.file, "product", tile_.defines)),
          finish_(queue_.kernel(tile_.file, "finish", tile_.defines)),
          column_tiles_(divide_up(columns_.count, tile_.columns)),
          x_stride_(column_tiles_ * tile_.columns), y_stride_(round_up(size_[1], rows_of_a_load_)),
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
            (x_stride_ + round_up(whole_[1], rows_of_a_load_) + coils_of_bundle_ * whole_[2]);
        const std::size_t affordable = std::min(most_bytes_of_factors, most_bytes_) / bytes;
        const std::size_t all = round_up(work_.samples.count(), tile_.step) + tile_.step;
        return std::clamp<std::size_t>(std::min(affordable, all), fewest_samples, most_samples);
    }

    std::size_t rows_of_whole() const { return round_up(whole_[1], rows_of_a_load_) * whole_[2]; }

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

    /// Sums a block of rows over all samples in strips, which work-groups compute side by side, and
    /// writes their totals to the volume.
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
        for (const Part& part : parts_) {
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
                queue_.limit_queued_launches();
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

    /// Writes the factors of one dimension for a chunk; those of z are multiplied by the values, so
    /// that the product needs no further term.
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
    const SeparableWork& work_;
    std::size_t most_bytes_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    std::array<std::size_t, 3> whole_; ///< size of the lattice that these voxels are part of
    LatticeColumns columns_; ///< columns are x, terms are samples
    Tiles tile_;
    std::size_t rows_of_a_load_; ///< rows of one z are padded to a multiple
    std::vector<Part> parts_;
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

void separable_tiled(Form form, const Parameters& parameters, const SeparableWork& work,
                     std::size_t most_bytes) {
    TiledForm(form, parameters, work, most_bytes).run();
}

namespace {

constexpr std::size_t most_samples_of_a_block = 16384;
constexpr std::size_t forward_groups_of_a_unit = 4;

class TiledForward {
public:
    /// Fixes blocks of samples, and as many strips of rows as give all compute units work.
    TiledForward(Form form, const Parameters& parameters, const SeparableWork& work)
        : resources_(work.resources), queue_(resources_.queue),
          tile_(tiles_of(form, "separable_forward", parameters, work.samples.count(), resources_)),
          work_(work), size_(work.voxels.lattice_size()), first_(work.voxels.lattice_first()),
          columns_(work.voxels), x_count_(round_up(columns_.count, tile_.step)),
          row_stride_(round_up(size_[1] * size_[2], tile_.rows)),
          block_(std::min(most_samples_of_a_block / tile_.columns * tile_.columns,
                          round_up(work.samples.count(), tile_.columns))),
          factors_(queue_.kernel(tile_.file, "factors_rows", tile_.defines)),
          fold_(queue_.kernel(tile_.file, "fold_rows", tile_.defines)),
          forward_(queue_.kernel(tile_.file, "forward", tile_.defines)),
          finish_(queue_.kernel(tile_.file, "finish", tile_.defines)) {
        const std::array<std::size_t, 3> counts{x_count_, size_[1], size_[2]};
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension_[d] = resources_.zeros(2 * block_ * counts[d]);
        }
        const std::size_t work_groups = queue_.info().compute_units * forward_groups_of_a_unit;
        const std::size_t strips = std::max<std::size_t>(1, work_groups / (block_ / tile_.columns));
        strip_rows_ = round_up(divide_up(row_stride_, strips), tile_.rows);
        strips_ = divide_up(row_stride_, strip_rows_);
        folded_ = resources_.zeros(4 * x_count_ * row_stride_);
        totals_ = queue_.buffer(2 * tile_.total_bytes * strips_ * block_);
    }

    /// Folds the volume of a coil once, and computes all blocks of samples from it before the next.
    void run() {
        const std::size_t coils = work_.coils(work_.voxels.count());
        const std::size_t count = work_.samples.count();
        for (std::size_t coil = 0; coil < coils; ++coil) {
            fold(coil);
            for (const Range& block : split_into_ranges(count, block_)) {
                run_block(block, coil);
                queue_.limit_queued_launches();
                work_.progress(static_cast<double>(coil * count + block.first + block.count) /
                               static_cast<double>(coils * count));
            }
        }
    }

private:
    /// S and D of the volume, as the kernel takes them.
    void fold(std::size_t coil) {
        resources_.launch(fold_, {row_stride_, x_count_, 1}, buffer_of(work_.in),
                          static_cast<cl_ulong>(coil * work_.voxels.count()),
                          static_cast<cl_int>(size_[0]), static_cast<cl_int>(first_[0]),
                          static_cast<cl_int>(columns_.halved),
                          static_cast<cl_int>(size_[1] * size_[2]), buffer_of(folded_));
    }

    /// Computes a block of samples: factors, sums of every strip of rows, and the sum of the
    /// strips, turned back where the lattice is halved.
    void run_block(const Range& block, std::size_t coil) {
        const std::size_t padded = round_up(block.count, tile_.columns);
        make_factors(block, padded, 0, columns_.offset(), x_count_);
        make_factors(block, padded, 1, static_cast<double>(first_[1]), size_[1]);
        make_factors(block, padded, 2, static_cast<double>(first_[2]), size_[2]);
        Queue::set_arguments(
            forward_, buffer_of(of_dimension_[0]), buffer_of(folded_), buffer_of(of_dimension_[1]),
            buffer_of(of_dimension_[2]), static_cast<cl_int>(x_count_), static_cast<cl_int>(padded),
            static_cast<cl_int>(size_[1]), static_cast<cl_int>(size_[1] * size_[2]),
            static_cast<cl_int>(row_stride_), static_cast<cl_int>(strip_rows_), totals_);
        queue_.launch(forward_, cl::NDRange(tile_.items * (padded / tile_.columns), strips_),
                      cl::NDRange(tile_.items, 1));
        const LatticeSamples& samples = work_.samples;
        resources_.launch(finish_, {block.count, 1, 1}, totals_, static_cast<cl_int>(strips_),
                          static_cast<cl_int>(padded), static_cast<cl_ulong>(block.first),
                          samples.order(), samples.has_order(), buffer_of(samples.positions()),
                          static_cast<cl_int>(samples.stride()), samples.halved(),
                          static_cast<cl_ulong>(coil * samples.count()), buffer_of(work_.out));
    }

    void make_factors(const Range& block, std::size_t padded, std::size_t dimension, double first,
                      std::size_t count) {
        const LatticeSamples& samples = work_.samples;
        resources_.launch(factors_, {padded, count, 1}, buffer_of(samples.positions()),
                          buffer_of(samples.positions()), static_cast<cl_int>(samples.stride()),
                          static_cast<cl_int>(block.first), static_cast<cl_int>(dimension),
                          cl_int(0), resources_.number(first), buffer_of(of_dimension_[dimension]));
    }

    const Resources& resources_;
    Queue& queue_;
    Tiles tile_; ///< columns are samples, terms are x
    const SeparableWork& work_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    LatticeColumns columns_;
    std::size_t x_count_;
    std::size_t row_stride_;
    std::size_t block_; ///< samples at a time
    std::size_t strip_rows_ = 0;
    std::size_t strips_ = 0;
    cl::Kernel factors_;
    cl::Kernel fold_;
    cl::Kernel forward_;
    cl::Kernel finish_;
    std::array<Array, 3> of_dimension_;
    Array folded_;
    cl::Buffer totals_;
};

} // namespace

void forward_tiled(Form form, const Parameters& parameters, const SeparableWork& work) {
    TiledForward(form, parameters, work).run();
}

} // namespace lsrecon::opencl
