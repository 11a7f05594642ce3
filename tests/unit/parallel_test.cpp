#include "base/parallel.hpp"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

TEST(Parallel, WithoutThreadsTheCallerDoesTheWork) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "no limit under AddressSanitizer";
#endif
    if (std::thread::hardware_concurrency() < 2) {
        GTEST_SKIP() << "one core";
    }
    const auto work = [] {
        const rlimit no_room_for_a_stack{1, 1};
        ::setrlimit(RLIMIT_AS, &no_room_for_a_stack);
        std::atomic<std::size_t> sum{0};
        for_each_in_parallel(101, [&](std::size_t i) { sum += i; });
        ::_exit(sum == 5050 ? 0 : 1);
    };
    EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

std::size_t sum_in_parallel() {
    std::atomic<std::size_t> sum{0};
    for_each_in_parallel(101, [&](std::size_t i) { sum += i; });
    return sum;
}

TEST(Parallel, WorkWithinWorkAndOfSeveralThreadsIsDone) {
    std::vector<std::size_t> sums(8);
    std::vector<std::thread> threads;
    for (std::size_t& sum : sums) {
        threads.emplace_back([&sum] {
            for_each_in_parallel(3, [&](std::size_t i) {
                const std::size_t inner = sum_in_parallel();
                if (i == 2) {
                    sum = inner;
                }
            });
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(sums, std::vector<std::size_t>(8, 5050));
}

TEST(Parallel, ALimitIsThatOfItsThreadAndOfItsWork) {
    std::vector<std::size_t> within(2);
    const std::size_t before = limit_cores(1);
    on_cores(2, [&](std::size_t core) { within[core] = all_cores(); });
    std::thread([] { EXPECT_EQ(all_cores(), cores_of_machine()); }).join();
    limit_cores(before);
    EXPECT_EQ(within, std::vector<std::size_t>(2, 1));
    on_cores(2, [&](std::size_t core) { within[core] = all_cores(); });
    EXPECT_EQ(within, std::vector<std::size_t>(2, cores_of_machine()));
}

TEST(Parallel, AFailureOfTheLowestCoreIsThrownAndWorkGoesOn) {
    const auto failing = [](std::size_t i) { throw std::runtime_error(std::to_string(i)); };
    try {
        for_each_in_parallel(2, failing);
        FAIL();
    } catch (const std::runtime_error& failure) {
        EXPECT_STREQ(failure.what(), "0");
    }
    EXPECT_EQ(sum_in_parallel(), 5050U);
}

// A child process has none of the threads that waited for work.
TEST(Parallel, AChildProcessHasItsOwnThreads) {
    sum_in_parallel();
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(sum_in_parallel() == 5050 ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(AllowedCores, AreThoseOfTheJob) {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) {
        ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const std::vector<int> allowed = allowed_cores().numbers;
    ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(allowed, std::vector<int>{first});
    EXPECT_EQ(allowed_cores().numbers.size(), static_cast<std::size_t>(CPU_COUNT(&all)));
}

/// Of a process whose /proc and /sys are there.
class Quota : public testing::Test {
protected:
    test::TemporaryFolder root;

    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = root.path() / name;
        std::filesystem::create_directories(path.parent_path());
        test::write_text(path, text);
    }
    AllowedCores found() const { return allowed_cores(root.path().string()); }
};

TEST_F(Quota, IsTheLeastOfAllGroupsAbove) {
    EXPECT_TRUE(std::isinf(found().quota));
    write("proc/self/cgroup", "4:memory:/one\n0::/batch/job\n");
    write("sys/fs/cgroup/batch/job/cpu.max", "max 100000\n");
    EXPECT_TRUE(std::isinf(found().quota));
    write("sys/fs/cgroup/batch/cpu.max", "150000 100000\n");
    EXPECT_EQ(found().quota, 1.5);
    write("sys/fs/cgroup/batch/job/cpu.max", "250000 50000\n");
    EXPECT_EQ(found().quota, 1.5);
    EXPECT_EQ(found().group, root.file("sys/fs/cgroup/batch"));
}

TEST_F(Quota, OfVersionOneIsInTwoFiles) {
    write("proc/self/cgroup", "4:cpu,cpuacct:/docker/0123\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_TRUE(std::isinf(found().quota));
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
    EXPECT_EQ(found().quota, 3) << "the container's own group, named as the host names it";
}

constexpr double none = std::numeric_limits<double>::infinity();

TEST(ShareOfCores, IsWhatEachCoreLeaves) {
    const std::vector<AllowedCores> bound{{{0, 1}, none, ""}, {{2, 3}, none, ""}};
    EXPECT_EQ(share_of_cores(bound, 0), 2u) << "mpirun has divided them";
    const std::vector<AllowedCores> free{{{0, 1, 2, 3, 4}, none, ""}, {{0, 1, 2, 3, 4}, none, ""}};
    EXPECT_EQ(share_of_cores(free, 1), 2u);
    // Two sockets, of two ranks each.
    const std::vector<int> one{0, 1, 2, 3, 4, 5};
    const std::vector<int> other{6, 7, 8, 9, 10, 11};
    const std::vector<AllowedCores> sockets{
        {one, none, ""}, {one, none, ""}, {other, none, ""}, {other, none, ""}};
    EXPECT_EQ(share_of_cores(sockets, 3), 3u);
    const std::vector<AllowedCores> thirds(3, {one, none, ""});
    EXPECT_EQ(share_of_cores(thirds, 2), 2u);
    const std::vector<AllowedCores> unlike{{one, none, ""}, {{0}, none, ""}};
    EXPECT_EQ(share_of_cores(unlike, 0), 5u);
    EXPECT_EQ(share_of_cores(unlike, 1), 1u) << "never less";
}

TEST(ShareOfCores, IsWithinTheQuotaOfTheGroup) {
    const std::vector<int> four{0, 1, 2, 3};
    EXPECT_EQ(share_of_cores({{four, 2, "group"}}, 0), 2u);
    EXPECT_EQ(share_of_cores({{four, 2.9, "group"}}, 0), 2u);
    EXPECT_EQ(share_of_cores({{four, 0.5, "group"}}, 0), 1u);
    EXPECT_EQ(share_of_cores({{four, 8, "group"}}, 0), 4u);
    const std::vector<AllowedCores> of_one_group{{{0, 1}, 2, "group"}, {{2, 3}, 2, "group"}};
    EXPECT_EQ(share_of_cores(of_one_group, 1), 1u);
    const std::vector<AllowedCores> of_two{{{0, 1}, 2, "group"}, {{2, 3}, 2, "another"}};
    EXPECT_EQ(share_of_cores(of_two, 1), 2u);
}

} // namespace
} // namespace lsrecon
