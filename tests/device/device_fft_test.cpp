// VkFFT in both precisions, also on devices for which FFTW would be chosen.

#include "device/opencl/device_fft.hpp"

#include <gtest/gtest.h>

#include "base/fft.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/engines.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::Make;
using test::makes;
using test::near;

class DeviceFfts : public test::DeviceFixture {
protected:
    opencl::Queue queue{""};

    template <typename Value>
    ComplexVector transformed(const ComplexVector& values, opencl::DeviceFft& fft, bool forward) {
        const auto count = static_cast<std::size_t>(values.size());
        Eigen::Matrix<Value, Eigen::Dynamic, 1> on_device = values.cast<Value>();
        const cl::Buffer buffer = cl::Buffer(
            queue.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, count * sizeof(Value));
        queue.commands().enqueueWriteBuffer(buffer, CL_TRUE, 0, count * sizeof(Value),
                                            on_device.data());
        forward ? fft.forward(buffer) : fft.backward(buffer);
        queue.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Value),
                                           on_device.data());
        return on_device.template cast<Complex>();
    }
    ComplexVector transformed(const ComplexVector& values, opencl::DeviceFft& fft, bool forward,
                              Precision precision) {
        return precision == Precision::float64
                   ? transformed<std::complex<double>>(values, fft, forward)
                   : transformed<std::complex<float>>(values, fft, forward);
    }
};

TEST_F(DeviceFfts, AreThoseOfTheCpuAtAwkwardSizes) {
    for (const auto& extents : {std::array<std::size_t, 3>{1, 1, 1}, {30, 94, 1}, {1, 12, 35}}) {
        const Fft<double> exact(extents);
        const ComplexVector values = test::Random(1).vector(exact.count());
        ComplexVector forward = values;
        exact.forward(forward.data());
        ComplexVector backward = values;
        exact.backward(backward.data());
        for (const Make& make : makes(queue.info())) {
            if (!make.kernels) {
                continue;
            }
            const auto fft = opencl::make_vkfft(queue, extents, 1, make.precision);
            const double bound = tolerance::fft(exact.count(), make.epsilon());
            EXPECT_TRUE(near(transformed(values, *fft, true, make.precision), forward, bound))
                << make << " " << extents[0] << " " << extents[1] << " " << extents[2];
            EXPECT_TRUE(near(transformed(values, *fft, false, make.precision), backward, bound))
                << make << " " << extents[0] << " " << extents[1] << " " << extents[2];
        }
    }
}

} // namespace
} // namespace lsrecon
