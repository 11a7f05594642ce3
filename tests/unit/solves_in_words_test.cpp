#include "io/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

const Record requested{{"iterations", "300"}, {"tolerance", "1e-05"}, {"late_change", "0.0012"}};

ImageFrame solved(const std::vector<std::size_t>& iterations, double residual, Stop stop) {
    ImageFrame frame;
    for (const std::size_t count : iterations) {
        frame.residuals.emplace_back(count, 1);
        frame.residuals.back().push_back(residual);
        frame.stops.push_back(stop);
    }
    return frame;
}

TEST(SolvesInWords, OneSolveSaysWhatWasDoneBesideWhatWasAskedFor) {
    EXPECT_THAT(solves_in_words({solved({30}, 9.84e-7, Stop::tolerance)}, requested),
                ElementsAre(Pair("iterations done", "30 (at most 300)"),
                            Pair("stopped by", "the tolerance"),
                            Pair("final residual", "9.8e-07 (asked 1e-05)"),
                            Pair("late change", StartsWith("0.0012 of the image"))));
}

TEST(SolvesInWords, FramesThatDifferAreRanges) {
    std::vector<ImageFrame> frames{solved({28, 31}, 1e-6, Stop::tolerance),
                                   solved({300}, 0.25, Stop::iterations), ImageFrame()};
    EXPECT_THAT(solves_in_words(frames, {}),
                ElementsAre(Pair("iterations done", "28 to 300"),
                            Pair("stopped by",
                                 AllOf(StartsWith("the iteration limit in 1 of 3"),
                                       HasSubstr("the tolerance in"), EndsWith(": frames 1"))),
                            Pair("final residual", "1e-06 to 0.25")));
}

TEST(SolvesInWords, EqualOrManyFramesAreRanges) {
    const ImageFrame one = solved({12}, 0.5, Stop::iterations);
    EXPECT_EQ(solves_in_words({one, one}, {}).size(), 3U);
    std::vector<ImageFrame> many(500, one);
    many[499] = solved({13}, 0.5, Stop::tolerance);
    const Record rows = solves_in_words(many, {});
    EXPECT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].second, "12 to 13");
    EXPECT_THAT(rows[1].second, EndsWith(": frames 0-498"));
}

TEST(SolvesInWords, AnImageThatWasNotSolvedHasNone) {
    EXPECT_TRUE(solves_in_words({ImageFrame()}, requested).empty());
}

} // namespace
} // namespace lsrecon
