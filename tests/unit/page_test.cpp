#include "io/page/page.hpp"

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/escaped.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

PageSet set_of(const Grid& grid, std::size_t frames, bool has_phase = true) {
    PageSet set{"image", {}, has_phase};
    set.volumes.about.grid = grid;
    set.volumes.about.frames.resize(frames);
    return set;
}

TEST(Base64, IsThatOfTheSpecification) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    const std::string zeros(10000000, '\0'); // more than one part
    EXPECT_EQ(base64(zeros), std::string(13333334, 'A') + "==");
}

TEST(Escaped, LeavesNoMarkup) {
    EXPECT_EQ(escaped("<a b='c' d=\"e\">&\n"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp; ");
}

TEST(PageLayout, ShowsEverythingThatFits) {
    const std::vector<PageSet> sets{set_of(test::make_grid(128, 128, 128), 1)};
    EXPECT_EQ(lay_out_page(sets, 10).step, 1U);
    EXPECT_EQ(lay_out_page(sets, 10).volumes, 1U);
}

TEST(PageLayout, ThinsOutLargeVolumesAndLeavesOutFramesOfSmallOnes) {
    const PageLayout large = lay_out_page({set_of(test::make_grid(256, 256, 256), 1)}, 10);
    EXPECT_EQ(large.step, 2U);
    EXPECT_EQ(large.volumes, 1U);
    const PageLayout many = lay_out_page({set_of(test::make_grid(64, 64), 10000)}, 10);
    EXPECT_EQ(many.step, 1U);
    EXPECT_LT(many.volumes, 10e6 * 3 / 4 / (2 * 64 * 64));
    EXPECT_GT(many.volumes, 0.8 * 10e6 * 3 / 4 / (2 * 64 * 64));
}

TEST(PageLayout, EndsForAnySize) {
    for (const double megabytes : {1e-9, 1e-3, 1.0}) {
        const PageLayout layout = lay_out_page(
            {set_of(test::make_grid(70, 3, 50), 7), set_of(test::make_grid(9, 9), 3)}, megabytes);
        EXPECT_GE(layout.volumes, 1U);
        EXPECT_LE(layout.step, 70U);
    }
}

} // namespace
} // namespace lsrecon
