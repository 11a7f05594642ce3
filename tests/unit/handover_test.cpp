#include "base/parallel.hpp"

#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace lsrecon {
namespace {

TEST(Handover, PassesEveryValueInOrder) {
    Handover<std::unique_ptr<int>> numbers;
    const auto giving = std::async(std::launch::async, [&] {
        for (int i = 0; i < 100; ++i) {
            EXPECT_TRUE(numbers.put(std::make_unique<int>(i)));
        }
        numbers.close();
    });
    std::vector<int> taken;
    while (const auto number = numbers.take()) {
        taken.push_back(**number);
    }
    ASSERT_EQ(taken.size(), 100U);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(taken[static_cast<std::size_t>(i)], i);
    }
}

TEST(Handover, NobodyWaitsAfterItsEnd) {
    Handover<int> numbers;
    auto given = std::async(std::launch::async, [&] { return numbers.put(1); });
    numbers.close();
    EXPECT_FALSE(given.get());
    EXPECT_EQ(numbers.take(), std::nullopt);
    EXPECT_FALSE(numbers.put(2));
}

} // namespace
} // namespace lsrecon
