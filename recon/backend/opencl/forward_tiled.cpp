#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/upload.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t most_samples_of_a_piece = 16384;
constexpr std::size_t groups_of_a_unit = 4;

class TiledForward {
public:
    TiledForward(Queue& queue, const Tiles& tiles, const ForwardWork& work)
        : queue_(queue), tile_(tiles), work_(work), size_(work.voxels.lattice_size()),
          first_(work.voxels.lattice_first()), columns_(work.voxels),
          x_count_(round_up(columns_.count, tile_.step)),
          row_stride_(round_up(size_[1] * size_[2], tile_.rows)),
          piece_(std::min(most_samples_of_a_piece / tile_.columns * tile_.columns,
                          round_up(work.samples.count(), tile_.columns))) {
        factors_ = queue.kernel(tiles.file, "factors_rows", tiles.defines);
        fold_ = queue.kernel(tiles.file, "fold_rows", tiles.defines);
        forward_ = queue.kernel(tiles.file, "forward", tiles.defines);
        const std::array<std::size_t, 3> counts{x_count_, size_[1], size_[2]};
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension_[d] = queue.buffer(2 * sizeof(float) * piece_ * counts[d]);
        }
        const std::size_t groups = queue.info().compute_units * groups_of_a_unit;
        const std::size_t slices = std::max<std::size_t>(1, groups / (piece_ / tile_.columns));
        slice_rows_ = round_up(divide_up(row_stride_, slices), tile_.rows);
        slices_ = divide_up(row_stride_, slice_rows_);
    }

    CoilMatrix run() {
        CoilMatrix out(work_.rho.rows(), static_cast<Eigen::Index>(work_.samples.count()));
        double done = 0;
        for (Eigen::Index coil = 0; coil < work_.rho.rows(); ++coil) {
            const cl::Buffer folded = fold(coil);
            UploadRing ring(queue_);
            for (const Range& piece : split_into_ranges(work_.samples.count(), piece_)) {
                run_piece(ring, piece, folded, coil, out);
                done += static_cast<double>(piece.count);
                work_.progress(done / static_cast<double>(out.size()));
            }
        }
        queue_.finish();
        return out;
    }

private:
    /// S and D of the volume, as the kernel takes them.
    cl::Buffer fold(Eigen::Index coil) {
        const Eigen::RowVectorXcf rho = work_.rho.row(coil).cast<std::complex<float>>();
        const cl::Buffer values =
            queue_.upload(rho.data(), static_cast<std::size_t>(rho.size()) * sizeof(rho[0]));
        const cl::Buffer folded = queue_.buffer(4 * sizeof(float) * x_count_ * row_stride_);
        Queue::set_arguments(fold_, values, static_cast<cl_int>(size_[0]),
                             static_cast<cl_int>(first_[0]), static_cast<cl_int>(columns_.halved),
                             static_cast<cl_int>(size_[1] * size_[2]), folded);
        queue_.launch(fold_, cl::NDRange(row_stride_, x_count_), cl::NullRange);
        return folded;
    }

    void run_piece(UploadRing& ring, const Range& piece, const cl::Buffer& folded,
                   Eigen::Index coil, CoilMatrix& out) {
        const std::size_t padded = round_up(piece.count, tile_.columns);
        const cl::Buffer& samples = ring.next(
            [&](std::vector<float>& packed) { work_.samples.pack(piece, padded, packed); });
        make_factors(samples, padded, 0, columns_.offset(), x_count_);
        make_factors(samples, padded, 1, static_cast<double>(first_[1]), size_[1]);
        make_factors(samples, padded, 2, static_cast<double>(first_[2]), size_[2]);
        std::vector<float> totals(slices_ * 4 * padded);
        const cl::Buffer buffer = queue_.buffer(totals.size() * sizeof(float));
        Queue::set_arguments(
            forward_, of_dimension_[0], folded, of_dimension_[1], of_dimension_[2],
            static_cast<cl_int>(x_count_), static_cast<cl_int>(padded),
            static_cast<cl_int>(size_[1]), static_cast<cl_int>(size_[1] * size_[2]),
            static_cast<cl_int>(row_stride_), static_cast<cl_int>(slice_rows_), buffer);
        ring.read_until(queue_.launch(forward_,
                                      cl::NDRange(tile_.items * (padded / tile_.columns), slices_),
                                      cl::NDRange(tile_.items, 1)));
        queue_.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, totals.size() * sizeof(float),
                                            totals.data());
        unpack(totals, piece, padded, coil, out);
    }

    void make_factors(const cl::Buffer& samples, std::size_t padded, std::size_t dimension,
                      double first, std::size_t count) {
        Queue::set_arguments(factors_, samples, static_cast<cl_int>(padded), cl_int(0),
                             static_cast<cl_int>(dimension), cl_int(0),
                             static_cast<cl_float>(first), of_dimension_[dimension]);
        queue_.launch(factors_, cl::NDRange(padded, count, 1), cl::NullRange);
    }

    void unpack(const std::vector<float>& totals, const Range& piece, std::size_t padded,
                Eigen::Index coil, CoilMatrix& out) const {
        for (std::size_t i = 0; i < piece.count; ++i) {
            Complex sum = 0;
            for (std::size_t slice = 0; slice < slices_; ++slice) {
                const float* const at = totals.data() + slice * 4 * padded + i;
                sum += Complex(static_cast<double>(at[0]) + at[2 * padded],
                               static_cast<double>(at[padded]) + at[3 * padded]);
            }
            const std::size_t m = work_.samples.original(piece.first + i);
            out(coil, static_cast<Eigen::Index>(m)) = sum * work_.samples.from_centre(m);
        }
    }

    Queue& queue_;
    const Tiles& tile_;
    const ForwardWork& work_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    LatticeColumns columns_;
    std::size_t x_count_;
    std::size_t row_stride_;
    std::size_t piece_; ///< samples at a time
    std::size_t slice_rows_ = 0;
    std::size_t slices_ = 0;
    cl::Kernel factors_;
    cl::Kernel fold_;
    cl::Kernel forward_;
    std::array<cl::Buffer, 3> of_dimension_;
};

} // namespace

CoilMatrix forward_tiled(Queue& queue, const Tiles& tiles, const ForwardWork& work) {
    return TiledForward(queue, tiles, work).run();
}

} // namespace lsrecon::opencl
