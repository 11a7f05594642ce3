// What a transform leaves behind that an error ended.

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <malloc.h>
#include <thread>

#include "backend/opencl/catalogue.hpp"
#include "backend/opencl/queue.hpp"
#include "backend/opencl/separable.hpp"
#include "backend/reference/reference.hpp"
#include "backend/tuning.hpp"
#include "base/error.hpp"
#include "base/timer.hpp"
#include "base/tolerance.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"

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
    void compute() {
        backend_->fhd(problem_.trajectory(), problem_.samples, problem_.voxels, test::silent);
    }

    test::Problem problem_ = test::make_problem({"busy", {64, 64, 0}, 2000});
    std::unique_ptr<Backend> backend_ = make_backend({"opencl", "", "naive"});
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
    const auto run = [&](Backend& backend) {
        return backend.fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent);
    };
    ::mallopt(M_MMAP_THRESHOLD, 1 << 12); // what is freed goes back at once
    {
        const BusyDevice busy;
        const ScopedEnvironment kernels("LSRECON_KERNELS", folder.path().string());
        const auto broken = device("naive");
        for (int n = 0; n < 10; ++n) {
            EXPECT_THROW(run(*broken), DeviceError) << "no device takes groups of 3 for 64";
        }
    }
    EXPECT_TRUE(test::near(run(*device("naive")), run(*make_reference_backend()),
                           tolerance::direct_transform("naive", 200000)));
}

/// The first attempt finds no room after it has launched everything.
TEST_F(FailedLaunch, DoesNotCountInTheTimeOfTheNextAttempt) {
    const test::Problem problem = test::make_problem({"retry", {32, 32, 16}, 4096});
    opencl::Queue queue("");
    const Parameters parameters = choose_parameters(queue.info(), "separable", "fhd").values;
    std::chrono::steady_clock::time_point second_attempt;
    bool failed = false;
    const Progress progress = [&](double fraction) {
        if (fraction >= 1 && !failed) {
            failed = true;
            second_attempt = std::chrono::steady_clock::now();
            throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
        }
    };
    std::string told;
    const CoilMatrix computed = opencl::separable_transform(
        queue, parameters, problem.trajectory(), problem.samples, problem.voxels, progress,
        [&](const std::string& note) { told += note; });
    const double wall = seconds_since(second_attempt);
    EXPECT_TRUE(failed);
    EXPECT_NE(told.find("no room"), std::string::npos) << told;
    EXPECT_GT(queue.compute_seconds(), 0);
    EXPECT_LE(queue.compute_seconds(), wall);
    EXPECT_TRUE(test::near(computed,
                           make_reference_backend()->fhd(problem.trajectory(), problem.samples,
                                                         problem.voxels, test::silent),
                           tolerance::direct_transform("separable", 4096)));
}

} // namespace
} // namespace lsrecon
