#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/upload.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t samples_of_a_piece = 4096;

/// What kernels/separable_forward.cl leaves of one vector of samples.
struct Totals {
    std::array<float, lanes> real_high;
    std::array<float, lanes> real_low;
    std::array<float, lanes> imaginary_high;
    std::array<float, lanes> imaginary_low;
    Complex at(std::size_t lane) const {
        return {static_cast<double>(real_high[lane]) + real_low[lane],
                static_cast<double>(imaginary_high[lane]) + imaginary_low[lane]};
    }
};

std::vector<std::complex<float>> volume(const CoilMatrix& rho, Eigen::Index coil) {
    std::vector<std::complex<float>> values(columns(rho));
    for (std::size_t n = 0; n < values.size(); ++n) {
        values[n] = std::complex<float>(rho(coil, static_cast<Eigen::Index>(n)));
    }
    return values;
}

class PrivateForward {
public:
    PrivateForward(Queue& queue, const ForwardWork& work)
        : queue_(queue), work_(work), size_(work.voxels.lattice_size()) {
        // One program serves all sizes up to the same power of two.
        std::size_t most_x = 64;
        while (most_x < size_[0]) {
            most_x *= 2;
        }
        const std::string options = text("-DMOST_X=", most_x);
        factors_ = queue.kernel("separable_forward.cl", "factors_rows", options);
        forward_ = queue.kernel("separable_forward.cl", "forward", options);
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension_[d] = queue.buffer(2 * sizeof(float) * samples_of_a_piece * size_[d]);
        }
        for (Eigen::Index c = 0; c < work.rho.rows(); ++c) {
            volumes_.push_back(queue.upload(volume(work.rho, c)));
        }
    }

    CoilMatrix run() {
        CoilMatrix out(work_.rho.rows(), static_cast<Eigen::Index>(work_.samples.count()));
        UploadRing ring(queue_);
        for (const Range& piece : split_into_ranges(work_.samples.count(), samples_of_a_piece)) {
            const std::size_t padded = round_up(piece.count, lanes);
            const cl::Buffer& samples = ring.next(
                [&](std::vector<float>& packed) { work_.samples.pack(piece, padded, packed); });
            for (std::size_t d = 0; d < 3; ++d) {
                Queue::set_arguments(factors_, samples, static_cast<cl_int>(padded), cl_int(0),
                                     static_cast<cl_int>(d), cl_int(0),
                                     static_cast<cl_float>(work_.voxels.lattice_first()[d]),
                                     of_dimension_[d]);
                ring.read_until(queue_.launch(factors_, cl::NDRange(padded / lanes, size_[d], 1),
                                              cl::NullRange));
            }
            for (Eigen::Index c = 0; c < work_.rho.rows(); ++c) {
                run_coil(c, piece, padded, out);
            }
            work_.progress(static_cast<double>(piece.first + piece.count) /
                           static_cast<double>(work_.samples.count()));
        }
        queue_.finish();
        return out;
    }

private:
    void run_coil(Eigen::Index coil, const Range& piece, std::size_t padded, CoilMatrix& out) {
        std::vector<Totals> totals(padded / lanes);
        const std::size_t bytes = totals.size() * sizeof(Totals);
        const cl::Buffer buffer = queue_.buffer(bytes);
        Queue::set_arguments(forward_, of_dimension_[0], of_dimension_[1], of_dimension_[2],
                             volumes_[static_cast<std::size_t>(coil)],
                             static_cast<cl_int>(size_[0]), static_cast<cl_int>(size_[1]),
                             static_cast<cl_int>(size_[1] * size_[2]), static_cast<cl_int>(padded),
                             buffer);
        queue_.launch(forward_, cl::NDRange(padded / lanes), cl::NDRange(1));
        queue_.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, totals.data());
        for (std::size_t i = 0; i < piece.count; ++i) {
            out(coil, static_cast<Eigen::Index>(work_.samples.original(piece.first + i))) =
                totals[i / lanes].at(i % lanes);
        }
    }

    Queue& queue_;
    const ForwardWork& work_;
    std::array<std::size_t, 3> size_;
    cl::Kernel factors_;
    cl::Kernel forward_;
    std::array<cl::Buffer, 3> of_dimension_;
    std::vector<cl::Buffer> volumes_;
};

} // namespace

CoilMatrix forward_private(Queue& queue, const ForwardWork& work) {
    return PrivateForward(queue, work).run();
}

} // namespace lsrecon::opencl
