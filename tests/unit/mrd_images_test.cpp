#include "io/mrd_images.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"
#include "support/surroundings.hpp"

#ifdef LSRECON_WITH_ISMRMRD
#include <ismrmrd/dataset.h>

namespace lsrecon {
namespace {

/// Two frames of 4 x 3 x 2 voxels; voxel n of frame f is n + 100 f - i.
StoredImage two_frames() {
    StoredImage image;
    image.about.grid = test::make_grid(4, 3, 2);
    image.about.grid.position = Vec3{1, 2, 3};
    image.about.grid.directions = std::array<Vec3, 3>{Vec3{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    image.about.frames.resize(2);
    image.about.frames[0].label = "slice 4, repetition 0";
    image.about.frames[1].label = "slice 5, repetition 12 <b>";
    image.about.frames[1].position = Vec3{-7, 8, 9};
    image.values = [](std::size_t frame) {
        ImageValues values;
        for (std::size_t n = 0; n < 24; ++n) {
            values.emplace_back(static_cast<float>(n + 100 * frame), -1.0F);
        }
        return values;
    };
    return image;
}

TEST(MrdImages, AreReadByTheLibraryOfTheFormat) {
    const test::TemporaryFolder folder;
    Reporter report;
    write_mrd_images(two_frames(), {folder.file("i.mrd"), ImagePart::complex}, report);
    ISMRMRD::Dataset file(folder.file("i.mrd").c_str(), "dataset", false);
    ASSERT_EQ(file.getNumberOfImages("image_0"), 2U);
    ISMRMRD::Image<std::complex<float>> image;
    file.readImage("image_0", 1, image);
    EXPECT_EQ(image.getMatrixSizeX(), 4);
    EXPECT_EQ(image.getMatrixSizeY(), 3);
    EXPECT_EQ(image.getMatrixSizeZ(), 2);
    EXPECT_EQ(image.getNumberOfChannels(), 1);
    EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_COMPLEX);
    EXPECT_EQ(image.getImageIndex(), 2);
    EXPECT_EQ(image.getSlice(), 5);
    EXPECT_EQ(image.getRepetition(), 12);
    EXPECT_EQ(image.getFieldOfViewX(), 240);
    EXPECT_EQ(image.getPositionX(), -7);
    EXPECT_EQ(image.getPositionZ(), 9);
    EXPECT_EQ(image.getReadDirectionY(), 1);
    EXPECT_EQ(image.getPhaseDirectionZ(), 1);
    EXPECT_EQ(image.getSliceDirectionX(), 1);
    EXPECT_EQ(image(3, 2, 1), std::complex<float>(123, -1));
    std::string attributes;
    image.getAttributeString(attributes);
    EXPECT_NE(attributes.find("repetition 12 &lt;b&gt;"), std::string::npos) << attributes;
}

TEST(MrdImages, HoldOnePartOfTheValues) {
    const test::TemporaryFolder folder;
    Reporter report;
    write_mrd_images(two_frames(), {folder.file("i.mrd"), ImagePart::imaginary}, report);
    ISMRMRD::Dataset file(folder.file("i.mrd").c_str(), "dataset", false);
    ISMRMRD::Image<float> image;
    file.readImage("image_0", 0, image);
    EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_IMAG);
    EXPECT_EQ(image.getPositionY(), 2);
    EXPECT_EQ(image.getSlice(), 4);
    EXPECT_EQ(image(3, 2, 1), -1.0F);
}

} // namespace
} // namespace lsrecon
#endif
