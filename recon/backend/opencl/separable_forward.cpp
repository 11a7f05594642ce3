#include <array>
#include <complex>

#include "backend/opencl/separable.hpp"
#include "plan/chunks.hpp"
#include "plan/split.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t most_samples_in_a_chunk = 4096;

std::size_t round_up(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

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

/// exp(i 2 pi k_m n) of every sample of a chunk and every n of one dimension, on the device.
cl::Buffer factors(Queue& queue, const std::string& options, const std::vector<Vec3>& trajectory,
                   const Range& chunk, const Voxels& voxels, std::size_t d,
                   const cl::Buffer& ones) {
    const SplitScale scale(voxels.extent_in_voxels());
    const std::size_t padded = round_up(chunk.count, lanes);
    const std::size_t count = voxels.lattice_size()[d];
    std::vector<float> high(padded, 0.0F);
    std::vector<float> low(padded, 0.0F);
    for (std::size_t i = 0; i < chunk.count; ++i) {
        const SplitScale::Parts k =
            scale.trajectory(trajectory[chunk.first + i][d] / voxels.per_fov()[d]);
        high[i] = k.high;
        low[i] = k.low;
    }
    const cl::Buffer high_buffer = queue.upload(high);
    const cl::Buffer low_buffer = queue.upload(low);
    const cl::Buffer result = queue.buffer(2 * sizeof(float) * padded * count);
    cl::Kernel kernel = queue.kernel("separable_forward.cl", "factors_rows", options);
    kernel.setArg(0, high_buffer);
    kernel.setArg(1, low_buffer);
    kernel.setArg(2, cl_int(0));
    kernel.setArg(3, static_cast<cl_int>(voxels.lattice_first()[d]));
    kernel.setArg(4, ones);
    kernel.setArg(5, static_cast<cl_int>(padded));
    kernel.setArg(6, result);
    queue.launch(kernel, cl::NDRange(padded / lanes, count, 1), cl::NullRange);
    queue.finish(); // its buffers end here
    return result;
}

std::vector<std::complex<float>> volume(const CoilMatrix& rho, Eigen::Index coil) {
    std::vector<std::complex<float>> values(columns(rho));
    for (std::size_t n = 0; n < values.size(); ++n) {
        values[n] = std::complex<float>(rho(coil, static_cast<Eigen::Index>(n)));
    }
    return values;
}

} // namespace

CoilMatrix separable_forward(Queue& queue, const std::vector<Vec3>& trajectory,
                             const CoilMatrix& rho, const Voxels& voxels,
                             const Progress& progress) {
    const std::array<std::size_t, 3>& size = voxels.lattice_size();
    CoilMatrix out = CoilMatrix::Zero(rho.rows(), static_cast<Eigen::Index>(trajectory.size()));
    if (out.size() == 0 || rho.size() == 0) {
        return out;
    }
    std::vector<cl::Buffer> volumes;
    for (Eigen::Index c = 0; c < rho.rows(); ++c) {
        volumes.push_back(queue.upload(volume(rho, c)));
    }
    // One program serves all sizes up to the same power of two.
    std::size_t most_x = 64;
    while (most_x < size[0]) {
        most_x *= 2;
    }
    const std::string options = text("-DMOST_X=", most_x);
    cl::Kernel kernel = queue.kernel("separable_forward.cl", "forward", options);
    for (const Range& chunk : split_into_ranges(trajectory.size(), most_samples_in_a_chunk)) {
        const std::size_t padded = round_up(chunk.count, lanes);
        std::vector<float> one(2 * padded, 0.0F);
        std::fill(one.begin(), one.begin() + static_cast<long>(padded), 1.0F);
        const cl::Buffer ones = queue.upload(one);
        std::array<cl::Buffer, 3> of_dimension;
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension[d] = factors(queue, options, trajectory, chunk, voxels, d, ones);
            kernel.setArg(static_cast<cl_uint>(d), of_dimension[d]);
        }
        std::vector<Totals> totals(padded / lanes);
        const cl::Buffer total_buffer = queue.buffer(totals.size() * sizeof(Totals));
        for (Eigen::Index c = 0; c < rho.rows(); ++c) {
            kernel.setArg(3, volumes[static_cast<std::size_t>(c)]);
            kernel.setArg(4, static_cast<cl_int>(size[0]));
            kernel.setArg(5, static_cast<cl_int>(size[1]));
            kernel.setArg(6, static_cast<cl_int>(size[1] * size[2]));
            kernel.setArg(7, static_cast<cl_int>(padded));
            kernel.setArg(8, total_buffer);
            queue.launch(kernel, cl::NDRange(padded / lanes), cl::NDRange(1));
            queue.commands().enqueueReadBuffer(total_buffer, CL_TRUE, 0,
                                               totals.size() * sizeof(Totals), totals.data());
            for (std::size_t i = 0; i < chunk.count; ++i) {
                out(c, static_cast<Eigen::Index>(chunk.first + i)) =
                    totals[i / lanes].at(i % lanes);
            }
        }
        queue.finish();
        progress(static_cast<double>(chunk.first) / static_cast<double>(trajectory.size()));
    }
    return out;
}

} // namespace lsrecon::opencl
