#include "device/devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/opencl/drivers.hpp"
#include "support/device_fixture.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::ScopedEnvironment;
using testing::HasSubstr;
using testing::Not;

DeviceInfo device_of(int index, const std::string& name, const std::string& type,
                     bool available = true) {
    DeviceInfo info;
    info.index = index;
    info.name = name;
    info.type = type;
    info.available = available;
    return info;
}

std::vector<DeviceInfo> some_devices() {
    return {device_of(0, "pthread-Xeon", "cpu"), device_of(1, "Radeon Old", "gpu", false),
            device_of(2, "GeForce 1", "gpu"), device_of(3, "GeForce 2", "gpu")};
}

std::string message_of(const std::vector<DeviceInfo>& devices, const std::string& wanted) {
    try {
        return "chose " + std::to_string(choose_device(devices, wanted));
    } catch (const DeviceError& error) {
        return error.what();
    }
}

TEST(ChooseDevice, ByDefaultTheFirstGpuThatIsAvailable) {
    EXPECT_EQ(choose_device(some_devices(), ""), 2);
    EXPECT_EQ(choose_device({device_of(0, "Xeon", "cpu")}, ""), 0);
    EXPECT_EQ(choose_device({device_of(0, "Xeon", "cpu"), device_of(1, "FPGA", "accelerator")}, ""),
              1);
}

TEST(ChooseDevice, ByIndex) {
    EXPECT_EQ(choose_device(some_devices(), "0"), 0);
    EXPECT_EQ(choose_device(some_devices(), "3"), 3);
}

TEST(ChooseDevice, ByType) {
    EXPECT_EQ(choose_device(some_devices(), "cpu"), 0);
    EXPECT_EQ(choose_device(some_devices(), "gpu"), 2);
}

TEST(ChooseDevice, ByAPartOfTheNameInAnyCase) {
    EXPECT_EQ(choose_device(some_devices(), "geforce 2"), 3);
    EXPECT_EQ(choose_device(some_devices(), "XEON"), 0);
}

TEST(ChooseDevice, WhatDoesNotFitIsRefusedWithAListOfWhatThereIs) {
    for (const std::string wanted : {"4", "99999999999", "-1", "accelerator", "voodoo", "radeon"}) {
        const std::string message = message_of(some_devices(), wanted);
        for (const std::string& part :
             {wanted, std::string("0: pthread-Xeon (cpu)"), std::string("3: GeForce 2 (gpu)"),
              std::string("Radeon Old (gpu, not available)")}) {
            EXPECT_NE(message.find(part), std::string::npos) << message;
        }
    }
}

TEST(ChooseDevice, WithoutAnyDeviceTheMessageSaysSo) {
    EXPECT_THAT(message_of({}, ""), HasSubstr("no OpenCL device"));
    EXPECT_THROW(choose_device({}, "0"), DeviceError);
}

TEST(NoDevice, TheMessageNamesTheCause) {
    using opencl::no_device_message;
    const ScopedEnvironment vendors("OCL_ICD_VENDORS", "");
    EXPECT_THAT(no_device_message({}, ""), HasSubstr("install the driver"));
    {
        const ScopedEnvironment elsewhere("OCL_ICD_VENDORS", "/no/such/folder");
        EXPECT_THAT(no_device_message({}, ""), HasSubstr("OCL_ICD_VENDORS=/no/such/folder"));
    }
    const std::string without_hardware = no_device_message({"A platform", "Another"}, "");
    EXPECT_THAT(without_hardware, HasSubstr("A platform, Another"));
    EXPECT_THAT(without_hardware, Not(HasSubstr("install")));
    const std::string without_cache = no_device_message({"PoCL"}, "its cache is full");
    EXPECT_THAT(without_cache, HasSubstr("its cache is full"));
    EXPECT_THAT(without_cache, Not(HasSubstr("install")));
}

TEST(DriverCache, IsTheFirstFolderThatCanBeWritten) {
    const test::TemporaryFolder folder;
    test::write_text(folder.file("file"), "");
    const std::string impossible = folder.file("file") + "/pocl";
    const std::string possible = folder.file("pocl");
    const opencl::DriverCache first = opencl::choose_driver_cache({possible, impossible});
    EXPECT_EQ(first.folder, possible);
    EXPECT_EQ(first.passed_over, "");
    const opencl::DriverCache second = opencl::choose_driver_cache({impossible, possible});
    EXPECT_EQ(second.folder, possible);
    EXPECT_EQ(second.passed_over, impossible + ": Not a directory");
    EXPECT_EQ(opencl::choose_driver_cache({impossible}).folder, "");
}

class Devices : public test::DeviceFixture {};

TEST_F(Devices, AreNumberedInOrderAndDescribed) {
    const std::vector<DeviceInfo> devices = list_devices();
    for (std::size_t n = 0; n < devices.size(); ++n) {
        EXPECT_EQ(devices[n].index, static_cast<int>(n));
        EXPECT_FALSE(devices[n].name.empty());
        EXPECT_FALSE(devices[n].driver.empty());
        EXPECT_GE(devices[n].constant_bytes, 1024U);
        EXPECT_GT(devices[n].max_work_group, 0U);
    }
}

TEST_F(Devices, TransformsUseTheChosenOne) {
    const std::vector<DeviceInfo> devices = list_devices();
    const int chosen = choose_device(devices, "");
    const ComputedBy info =
        open_transforms({"opencl", std::to_string(chosen), "struct"})->computed_by();
    EXPECT_EQ(info.backend, "opencl");
    EXPECT_EQ(info.device, devices[static_cast<std::size_t>(chosen)].name);
    EXPECT_EQ(info.kernel, "struct");
    EXPECT_EQ(info.kernel_sha256.size(), 64U);
    EXPECT_THROW(open_transforms({"opencl", "no such device", ""}), DeviceError);
}

TEST(KindsOfDevices, AreChosenByName) {
    EXPECT_EQ(reference_transforms()->computed_by().backend, "reference");
    EXPECT_THROW(open_transforms({"cuda", "", ""}), UsageError);
    EXPECT_THROW(open_transforms({"reference", "0", ""}), UsageError);
    EXPECT_THROW(open_transforms({"reference", "", "native"}), UsageError);
}

} // namespace
} // namespace lsrecon
