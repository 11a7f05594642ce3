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

/// Half of each dimension, in its middle, is 0 before and not wanted after.
TEST_F(DeviceFfts, OfPaddedValuesAreThoseOfAll) {
    const std::unique_ptr<Device> device =
        opencl::make_opencl_device(std::make_unique<opencl::Queue>(""));
    const std::array<std::size_t, 3> extents{12, 16, 20};
    const std::array<Range, 3> zeros{Range{3, 6}, {4, 8}, {5, 10}};
    const Fft<double> exact(extents);
    const auto is_padding = [&](std::size_t n) {
        bool result = false;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t at = n % extents[d];
            result = result || (at >= zeros[d].first && at < zeros[d].first + zeros[d].count);
            n /= extents[d];
        }
        return result;
    };
    constexpr std::size_t batch = 2;
    const auto count = static_cast<Eigen::Index>(exact.count());
    const ComplexVector values = test::Random(1).vector(batch * exact.count());
    for (const Make& make : makes(device->info())) {
        if (!make.kernels) {
            continue;
        }
        const std::unique_ptr<FftPlan> fft =
            device->plan_fft(extents, batch, make.precision, zeros);
        Array array = device->zeros(batch * exact.count(), {true, make.precision});
        ComplexVector padded = values;
        for (std::size_t n = 0; n < batch * exact.count(); ++n) {
            if (is_padding(n % exact.count())) {
                padded(static_cast<Eigen::Index>(n)) = 0;
            }
        }
        ComplexVector forward = padded;
        ComplexVector backward = values;
        for (Eigen::Index b = 0; b < static_cast<Eigen::Index>(batch); ++b) {
            exact.forward(forward.data() + b * count);
            exact.backward(backward.data() + b * count);
        }
        const double bound = tolerance::fft(exact.count(), make.epsilon());
        device->upload(padded, array);
        fft->forward(array);
        EXPECT_TRUE(near(device->download(array), forward, bound)) << make;
        device->upload(values, array);
        fft->backward(array);
        ComplexVector found = device->download(array);
        for (std::size_t n = 0; n < batch * exact.count(); ++n) {
            if (is_padding(n % exact.count())) {
                found(static_cast<Eigen::Index>(n)) = backward(static_cast<Eigen::Index>(n));
            }
        }
        EXPECT_TRUE(near(found, backward, bound)) << make;
    }
}

} // namespace
} // namespace lsrecon
