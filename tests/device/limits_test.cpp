#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/opencl/drivers.hpp"
#include "support/device_fixture.hpp"

namespace lsrecon {
namespace {

class Limits : public test::DeviceFixture {};

/// If the compiler left work out, the rate would be one that no device has: 256 multiply-adds a
/// clock and compute unit are more than any, and a clock may rise above what the driver reports.
TEST_F(Limits, AreRatesThatADeviceCanHave) {
    const std::vector<DeviceInfo> devices = list_devices();
    const int chosen = choose_device(devices, "");
    const DeviceInfo& info = devices[static_cast<std::size_t>(chosen)];
    const auto meter = make_rate_meter(std::to_string(chosen));
    const DeviceRates first = meter->measure();
    const DeviceRates rates = meter->measure();
    EXPECT_GE(rates.multiply_adds, first.multiply_adds);
    EXPECT_GE(rates.native_pairs, first.native_pairs);
    EXPECT_GE(rates.library_pairs, first.library_pairs);
    const double most = 2.0 * 256 * 1e6 * std::max(info.clock_mhz, 1000U) * info.compute_units;
    EXPECT_GT(rates.multiply_adds, 1e6);
    EXPECT_LT(rates.multiply_adds, most);
    EXPECT_GT(rates.native_pairs, 1e5);
    EXPECT_LT(rates.native_pairs, rates.multiply_adds);
    EXPECT_GT(rates.library_pairs, 1e5);
    EXPECT_LT(rates.library_pairs, rates.multiply_adds);
    EXPECT_EQ(rates.matrix_multiply_adds > 0, has_double_matrix_units(info));
    EXPECT_LT(rates.matrix_multiply_adds, most);
}

TEST_F(Limits, OfADeviceThatIsNotThereAreRefused) {
    EXPECT_THROW(make_rate_meter("no such device"), DeviceError);
}

} // namespace
} // namespace lsrecon
