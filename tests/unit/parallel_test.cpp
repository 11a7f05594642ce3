#include "base/parallel.hpp"

#include <atomic>
#include <gtest/gtest.h>
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

} // namespace
} // namespace lsrecon
