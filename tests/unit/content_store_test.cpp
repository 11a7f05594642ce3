#include "base/content_store.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

class Shared : public ::testing::Test {
protected:
    /// How many were made for it so far.
    int request(const std::string& what, const std::vector<double>& of, std::size_t bytes = 8) {
        store.get<int>(what, {bytes_of_all(of)}, bytes,
                       [&] { return std::make_shared<const int>(++made); });
        return made;
    }

    ContentStore store{100};
    int made = 0;
};

TEST_F(Shared, IsMadeOnceForTheSameNumbers) {
    EXPECT_EQ(request("q", {1, 2}), 1);
    EXPECT_EQ(request("q", {1, 2}), 1);
    EXPECT_EQ(*store.get<int>("q", {bytes_of_all(std::vector<double>{1, 2})}, 8,
                              [] { return std::make_shared<const int>(0); }),
              1);
}

TEST_F(Shared, DiffersInAnyNumberInWhatItIsAndInItsType) {
    request("q", {1, 2});
    EXPECT_EQ(request("q", {1, 3}), 2);
    EXPECT_EQ(request("q", {1}), 3);
    EXPECT_EQ(request("maps", {1, 2}), 4);
    EXPECT_EQ(*store.get<double>("q", {bytes_of_all(std::vector<double>{1, 2})}, 8,
                                 [] { return std::make_shared<const double>(0.5); }),
              0.5);
}

TEST_F(Shared, GoesWhenItWasAskedForLongAgo) {
    request("a", {}, 40);
    request("b", {}, 40);
    request("a", {}, 40);
    request("c", {}, 40);
    EXPECT_EQ(made, 3);
    EXPECT_EQ(request("a", {}, 40), 3);
    EXPECT_EQ(request("b", {}, 40), 4) << "the one that made room";
}

TEST_F(Shared, IsNotKeptWhereItIsTooLarge) {
    request("small", {}, 40);
    EXPECT_EQ(request("large", {1}, 96), 2) << "with the numbers that it was made of";
    EXPECT_EQ(request("large", {1}, 96), 3);
    EXPECT_EQ(request("small", {}, 40), 3);
}

TEST_F(Shared, IsMadeEachTimeWithoutAStore) {
    const auto make = [&] { return std::make_shared<const int>(++made); };
    EXPECT_EQ(*kept_or_made<int>(nullptr, "q", {}, 8, make), 1);
    EXPECT_EQ(*kept_or_made<int>(nullptr, "q", {}, 8, make), 2);
}

} // namespace
} // namespace lsrecon
