#include "io/shared_values.hpp"

#include <gtest/gtest.h>

#include "operators/q.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/engines.hpp"

namespace lsrecon {
namespace {

using SharedValuesOnDevice = test::DeviceFixture;

TEST_F(SharedValuesOnDevice, QComesBackBitForBit) {
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(opencl::make_opencl_device(std::make_unique<opencl::Queue>("")));
    devices.push_back(opencl::make_device(std::make_unique<opencl::Queue>("")));
    for (const std::unique_ptr<Device>& device : devices) {
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            if (!device->has(precision)) {
                continue;
            }
            Q q;
            q.grid.size = {5, 7, 1};
            const std::size_t count = Voxels::half_differences(q.grid).count();
            Array array = device->zeros(count, {true, precision});
            device->upload(test::Random(1).vector(count), array);
            q.half = Volume(*device, array, 3);
            q.error = 1e-7;
            SharedValues shared(1e6);
            EXPECT_FALSE(shared.q("key"));
            shared.keep("key", stored(q));
            ASSERT_TRUE(shared.q("key"));
            const Q again = restored(*shared.q("key"), *device);
            EXPECT_EQ(again.half.values(), q.half.values());
            EXPECT_EQ(again.half.on(*device, precision, 0.3).element().precision, precision);
            EXPECT_EQ(device->download(again.half.on(*device, precision, 0.3)),
                      device->download(q.half.on(*device, precision, 0.3)));
            EXPECT_EQ(again.half.parked().of_array, precision);
            EXPECT_EQ(again.error, q.error);
            EXPECT_TRUE(again.grid.same_lattice(q.grid));
        }
    }
}

} // namespace
} // namespace lsrecon
