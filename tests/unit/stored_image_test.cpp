#include "io/image/stored.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"

namespace lsrecon {
namespace {

/// Frames of 2 x 1 voxels at these heights along z; both voxels of frame f are f + 1.
StoredImage at_heights(const std::vector<double>& heights) {
    StoredImage image;
    image.about.grid = test::make_grid(2, 1);
    image.about.grid.directions = std::array<Vec3, 3>{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (const double height : heights) {
        ImageFrame frame;
        frame.position = Vec3{5, 6, height};
        image.about.frames.push_back(frame);
    }
    image.about.grid.position = image.about.frames[0].position;
    image.values = [](std::size_t frame) {
        return ImageValues(2, std::complex<float>(static_cast<float>(frame + 1)));
    };
    return image;
}

TEST(SliceStack, SortsSlicesAlongTheirNormal) {
    const StoredImage stacked = with_slices_stacked(at_heights({4, -2, 1, 4, -2, 1}));
    EXPECT_EQ(stacked.frames(), 2U);
    EXPECT_EQ(stacked.about.grid.size[2], 3U);
    EXPECT_DOUBLE_EQ(stacked.about.grid.fov_mm[2], 9);
    EXPECT_EQ(*stacked.about.grid.position, (Vec3{5, 6, 1}));
    const ImageValues second = stacked.values(1);
    ASSERT_EQ(second.size(), 6U);
    EXPECT_EQ(second[0].real(), 5);
    EXPECT_EQ(second[2].real(), 6);
    EXPECT_EQ(second[4].real(), 4);
}

TEST(SliceStack, OneHeightIsNoStack) {
    const StoredImage still = with_slices_stacked(at_heights({3, 3, 3.001}));
    EXPECT_EQ(still.frames(), 3U);
    EXPECT_EQ(still.about.grid.dimensions, 2);
}

TEST(SliceStack, RoundedHeightsOfManySlicesAreEven) {
    std::vector<double> heights;
    for (int s = 0; s < 160; ++s) {
        heights.push_back(std::round(1000 * s * 5.0 / 3) / 1000);
    }
    const SliceStack stack = find_slices(at_heights(heights));
    EXPECT_EQ(stack.problem, "");
    EXPECT_NEAR(stack.spacing_mm, 5.0 / 3, 1e-5);
    heights[80] += 0.1;
    EXPECT_NE(find_slices(at_heights(heights)).problem, "");
}

TEST(SliceStack, UnevenHeightsAndCountsAreNone) {
    for (const std::vector<double>& heights :
         {std::vector<double>{0, 3, 7}, {0, 3, 3, 6}, {0, 0, 5}}) {
        EXPECT_NE(find_slices(at_heights(heights)).problem, "");
        EXPECT_THROW(with_slices_stacked(at_heights(heights)), InputError);
    }
}

// The series of a scan that was stopped in its second repetition.
TEST(SliceStack, AFrameThatASliceLacksIsNaN) {
    StoredImage image = at_heights({0, 0, 3, 3, 6});
    const std::vector<std::string> labels{"slice 0, repetition 0", "slice 0, repetition 1",
                                          "slice 1, repetition 0", "slice 1, repetition 1",
                                          "slice 2, repetition 0"};
    for (std::size_t f = 0; f < labels.size(); ++f) {
        image.about.frames[f].label = labels[f];
    }
    const StoredImage stacked = with_slices_stacked(image);
    ASSERT_EQ(stacked.frames(), 2U);
    EXPECT_EQ(*stacked.about.grid.position, (Vec3{5, 6, 3}));
    EXPECT_EQ(stacked.about.frames[1].label, "repetition 1");
    EXPECT_FALSE(stacked.about.frames[0].failed());
    EXPECT_TRUE(stacked.about.frames[1].failed());
    EXPECT_EQ(stacked.values(0)[4].real(), 5);
    EXPECT_EQ(stacked.values(1)[2].real(), 4);
    EXPECT_TRUE(std::isnan(stacked.values(1)[4].real()));
    EXPECT_EQ(test::find(stacked.findings, Found::slices_lack_frames).number("missing"), 1);
    image.about.frames[4].label = "slice 2, repetition 2";
    EXPECT_NE(find_slices(image).problem, "");
}

TEST(StoredImage, SlicesWithoutDirectionsLoseThePositionTheyHad) {
    StoredImage image;
    image.about.grid = test::make_grid(2, 2, 4);
    image.about.grid.position = Vec3{1, 2, 3};
    image.about.frames.resize(1);
    image.values = [](std::size_t) { return ImageValues(16, 1.0F); };
    EXPECT_FALSE(only_slices(image, {0, 1}).about.grid.position);
    EXPECT_TRUE(only_slices(image, {1, 3}).about.grid.position); // the same centre
    EXPECT_EQ(only_slices(image, {1, 3}).values(0).size(), 12U);
}

TEST(StoredImage, PartsAreThoseOfComplexNumbers) {
    const ImageValues values{{3, -4}, {-2, 0}};
    EXPECT_EQ(real_part(ImagePart::magnitude, values), (std::vector<float>{5, 2}));
    EXPECT_EQ(real_part(ImagePart::real, values), (std::vector<float>{3, -2}));
    EXPECT_EQ(real_part(ImagePart::imaginary, values), (std::vector<float>{-4, 0}));
    EXPECT_FLOAT_EQ(real_part(ImagePart::phase, values)[1], static_cast<float>(pi));
}

} // namespace
} // namespace lsrecon
