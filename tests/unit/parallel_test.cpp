#include "base/parallel.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/child_process.hpp"

namespace lsrecon {
namespace {

TEST(Parallel, WithoutThreadsTheCallerDoesTheWork) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "no limit under AddressSanitizer";
#endif
    if (std::thread::hardware_concurrency() < 2) {
        GTEST_SKIP() << "one core";
    }
    ChildProcess child([](const Connection& parent) {
        const rlimit no_room_for_a_stack{1, 1};
        ::setrlimit(RLIMIT_AS, &no_room_for_a_stack);
        std::atomic<std::size_t> sum{0};
        for_each_in_parallel(101, [&](std::size_t i) { sum += i; });
        const std::size_t found = sum;
        parent.send(&found, sizeof(found));
    });
    std::size_t sum = 0;
    child.receive(&sum, sizeof(sum));
    EXPECT_EQ(sum, 5050u);
}

TEST(Parallel, AllowedCoresAreThoseOfTheJob) {
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
    const std::size_t allowed = allowed_cores();
    ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(allowed, 1u);
    EXPECT_EQ(allowed_cores(), static_cast<std::size_t>(CPU_COUNT(&all)));
}

} // namespace
} // namespace lsrecon
