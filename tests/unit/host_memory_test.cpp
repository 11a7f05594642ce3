#include "scan/host_memory.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

Finding refusal(const HostMemory& memory, double limit) {
    try {
        memory.require("scan.h5", {limit, "this test"});
    } catch (const InputError& error) {
        return error.finding();
    }
    return {};
}

TEST(HostMemory, AddsUpAndNamesTheLargestPart) {
    HostMemory memory;
    EXPECT_EQ(memory.bytes(), 0);
    memory.add("/samples", "complex [2, 5]", 3e9);
    memory.add("/coil_maps", "complex [2, 8, 8]", 4e9);
    EXPECT_EQ(memory.bytes(), 7e9);
    EXPECT_EQ(refusal(memory, 7e9).file, "");
    const Finding finding = refusal(memory, 6e9);
    EXPECT_EQ(finding.thing, "/coil_maps");
    EXPECT_EQ(finding.found, "complex [2, 8, 8], which needs 4 GB; with all else 7 GB");
    EXPECT_EQ(finding.expected, "at most the 6 GB of this test");
}

TEST(HostMemory, VolumesGrowWithTheGridAndTheCoils) {
    const auto bytes = [](const Grid& grid, std::size_t coils) {
        HostMemory memory;
        memory.add_volumes("matrix", grid, coils);
        return memory.bytes();
    };
    // 2.5 complex numbers on the doubled grid, 8 volumes for one coil, 2 for each more.
    EXPECT_EQ(bytes(test::make_grid(4, 3), 1), 16 * (2.5 * 48 + 8 * 12));
    EXPECT_EQ(bytes(test::make_grid(4, 3, 2), 3), 16 * (2.5 * 192 + 12 * 24));
    HostMemory beside_a_gpu;
    beside_a_gpu.add_volumes("matrix", test::make_grid(4, 3, 2), 3, false);
    EXPECT_EQ(beside_a_gpu.bytes(), 16 * 12 * 24);
}

} // namespace
} // namespace lsrecon
