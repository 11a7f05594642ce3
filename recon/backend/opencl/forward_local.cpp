#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/separable_tile.hpp"
#include "backend/opencl/upload.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t most_samples_of_a_piece = 16384;
constexpr std::size_t groups_of_a_unit = 4;

class LocalForward {
public:
    LocalForward(Queue& queue, const Parameters& parameters, const ForwardWork& work)
        : queue_(queue), work_(work), size_(work.voxels.lattice_size()),
          first_(work.voxels.lattice_first()), columns_(work.voxels),
          tile_(parameters, work.samples.count(), queue.info().local_bytes),
          x_count_(round_up(columns_.count, tile_.step)),
          row_stride_(round_up(size_[1] * size_[2], tile_.rows())),
          piece_(std::min(most_samples_of_a_piece / tile_.columns() * tile_.columns(),
                          round_up(work.samples.count(), tile_.columns()))) {
        factors_ = queue.kernel(file, "factors_rows", tile_.defines());
        forward_ = queue.kernel(file, "forward_in_local", tile_.defines());
        const std::array<std::size_t, 3> counts{x_count_, size_[1], size_[2]};
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension_[d] = queue.buffer(2 * sizeof(float) * piece_ * counts[d]);
        }
        const std::size_t groups = queue.info().compute_units * groups_of_a_unit;
        const std::size_t slices = std::max<std::size_t>(1, groups / (piece_ / tile_.columns()));
        slice_rows_ = round_up(divide_up(row_stride_, slices), tile_.rows());
        slices_ = divide_up(row_stride_, slice_rows_);
    }

    CoilMatrix run() {
        CoilMatrix out(work_.rho.rows(), static_cast<Eigen::Index>(work_.samples.count()));
        double done = 0;
        for (Eigen::Index coil = 0; coil < work_.rho.rows(); ++coil) {
            const cl::Buffer folded = queue_.upload(fold(coil));
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
    static constexpr const char* file = "separable_forward_local.cl";

    /// S and D of kernels/separable_forward_local.cl.
    std::vector<float> fold(Eigen::Index coil) const {
        std::vector<float> folded(4 * x_count_ * row_stride_, 0.0F);
        for (std::size_t row = 0; row < size_[1] * size_[2]; ++row) {
            for (std::size_t i = 0; i < size_[0]; ++i) {
                const long x = first_[0] + static_cast<long>(i);
                const Complex rho = work_.rho(coil, static_cast<Eigen::Index>(row * size_[0] + i));
                float* const to = folded.data() + 4 * columns_.of(x) * row_stride_ + row;
                const double sign = x < 0 ? -1 : x == 0 && !columns_.halved ? 0 : 1;
                to[0] += static_cast<float>(rho.real());
                to[row_stride_] += static_cast<float>(rho.imag());
                to[2 * row_stride_] += static_cast<float>(sign * rho.real());
                to[3 * row_stride_] += static_cast<float>(sign * rho.imag());
            }
        }
        return folded;
    }

    void run_piece(UploadRing& ring, const Range& piece, const cl::Buffer& folded,
                   Eigen::Index coil, CoilMatrix& out) {
        const std::size_t padded = round_up(piece.count, tile_.columns());
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
        ring.read_until(queue_.launch(
            forward_, cl::NDRange(tile_.items() * (padded / tile_.columns()), slices_),
            cl::NDRange(tile_.items(), 1)));
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
    const ForwardWork& work_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    LatticeColumns columns_;
    SeparableTile tile_;
    std::size_t x_count_;
    std::size_t row_stride_;
    std::size_t piece_; ///< samples at a time
    std::size_t slice_rows_ = 0;
    std::size_t slices_ = 0;
    cl::Kernel factors_;
    cl::Kernel forward_;
    std::array<cl::Buffer, 3> of_dimension_;
};

} // namespace

CoilMatrix forward_local(Queue& queue, const Parameters& parameters, const ForwardWork& work) {
    return LocalForward(queue, parameters, work).run();
}

} // namespace lsrecon::opencl
