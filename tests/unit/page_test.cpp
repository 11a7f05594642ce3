#include "io/page/page.hpp"

#include <gtest/gtest.h>

#include "base/bytes_as_text.hpp"
#include "base/escaped.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

PageSet set_of(const Grid& grid, std::size_t frames, bool of_coils = false) {
    PageSet set{"image", {}};
    set.volumes.about.grid = grid;
    set.volumes.about.frames.resize(frames);
    set.volumes.of_coils = of_coils;
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
    const SetLayout layout = lay_out_page({set_of(test::make_grid(128, 128, 128), 1)}, 30).front();
    EXPECT_EQ(layout.step, 1U);
    EXPECT_EQ(layout.phase_step, 1U);
    EXPECT_EQ(layout.volumes, 1U);
    EXPECT_EQ(layout.bits, 16U);
}

TEST(PageLayout, GivesUpBitsThenPhasesThenVoxels) {
    const std::vector<PageSet> sets{set_of(test::make_grid(256, 256, 256), 1)};
    const SetLayout usual = lay_out_page(sets, 30).front();
    EXPECT_EQ(usual.step, 1U) << "of the magnitude";
    EXPECT_EQ(usual.phase_step, 2U);
    EXPECT_EQ(usual.bits, 8U);
    EXPECT_EQ(lay_out_page(sets, 60).front().phase_step, 1U);
    EXPECT_EQ(lay_out_page(sets, 60).front().bits, 8U);
    EXPECT_EQ(lay_out_page(sets, 10).front().step, 2U);
}

TEST(PageLayout, LeavesOutFramesOfSmallVolumesButNoCoil) {
    const SetLayout many = lay_out_page({set_of(test::make_grid(64, 64), 10000)}, 10).front();
    EXPECT_EQ(many.step, 1U);
    const double fits = 10e6 * 3 / 4 / (64 * 64 + 32 * 32); // with phases of half the size
    EXPECT_LT(many.volumes, fits);
    EXPECT_GT(many.volumes, 0.8 * fits);
    const std::vector<PageSet> with_maps{set_of(test::make_grid(128, 128, 128), 1),
                                         set_of(test::make_grid(128, 128, 128), 32, true)};
    const std::vector<SetLayout> layouts = lay_out_page(with_maps, 30);
    EXPECT_EQ(layouts[0].bits, 16U) << "the image is lessened last";
    EXPECT_GT(layouts[1].step, 1U);
    EXPECT_EQ(layouts[1].volumes, 32U);
}

TEST(PageLayout, EndsForAnySize) {
    for (const double megabytes : {1e-9, 1e-3, 1.0}) {
        for (const SetLayout& layout :
             lay_out_page({set_of(test::make_grid(70, 3, 50), 7), set_of(test::make_grid(9, 9), 3)},
                          megabytes)) {
            EXPECT_GE(layout.volumes, 1U);
            EXPECT_LE(layout.step, 70U);
        }
    }
}

} // namespace
} // namespace lsrecon
