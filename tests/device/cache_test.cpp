// The cache of compiled programs, shared by threads and by processes, and with broken entries.

#include <atomic>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

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
    ScopedEnvironment shards{"GTEST_TOTAL_SHARDS", "1"}; // of the processes that a test starts
    ScopedEnvironment shard{"GTEST_SHARD_INDEX", "0"};

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

/// Its programs for F^H d: its own, and what packs for it.
const std::string kernel = "struct";
constexpr std::size_t programs = 2;

testing::AssertionResult computes() {
    const test::Problem problem = test::make_problem({"cache", {4, 4, 0}, 5, 2});
    // By its index, so that every process takes the same device.
    const auto transforms = open_transforms({"opencl", "0", kernel});
    const OnHost computed = test::adjoint_of(*transforms, problem);
    return test::near(computed.values, test::exact_adjoint_of(problem).values, computed.error);
}

TEST_F(ProgramCache, IsFilledOnceAndUsedAfterwards) {
    ASSERT_TRUE(computes());
    const std::vector<fs::path> filled = entries();
    ASSERT_EQ(filled.size(), programs);
    std::vector<fs::file_time_type> written;
    for (const fs::path& entry : filled) {
        written.push_back(fs::last_write_time(entry));
    }
    EXPECT_TRUE(computes());
    EXPECT_EQ(entries().size(), programs);
    for (std::size_t i = 0; i < filled.size(); ++i) {
        EXPECT_EQ(fs::last_write_time(filled[i]), written[i]) << "built again";
    }
}

/// The tests below start it as separate processes; run alone it is one more test.
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
    ASSERT_EQ(entries().size(), programs);
    for (const fs::path& entry : entries()) {
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
}

TEST_F(ProgramCache, AnEntryUnderTheNameOfAnotherIsBuiltAgain) {
    ASSERT_TRUE(computes());
    const std::vector<fs::path> both = entries();
    ASSERT_EQ(both.size(), 2U);
    const std::string first = test::read_text(both[0]);
    const std::string second = test::read_text(both[1]);
    test::write_text(both[0], second); // of a program without the kernel that is wanted
    test::write_text(both[1], first);
    EXPECT_EQ(run_workers(1), std::vector<int>{0});
    EXPECT_NE(test::read_text(both[0]), second) << "was left";
    EXPECT_NE(test::read_text(both[1]), first) << "was left";
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
    EXPECT_EQ(entries().size(), programs) << "a temporary file was left behind";
}

TEST_F(ProgramCache, ProcessesMayFillItAtOnce) {
    EXPECT_EQ(run_workers(4), std::vector<int>(4, 0));
    EXPECT_EQ(entries().size(), programs) << "a temporary file was left behind";
}

} // namespace
} // namespace lsrecon
