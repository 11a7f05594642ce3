// VkFFT in both precisions, also on devices for which FFTW would be chosen.

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

using DeviceFfts = test::DeviceFixture;

TEST_F(DeviceFfts, AreThoseOfTheCpuAtAwkwardSizes) {
    const std::unique_ptr<Device> device =
        opencl::make_opencl_device(std::make_unique<opencl::Queue>(""));
    for (const auto& extents : {std::array<std::size_t, 3>{1, 1, 1}, {30, 94, 1}, {1, 12, 35}}) {
        const Fft<double> exact(extents);
        const ComplexVector values = test::Random(1).vector(exact.count());
        ComplexVector forward = values;
        exact.forward(forward.data());
        ComplexVector backward = values;
        exact.backward(backward.data());
        for (const Make& make : makes(device->info())) {
            if (!make.kernels) {
                continue;
            }
            const std::unique_ptr<FftPlan> fft = device->plan_fft(extents, 1, make.precision);
            const double bound = tolerance::fft(exact.count(), make.epsilon());
            Array array = device->zeros(exact.count(), {true, make.precision});
            device->upload(values, array);
            fft->forward(array);
            EXPECT_TRUE(near(device->download(array), forward, bound))
                << make << " " << extents[0] << " " << extents[1] << " " << extents[2];
            device->upload(values, array);
            fft->backward(array);
            EXPECT_TRUE(near(device->download(array), backward, bound))
                << make << " " << extents[0] << " " << extents[1] << " " << extents[2];
        }
    }
}

} // namespace
} // namespace lsrecon
