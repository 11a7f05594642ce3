#include "device/machine_model.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

class MachineFile : public testing::Test {
protected:
    test::TemporaryFolder folder; // of its own: tests may run at the same time
    std::string path = folder.file("machine.json");
};

Machine some_machine() {
    Machine machine;
    machine.device.name = "a GPU";
    machine.device.type = "gpu";
    machine.device.double_precision = true;
    machine.device.global_bytes = std::size_t(1) << 40;
    machine.device.max_allocation_bytes = std::size_t(1) << 38;
    machine.device.constant_bytes = machine.device.local_bytes = 65536;
    machine.device.max_work_group = 1024;
    machine.device.compute_units = 100;
    machine.device.clock_mhz = 1234;
    machine.model = measured_model(true, 16, {1, 2, 3, 4});
    machine.model.spread = 1.5;
    return machine;
}

TEST_F(MachineFile, HoldsTheDeviceAndEveryFactor) {
    const Machine written = some_machine();
    write_machine(path, written);
    const Machine read = read_machine(path);
    EXPECT_EQ(read.device.name, "a GPU");
    EXPECT_EQ(read.device.type, "gpu");
    EXPECT_EQ(read.device.global_bytes, std::size_t(1) << 40);
    EXPECT_TRUE(read.device.double_precision);
    EXPECT_EQ(read.device.clock_mhz, 1234U);
    EXPECT_EQ(read.model.factors, written.model.factors);
    EXPECT_EQ(read.model.exact, 3 * nominal_model(true, 16).exact);
    EXPECT_EQ(read.model.pass, 4 * nominal_model(true, 16).pass);
    EXPECT_EQ(read.model.cores, 16);
    EXPECT_EQ(read.model.spread, 1.5);
}

TEST_F(MachineFile, OfSomethingElseIsRefused) {
    EXPECT_THROW(read_machine(path), UsageError); // there is none
    for (const char* const content :
         {"", "[]", "{\"device\": {}}", "{\"device\": 3, \"pace\": 4}"}) {
        std::ofstream(path) << content;
        EXPECT_THROW(read_machine(path), UsageError) << content;
    }
}

TEST_F(MachineFile, WithANumberThatNoMachineHasIsRefusedByTheNameOfItsEntry) {
    const auto refused = [&](const Machine& machine) {
        write_machine(path, machine);
        try {
            read_machine(path);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refused(some_machine()), "");
    for (std::size_t i = 0; i < machine_factors().size(); ++i) {
        for (const double value : {-1e-9, 0.0, 1e7, double(INFINITY)}) {
            Machine machine = some_machine();
            machine.model.factors[i] = value;
            EXPECT_NE(refused(machine).find(text(": ", machine_factors()[i].name, "\n")),
                      std::string::npos)
                << refused(machine);
        }
    }
    Machine machine = some_machine();
    machine.device.max_work_group = 0;
    EXPECT_NE(refused(machine).find(": max_work_group\n"), std::string::npos) << refused(machine);
}

} // namespace
} // namespace lsrecon
