#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "device/devices.hpp"
#include "engines/transforms.hpp"

namespace lsrecon::test {

/// Tests that need an OpenCL device. Without one they are skipped, or fail when
/// LSRECON_REQUIRE_DEVICE=1 says that there must be one: CTest counts skipped tests as passed.
class DeviceFixture : public testing::Test {
protected:
    void SetUp() override {
        if (!list_devices().empty()) {
            return;
        }
        const char* const required = std::getenv("LSRECON_REQUIRE_DEVICE");
        if (required != nullptr && std::string(required) == "1") {
            FAIL() << "no OpenCL device, and LSRECON_REQUIRE_DEVICE=1";
        }
        GTEST_SKIP() << "no OpenCL device; LSRECON_REQUIRE_DEVICE=1 makes this a failure";
    }

    static std::unique_ptr<Transforms> device(const std::string& kernel = "") {
        return open_transforms({"opencl", "", kernel});
    }
};

} // namespace lsrecon::test
