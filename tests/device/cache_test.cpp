// The cache of compiled programs, shared by threads, by processes and with whatever broke it.

#include <atomic>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

#include "backend/reference/reference.hpp"
#include "base/tolerance.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"

extern char** environ;

namespace lsrecon {
namespace {

namespace fs = std::filesystem;
using test::ScopedEnvironment;
using test::TemporaryFolder;

class ProgramCache : public test::DeviceFixture {
protected:
    TemporaryFolder cache;
    ScopedEnvironment variable{"LSRECON_CACHE", cache.path().string()};

    std::vector<fs::path> entries() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::recursive_directory_iterator(cache.path() / "kernels")) {
            if (entry.is_regular_file()) {
                found.push_back(entry.path());
            }
        }
        return found;
    }
};

/// Has one program for F^H d.
const std::string kernel = "struct";

testing::AssertionResult computes() {
    const test::Problem problem = test::make_problem({"cache", {4, 4, 0}, 5, 2});
    // By its index, so that every process takes the same device.
    const auto backend = make_backend({"opencl", "0", kernel});
    return test::near(
        backend->fhd(problem.trajectory(), problem.samples, problem.voxels, test::silent),
        make_reference_backend()->fhd(problem.trajectory(), problem.samples, problem.voxels,
                                      test::silent),
        tolerance::direct_transform(kernel, 5));
}

TEST_F(ProgramCache, IsFilledOnceAndUsedAfterwards) {
    ASSERT_TRUE(computes());
    ASSERT_EQ(entries().size(), 1U);
    const fs::path entry = entries().front();
    const auto written = fs::last_write_time(entry);
    EXPECT_TRUE(computes());
    EXPECT_EQ(entries().size(), 1U);
    EXPECT_EQ(fs::last_write_time(entry), written) << "built again";
}

/// What the tests below start as processes of their own; alone it is one more.
class ProgramCacheWorker : public test::DeviceFixture {};

TEST_F(ProgramCacheWorker, Computes) {
    EXPECT_TRUE(computes());
}

/// Exit status of that many workers at once; a driver that aborts takes its worker alone with it.
std::vector<int> run_workers(std::size_t count) {
    std::string program = fs::read_symlink("/proc/self/exe").string();
    std::string filter = "--gtest_filter=ProgramCacheWorker.*";
    std::string quiet = "--gtest_brief=1";
    char* const arguments[] = {program.data(), filter.data(), quiet.data(), nullptr};
    std::vector<pid_t> workers(count);
    for (pid_t& worker : workers) {
        if (posix_spawn(&worker, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
            throw std::runtime_error(program + ": cannot be started");
        }
    }
    std::vector<int> statuses;
    for (const pid_t worker : workers) {
        int status = -1;
        waitpid(worker, &status, 0);
        statuses.push_back(status);
    }
    return statuses;
}

TEST_F(ProgramCache, BrokenEntriesAreBuiltAgain) {
    ASSERT_TRUE(computes());
    ASSERT_EQ(entries().size(), 1U);
    const fs::path entry = entries().front();
    const std::string whole = test::read_text(entry);
    std::string damaged = whole;
    std::fill(damaged.begin() + static_cast<long>(damaged.size() / 2), damaged.end(), '\0');
    for (const std::string& broken :
         {std::string(), std::string("no program"), std::string(100000, 'x'),
          whole.substr(0, whole.size() / 2), damaged}) {
        test::write_text(entry, broken);
        EXPECT_EQ(run_workers(1), std::vector<int>{0})
            << "an entry of " << broken.size() << " bytes instead of " << whole.size();
        EXPECT_NE(test::read_text(entry), broken) << "was left";
    }
}

TEST_F(ProgramCache, AnEntryUnderTheNameOfAnotherIsBuiltAgain) {
    ASSERT_TRUE(computes());
    const fs::path entry = entries().front();
    fs::remove(entry);
    const test::Problem problem = test::make_problem({"cache", {4, 4, 0}, 5, 2});
    make_backend({"opencl", "0", ""})->mu(*problem.sampling, problem.samples);
    ASSERT_EQ(entries().size(), 1U);
    fs::rename(entries().front(), entry); // of a program without the kernel that is wanted
    const std::string swapped = test::read_text(entry);
    EXPECT_EQ(run_workers(1), std::vector<int>{0});
    EXPECT_NE(test::read_text(entry), swapped) << "was left";
}

TEST_F(ProgramCache, ThatCannotBeWrittenCostsTimeOnly) {
    test::write_text(cache.file("kernels"), "a file where the folder should be");
    EXPECT_TRUE(computes());
}

TEST_F(ProgramCache, ThreadsMayFillItAtOnce) {
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            if (computes()) {
                ++right;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(right, 4);
    EXPECT_EQ(entries().size(), 1U) << "a temporary file was left behind";
}

TEST_F(ProgramCache, ProcessesMayFillItAtOnce) {
    EXPECT_EQ(run_workers(4), std::vector<int>(4, 0));
    EXPECT_EQ(entries().size(), 1U) << "a temporary file was left behind";
}

} // namespace
} // namespace lsrecon
