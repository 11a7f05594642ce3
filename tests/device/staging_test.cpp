// Staged copies on any device: the queue takes them on devices with a memory of their own.

#include <gtest/gtest.h>
#include <numeric>

#include "device/opencl/queue.hpp"
#include "support/device_fixture.hpp"

namespace lsrecon {
namespace {

using Staged = test::DeviceFixture;

TEST_F(Staged, CopiesOfAnySizeComeBack) {
    opencl::Queue queue("");
    opencl::Staging staging(queue.commands(), queue.context());
    for (const std::size_t count : {1, 1000, 4'194'304, 4'194'305, 10'000'001}) { // 16 MiB a slot
        std::vector<cl_uint> values(count);
        std::iota(values.begin(), values.end(), cl_uint(count));
        const std::vector<cl_uint> expected = values;
        const cl::Buffer buffer = queue.zeros((count + 3) * sizeof(cl_uint));
        staging.write(values.data(), count * sizeof(cl_uint), buffer, 2 * sizeof(cl_uint));
        std::fill(values.begin(), values.end(), 0); // it may change
        staging.read(buffer, 2 * sizeof(cl_uint), count * sizeof(cl_uint), values.data());
        EXPECT_EQ(values, expected);
        std::vector<cl_uint> beside(2, 7);
        staging.read(buffer, 0, 2 * sizeof(cl_uint), beside.data());
        EXPECT_EQ(beside, std::vector<cl_uint>(2, 0));
        staging.read(buffer, (count + 2) * sizeof(cl_uint), sizeof(cl_uint), beside.data());
        EXPECT_EQ(beside[0], 0U);
    }
}

} // namespace
} // namespace lsrecon
