#include "backend/devices.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/device_fixture.hpp"

namespace lsrecon {
namespace {

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

TEST(ChooseDevice, WithoutAnyDeviceTheMessageSaysWhatToInstall) {
    EXPECT_NE(message_of({}, "").find("pocl"), std::string::npos) << message_of({}, "");
    EXPECT_THROW(choose_device({}, "0"), DeviceError);
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

TEST_F(Devices, TheBackendUsesTheChosenOne) {
    const std::vector<DeviceInfo> devices = list_devices();
    const int chosen = choose_device(devices, "");
    const BackendInfo info = make_backend({"opencl", std::to_string(chosen), "struct"})->info();
    EXPECT_EQ(info.backend, "opencl");
    EXPECT_EQ(info.device, devices[static_cast<std::size_t>(chosen)].name);
    EXPECT_EQ(info.kernel, "struct");
    EXPECT_EQ(info.kernel_sha256.size(), 64U);
    EXPECT_THROW(make_backend({"opencl", "no such device", ""}), DeviceError);
}

TEST(Backends, AreChosenByName) {
    EXPECT_EQ(make_backend({"reference", "", ""})->info().backend, "reference");
    EXPECT_THROW(make_backend({"cuda", "", ""}), UsageError);
    EXPECT_THROW(make_backend({"reference", "0", ""}), UsageError);
    EXPECT_THROW(make_backend({"reference", "", "native"}), UsageError);
}

} // namespace
} // namespace lsrecon
