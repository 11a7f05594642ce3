#include "io/preview.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

TEST(Preview, IsBoundedForAnyImage) {
    for (const std::size_t x : {1U, 2U, 63U, 384U, 4096U, 4097U, 20000U, 3000000U}) {
        for (const std::size_t y : {1U, 64U, 500U, 4095U, 20000U}) {
            for (const std::size_t panes : {1U, 3U, 500U, 20000U, 4000000U}) {
                const PreviewLayout layout = lay_out_preview(x, y, panes);
                EXPECT_LE(layout.width(), largest_preview) << x << " " << y << " " << panes;
                EXPECT_LE(layout.height(), largest_preview) << x << " " << y << " " << panes;
                EXPECT_GE(layout.panes, 1U);
                EXPECT_GE(layout.zoom, 1U);
                EXPECT_EQ(layout.left_out().empty(), layout.panes == panes && layout.step == 1);
            }
        }
    }
}

TEST(Preview, SmallPicturesAreEnlargedAndShowEverything) {
    const PreviewLayout layout = lay_out_preview(64, 32, 4);
    EXPECT_EQ(layout.across, 2U);
    EXPECT_EQ(layout.zoom, 3U);
    EXPECT_EQ(layout.width(), 384U);
    EXPECT_EQ(layout.height(), 192U);
    EXPECT_TRUE(layout.left_out().empty());
}

TEST(Preview, SaysWhatItLeavesOut) {
    const Finding of_many = lay_out_preview(512, 512, 512).left_out().front();
    EXPECT_EQ(of_many.code, Found::preview_partial);
    EXPECT_EQ(of_many.number("shown"), 64);
    EXPECT_EQ(of_many.number("panes"), 512);
    EXPECT_EQ(of_many.number("step"), 1);
    const Finding of_long = lay_out_preview(1, 20000, 1).left_out().front();
    EXPECT_EQ(of_long.number("shown"), 1);
    EXPECT_EQ(of_long.number("step"), 5);
}

/// One frame whose voxel n has the magnitude n.
Image ramp(const Grid& grid) {
    ComplexVector values(static_cast<Eigen::Index>(grid.voxels()));
    for (Eigen::Index n = 0; n < values.size(); ++n) {
        values(n) = static_cast<double>(n);
    }
    Image image;
    image.grid = grid;
    image.frames = {{values, "", {}, {}, ""}};
    return image;
}

TEST(Preview, LaysSlicesOutRowByRow) {
    const Picture picture = make_preview(ramp(test::make_grid(2, 1, 3)));
    ASSERT_EQ(picture.width, 384U); // 2 x 2 panes of 2 x 1 voxels, 96 times as large
    ASSERT_EQ(picture.height, 192U);
    const auto grey = [&](std::size_t column, std::size_t row) {
        return static_cast<int>(picture.grey[row * 96 * picture.width + column * 96]);
    };
    // The 99.5th percentile of 0 to 5 is 4.
    EXPECT_EQ(grey(0, 0), 0);
    EXPECT_EQ(grey(1, 0), 64);
    EXPECT_EQ(grey(2, 0), 128);
    EXPECT_EQ(grey(3, 0), 191);
    EXPECT_EQ(grey(0, 1), 255);
    EXPECT_EQ(grey(1, 1), 255);
    EXPECT_EQ(grey(2, 1), 0) << "no pane is there";
}

TEST(Preview, OfALongColumnShowsSomeOfItsVoxels) {
    const Picture picture = make_preview(ramp(test::make_grid(1, 20000)));
    ASSERT_EQ(picture.height, 4000U);
    EXPECT_EQ(picture.grey.size(), picture.width * picture.height);
    EXPECT_EQ(picture.grey.front(), 0);
    EXPECT_EQ(picture.grey.back(), 255);
}

} // namespace
} // namespace lsrecon
