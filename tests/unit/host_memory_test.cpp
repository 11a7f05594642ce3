#include "scan/host_memory.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

Fault refusal(const HostMemory& memory, double limit) {
    try {
        memory.require("scan.h5", {limit, "this test"});
    } catch (const InputError& error) {
        return error.fault();
    }
    return {};
}

TEST(HostMemory, AddsUpAndNamesTheLargestPart) {
    HostMemory memory;
    EXPECT_EQ(memory.bytes(), 0);
    memory.add("/samples", "complex [2, 5]", Cost::on_host(3e9));
    memory.add("/coil_maps", "complex [2, 8, 8]", Cost::on_host(4e9));
    EXPECT_EQ(memory.bytes(), 7e9);
    EXPECT_EQ(refusal(memory, 7e9).file, "");
    const Fault fault = refusal(memory, 6e9);
    EXPECT_EQ(fault.thing, "/coil_maps");
    EXPECT_EQ(test::lacks(fault.found, {"complex [2, 8, 8]", "4 GB", "7 GB"}), "");
    EXPECT_EQ(test::lacks(fault.expected, {"6 GB of this test"}), "");
    EXPECT_EQ(test::lacks(fault.next_step, {"correct the size", "more memory"}), "");
    memory.add("`reg`", "tv", Cost::on_host(1e9), "leave it out");
    const Fault optional = refusal(memory, 6e9);
    EXPECT_EQ(test::lacks(optional.next_step, {"leave it out", "more memory"}), "");
    EXPECT_EQ(optional.next_step.find("correct"), std::string::npos) << optional.next_step;
}

TEST(HostMemory, WhatIsReservedCountsForAddressesAlone) {
    HostMemory memory;
    memory.add("/samples", "complex [2, 5]", Cost::on_host(3e9));
    memory.add_reserved(1e9);
    EXPECT_NO_THROW(memory.require("scan.h5", {3e9, "this test"}, 4e9));
    try {
        memory.require("scan.h5", {3e9, "this test"}, 3.9e9);
        FAIL();
    } catch (const InputError& error) {
        const std::vector<std::string> found{"complex [2, 5]", "3 GB", "1 GB", "reserved"};
        EXPECT_EQ(test::lacks(error.fault().found, found), "");
        EXPECT_EQ(test::lacks(error.fault().expected, {"3.9 GB", "ulimit -v"}), "");
        EXPECT_EQ(error.fault().next_step.find("raise ulimit -v"), 0u);
    }
}

TEST(HostMemory, ArraysOfADeviceCountWhereItsMemoryIsTheHosts) {
    const Cost cost = Cost::array(3, 8) + Cost::on_host(5);
    for (const bool on_host : {false, true}) {
        HostMemory memory(on_host);
        memory.add("`matrix`", "4 x 3", cost);
        EXPECT_EQ(memory.bytes(), on_host ? 29 : 5);
    }
}

} // namespace
} // namespace lsrecon
