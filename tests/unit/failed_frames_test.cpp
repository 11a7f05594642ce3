#include "scan/failed_frames.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/image/stored.hpp"
#include "io/preview.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

/// Frames of 3 x 3 voxels that hold 2; the second failed.
StoredImage one_of_three_failed() {
    StoredImage image;
    image.file = "image.h5";
    image.thing = "/image";
    image.about.grid = test::make_grid(3, 3);
    image.about.frames.resize(3);
    image.about.frames[1].error = "samples: NaN";
    image.values = [](std::size_t frame) {
        return frame == 1 ? values_of_failed(9) : ImageValues(9, 2.0F);
    };
    return image;
}

TEST(FailedFrames, AreNamedByIndexAndByWhatTheirLabelAdds) {
    Frame frame;
    const Finding failure = failure_of(frame, 3, "why");
    EXPECT_EQ(failure.code, Found::frame_failed);
    EXPECT_EQ(failure.number("frame"), 3);
    EXPECT_EQ(failure.word("error"), "why");
    EXPECT_EQ(failure.word("label"), "");
    frame.label = "frame 3";
    EXPECT_EQ(failure_of(frame, 3, "why").word("label"), "");
    frame.label = "repetition 7";
    EXPECT_EQ(failure_of(frame, 3, "why").word("label"), "repetition 7");
}

TEST(FailedFrames, LongListsAreCutShort) {
    EXPECT_EQ(list_of_failures({3, 7}, 20), "2 of 20 frames failed: 3,7");
    const std::string all = list_of_failures(std::vector<std::size_t>(500, 1), 1000);
    EXPECT_EQ(all.substr(0, 27), "500 of 1000 frames failed: ");
    EXPECT_LT(all.size(), 100U);
    EXPECT_EQ(all.substr(all.size() - 5), ", ...");
}

TEST(FailedFrames, MessagesBecomeOneLine) {
    EXPECT_EQ(on_one_line("a: b\n  found:    c\n  next:     d\n"),
              "a: b; found:    c; next:     d; ");
    EXPECT_EQ(on_one_line("a"), "a");
}

TEST(FailedFrames, NoVoxelIsANumber) {
    for (const std::complex<float> value : values_of_failed(4)) {
        EXPECT_TRUE(std::isnan(value.real()) && std::isnan(value.imag()));
    }
}

TEST(FailedFrames, AreCrossesInPictures) {
    const float nan = std::nanf("");
    std::vector<float> values{nan, nan, nan, nan, nan, nan, nan, nan, nan,
                              1,   2,   3,   4,   5,   6,   7,   8,   9};
    cross_out(values, 3, 3, 5, -5);
    EXPECT_EQ(values,
              (std::vector<float>{5, -5, 5, -5, 5, -5, 5, -5, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    std::vector<float> wide(6, nan);
    cross_out(wide, 3, 2, 1, 0);
    EXPECT_EQ(wide, (std::vector<float>{1, 1, 1, 1, 0, 1}));
}

TEST(FailedFrames, APreviewShowsTheOthersAsWithoutThem) {
    const StoredImage image = one_of_three_failed();
    const Picture picture = make_preview(image.about, image.values);
    const std::size_t zoom = picture.width / 6; // two panes across
    const auto grey = [&](std::size_t x, std::size_t y) {
        return static_cast<int>(picture.grey[y * zoom * picture.width + x * zoom]);
    };
    EXPECT_EQ(grey(0, 0), 255);
    EXPECT_EQ(grey(1, 1), 255);
    EXPECT_EQ(grey(3, 0), 255) << "a corner of the cross";
    EXPECT_EQ(grey(4, 0), 0) << "beside the cross";
    EXPECT_EQ(grey(4, 1), 255) << "its centre";
    EXPECT_EQ(grey(1, 3), 255) << "the third frame";
}

TEST(FailedFrames, AreNoUnsoundValuesAndCannotBeChosen) {
    StoredImage image = one_of_three_failed();
    EXPECT_NO_THROW(require_sound_values(image));
    EXPECT_THROW(only_frame(image, 1), InputError);
    EXPECT_NO_THROW(only_frame(image, 2));
    image.about.frames[1].error.clear();
    EXPECT_THROW(require_sound_values(image), InputError) << "NaN that nothing explains";
    for (ImageFrame& frame : image.about.frames) {
        frame.error = "all";
    }
    EXPECT_THROW(require_sound_values(image), InputError);
}

TEST(FailedFrames, AVolumeOfSlicesSaysWhichOfThemFailed) {
    StoredImage image = one_of_three_failed();
    image.about.grid.directions = std::array<Vec3, 3>{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t f = 0; f < 3; ++f) {
        image.about.frames[f].position = Vec3{0, 0, 4 * static_cast<double>(f)};
        image.about.frames[f].residuals =
            f == 1 ? ResidualHistories{} : ResidualHistories{{1, 0.1}};
    }
    const StoredImage volume = with_slices_stacked(image);
    ASSERT_EQ(volume.frames(), 1U);
    EXPECT_EQ(volume.about.frames[0].error, "slice 1: samples: NaN");
    EXPECT_EQ(volume.about.frames[0].residuals.size(), 2U);
}

} // namespace
} // namespace lsrecon
