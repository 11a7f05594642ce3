// What a transform leaves behind that an error ended.

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <malloc.h>
#include <thread>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "device/opencl/cl.hpp"
#include "device/opencl/program.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/findings.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::ScopedEnvironment;
using test::TemporaryFolder;

class FailedLaunch : public test::DeviceFixture {};

/// Keeps the device at work, so that what others give it has to wait.
class BusyDevice {
public:
    BusyDevice() {
        compute();
        thread_ = std::thread([this] {
            while (!done_) {
                compute();
            }
        });
    }
    ~BusyDevice() {
        done_ = true;
        thread_.join();
    }
    BusyDevice(const BusyDevice&) = delete;
    BusyDevice& operator=(const BusyDevice&) = delete;

private:
    void compute() { test::adjoint_of(*transforms_, problem_); }

    test::Problem problem_ = test::make_problem({"busy", {64, 64, 0}, 2000});
    std::unique_ptr<Transforms> transforms_ = open_transforms({"opencl", "", "naive"});
    std::atomic<bool> done_{false};
    std::thread thread_;
};

/// The samples are on their way to the device when the launch fails: their memory must stay until
/// they are there. The driver crashes over memory that went back to the system.
TEST_F(FailedLaunch, OutlivesTheUploadInFrontOfIt) {
    const TemporaryFolder folder;
    for (const auto& [name, source] : opencl::embedded_sources()) {
        test::write_text(folder.file(name), source);
    }
    const std::string before = "__kernel void transform(";
    std::string source = test::read_text(folder.file("naive.cl"));
    source.replace(source.find(before), before.size(),
                   "__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void transform(");
    test::write_text(folder.file("naive.cl"), source);
    const test::Problem problem = test::make_problem({"many samples", {4, 4, 0}, 200000});
    ::mallopt(M_MMAP_THRESHOLD, 1 << 12); // what is freed goes back at once
    {
        const BusyDevice busy;
        const ScopedEnvironment kernels("LSRECON_KERNELS", folder.path().string());
        const auto broken = device("naive");
        for (int n = 0; n < 10; ++n) {
            EXPECT_THROW(test::adjoint_of(*broken, problem), DeviceError)
                << "no device takes groups of 3 for 64";
        }
    }
    const OnHost computed = test::adjoint_of(*device("naive"), problem);
    EXPECT_TRUE(
        test::near(computed.values, test::exact_adjoint_of(problem).values, computed.error));
}

/// The first attempt finds no room after it has launched everything.
TEST_F(FailedLaunch, DoesNotCountInTheTimeOfTheNextAttempt) {
    const test::Problem problem = test::make_problem({"retry", {32, 32, 16}, 4096});
    std::chrono::steady_clock::time_point second_attempt;
    bool failed = false;
    const Progress progress = [&](double fraction) {
        if (fraction >= 1 && !failed) {
            failed = true;
            second_attempt = std::chrono::steady_clock::now();
            throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
        }
    };
    Findings found;
    ComputeOptions options{"opencl", "", "separable"};
    options.on_finding = [&](const Finding& finding) { found.push_back(finding); };
    const auto transforms = open_transforms(options);
    const OnHost computed = adjoint_on_host(*transforms, problem.positions(), problem.samples,
                                            problem.voxels, progress);
    const double wall = seconds_since(second_attempt);
    EXPECT_TRUE(failed);
    EXPECT_TRUE(test::has(found, Found::device_memory));
    EXPECT_GT(transforms->device().clock().seconds(), 0);
    EXPECT_LE(transforms->device().clock().seconds(), wall);
    EXPECT_TRUE(
        test::near(computed.values, test::exact_adjoint_of(problem).values, computed.error));
}

} // namespace
} // namespace lsrecon
