#include "base/ranges.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

TEST(IndexList, HoldsWhatIsListed) {
    const IndexList list("0,2,5-9");
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(list.contains(i), i == 0 || i == 2 || (i >= 5 && i <= 9)) << i;
        EXPECT_EQ(list.admits(i), list.contains(i));
    }
    EXPECT_EQ(list.to_string(), "0,2,5-9");
    EXPECT_EQ(IndexList("3-3").to_string(), "3");
    EXPECT_TRUE(IndexList("0-18446744073709551615").contains(1000000));
}

TEST(IndexList, OfManyRangesTheFirstAndLastAreShown) {
    std::set<std::size_t> even;
    for (std::size_t i = 0; i < 20; i += 2) {
        even.insert(i);
    }
    EXPECT_EQ(IndexList(even).shortened(), "0,2,4,6,8,10,12,14,16,18");
    even.insert({20, 21, 22});
    EXPECT_EQ(IndexList(even).shortened(), "0,2,4,6,8,10,12,14, ..., 20-22 (13 in all)");
    EXPECT_EQ(IndexList("0-499").shortened(), "0-499");
}

TEST(IndexList, AdmitsEverythingWhenNothingIsListed) {
    EXPECT_TRUE(IndexList().empty());
    EXPECT_TRUE(IndexList().admits(7));
    EXPECT_FALSE(IndexList().contains(7));
}

TEST(IndexList, FindsRangesThatHoldNothing) {
    const std::set<std::size_t> there{0, 1, 5};
    EXPECT_EQ(IndexList("0,2,3-5,6-9,1-7,4").ranges_with_none_of(there).to_string(), "2,6-9,4");
    EXPECT_TRUE(IndexList("0-9").ranges_with_none_of(there).empty());
    EXPECT_TRUE(IndexList().ranges_with_none_of(there).empty());
    EXPECT_EQ(IndexList("3").ranges_with_none_of({}).to_string(), "3");
    EXPECT_NO_THROW(require_frames(IndexList("0,2-9"), 3, "f", "t"));
    EXPECT_THROW(require_frames(IndexList("0,3-9"), 3, "f", "t"), InputError);
}

TEST(IndexList, CountsWhatItAdmits) {
    EXPECT_EQ(IndexList().most_admitted(7), 7);
    EXPECT_EQ(IndexList("0,2-9").most_admitted(5), 4);
    EXPECT_EQ(IndexList("5,8-9").most_admitted(5), 0);
    EXPECT_EQ(IndexList("0-3,1-2").most_admitted(5), 5);
    EXPECT_EQ(IndexList("1-18446744073709551615").most_admitted(4), 3);
}

TEST(IndexList, RefusesWhatIsNoList) {
    for (const char* wrong : {"", ",", "1,", ",1", "a", "1-", "-1", "9-5", "1 2", "1-2-3", "0x1",
                              "1.5", "18446744073709551616"}) {
        EXPECT_THROW(IndexList list(wrong), UsageError) << wrong;
    }
}

} // namespace
} // namespace lsrecon
