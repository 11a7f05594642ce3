#include "device/pace.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

class MachineFile : public testing::Test {
protected:
    std::string path = testing::TempDir() + "lsrecon-machine.json";
    ~MachineFile() override { std::filesystem::remove(path); }
};

TEST_F(MachineFile, HoldsTheDeviceAndEveryPartOfThePace) {
    Machine written;
    written.device.name = "a GPU";
    written.device.type = "gpu";
    written.device.global_bytes = std::size_t(1) << 40;
    written.device.double_precision = true;
    written.device.clock_mhz = 1234;
    double number = 1;
    for (const PaceRow& row : pace_rows()) {
        written.pace.*row.member = number++;
    }
    written.pace.cores = 16;
    written.pace.spread = 1.5;
    write_machine(path, written);
    const Machine read = read_machine(path);
    EXPECT_EQ(read.device.name, "a GPU");
    EXPECT_EQ(read.device.type, "gpu");
    EXPECT_EQ(read.device.global_bytes, std::size_t(1) << 40);
    EXPECT_TRUE(read.device.double_precision);
    EXPECT_EQ(read.device.clock_mhz, 1234U);
    for (const PaceRow& row : pace_rows()) {
        EXPECT_EQ(read.pace.*row.member, written.pace.*row.member) << row.name;
    }
    EXPECT_EQ(read.pace.cores, 16);
    EXPECT_EQ(read.pace.spread, 1.5);
}

TEST_F(MachineFile, OfSomethingElseIsRefused) {
    EXPECT_THROW(read_machine(path), UsageError); // there is none
    for (const char* const content :
         {"", "[]", "{\"device\": {}}", "{\"device\": 3, \"pace\": 4}"}) {
        std::ofstream(path) << content;
        EXPECT_THROW(read_machine(path), UsageError) << content;
    }
}

} // namespace
} // namespace lsrecon
