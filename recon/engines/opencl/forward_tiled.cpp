#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t most_samples_of_a_block = 16384;
constexpr std::size_t work_groups_of_a_unit = 4;

class TiledForward {
public:
    TiledForward(const Tiles& tiles, const SeparableWork& work)
        : resources_(work.resources), queue_(resources_.queue), tile_(tiles), work_(work),
          size_(work.voxels.lattice_size()), first_(work.voxels.lattice_first()),
          columns_(work.voxels), x_count_(round_up(columns_.count, tile_.step)),
          row_stride_(round_up(size_[1] * size_[2], tile_.rows)),
          block_(std::min(most_samples_of_a_block / tile_.columns * tile_.columns,
                          round_up(work.samples.count(), tile_.columns))),
          factors_(queue_.kernel(tiles.file, "factors_rows", tiles.defines)),
          fold_(queue_.kernel(tiles.file, "fold_rows", tiles.defines)),
          forward_(queue_.kernel(tiles.file, "forward", tiles.defines)),
          finish_(queue_.kernel(tiles.file, "finish", tiles.defines)) {
        const std::array<std::size_t, 3> counts{x_count_, size_[1], size_[2]};
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension_[d] = resources_.zeros(2 * block_ * counts[d]);
        }
        const std::size_t work_groups = queue_.info().compute_units * work_groups_of_a_unit;
        const std::size_t strips = std::max<std::size_t>(1, work_groups / (block_ / tile_.columns));
        strip_rows_ = round_up(divide_up(row_stride_, strips), tile_.rows);
        strips_ = divide_up(row_stride_, strip_rows_);
        folded_ = resources_.zeros(4 * x_count_ * row_stride_);
        totals_ = queue_.buffer(2 * tile_.total_bytes * strips_ * block_);
    }

    void run() {
        const std::size_t coils = work_.coils(work_.voxels.count());
        const std::size_t count = work_.samples.count();
        for (std::size_t coil = 0; coil < coils; ++coil) {
            fold(coil);
            for (const Range& block : split_into_ranges(count, block_)) {
                run_block(block, coil);
                queue_.keep_pace();
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
    const Tiles& tile_;
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

void forward_tiled(const Tiles& tiles, const SeparableWork& work) {
    TiledForward(tiles, work).run();
}

} // namespace lsrecon::opencl
