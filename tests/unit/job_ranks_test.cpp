#include "base/job_ranks.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(JobRanks, SharesCoverAllItemsOnceAndDivideNoUnit) {
    for (const std::size_t total : {0, 1, 7, 24, 60}) {
        for (const std::size_t together : {1, 4, 12}) {
            for (const std::size_t ranks : {1, 2, 3, 4, 7}) {
                std::size_t next = 0;
                for (std::size_t rank = 0; rank < ranks; ++rank) {
                    const Range share = share_of_rank(total, together, rank, ranks);
                    EXPECT_EQ(share.first, next);
                    EXPECT_TRUE(share.first == total || share.first % together == 0);
                    next = share.first + share.count;
                }
                EXPECT_EQ(next, total);
            }
        }
    }
}

TEST(JobRanks, SharesDifferByAUnitAtMost) {
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const Range share = share_of_rank(10 * 4, 4, rank, 3);
        EXPECT_GE(share.count, 3u * 4);
        EXPECT_LE(share.count, 4u * 4);
    }
}

TEST(JobRanks, AProcessThatIsAloneIsTheFirstAndTakesEveryItem) {
    JobRanks alone;
    EXPECT_EQ(alone.count(), 1u);
    EXPECT_EQ(alone.count_on_node(), 1u);
    EXPECT_TRUE(alone.is_first());
    EXPECT_EQ(alone.next(), 0u);
    EXPECT_EQ(alone.next(), 1u);
    std::string words = "its own";
    alone.broadcast(0, words);
    alone.bring_to_first(0, words);
    EXPECT_EQ(words, "its own");
    EXPECT_EQ(alone.of_node(words), std::vector<std::string>{words});
}

} // namespace
} // namespace lsrecon
