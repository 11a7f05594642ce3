#include "io/ismrmrd/formats.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"
#include "support/surroundings.hpp"

#ifdef LSRECON_WITH_ISMRMRD
#include <ismrmrd/dataset.h>

namespace lsrecon {
namespace {

/// Two frames of 4 x 3 x 2 voxels; voxel n of frame f is n + 100 f - i.
StoredImage image_of_two_frames() {
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
    write_mrd_images(image_of_two_frames(), {folder.file("i.mrd"), ImagePart::complex}, report);
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
    write_mrd_images(image_of_two_frames(), {folder.file("i.mrd"), ImagePart::imaginary}, report);
    ISMRMRD::Dataset file(folder.file("i.mrd").c_str(), "dataset", false);
    ISMRMRD::Image<float> image;
    file.readImage("image_0", 0, image);
    EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_IMAG);
    EXPECT_EQ(image.getPositionY(), 2);
    EXPECT_EQ(image.getSlice(), 4);
    EXPECT_EQ(image(3, 2, 1), -1.0F);
}

/// An image as another program makes it; value n is n + 100 f, times -i where it is complex.
template <typename Value> void append_image(ISMRMRD::Dataset& file, std::uint16_t repetition) {
    ISMRMRD::Image<Value> image(5, 3, 1, 1);
    image.setFieldOfView(50, 45, 8);
    image.setPosition(-7, 8, 9);
    image.setReadDirection(0, 0, 1);
    image.setPhaseDirection(0, 1, 0);
    image.setSliceDirection(1, 0, 0);
    image.setRepetition(repetition);
    for (std::size_t n = 0; n < image.getNumberOfDataElements(); ++n) {
        image.getDataPtr()[n] = static_cast<Value>(static_cast<float>(n + 100 * repetition));
        if constexpr (sizeof(Value) >= sizeof(std::complex<float>) &&
                      !std::is_arithmetic_v<Value>) {
            image.getDataPtr()[n] *= Value(0, -1);
        }
    }
    file.appendImage("magnitudes", image);
}

template <typename Value> class ImagesOfTheLibrary : public testing::Test {};
using Values = testing::Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, float,
                              double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ImagesOfTheLibrary, Values);

TYPED_TEST(ImagesOfTheLibrary, AreRead) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("i.mrd");
    {
        ISMRMRD::Dataset file(path.c_str(), "dataset", true);
        append_image<TypeParam>(file, 0);
        append_image<TypeParam>(file, 1);
    }
    ASSERT_TRUE(holds_mrd_images(path));
    const StoredImage image = open_mrd_images(path, {});
    const Grid& grid = image.about.grid;
    EXPECT_EQ(grid.dimensions, 2);
    EXPECT_EQ(grid.size, (std::array<std::size_t, 3>{5, 3, 1}));
    EXPECT_EQ(grid.fov_mm, (Vec3{50, 45, 8}));
    EXPECT_EQ(grid.position, (Vec3{-7, 8, 9}));
    EXPECT_EQ(grid.directions, (std::array<Vec3, 3>{Vec3{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}));
    ASSERT_EQ(image.frames(), 2U);
    EXPECT_EQ(image.about.frames[1].label, "repetition 1");
    const std::complex<float> unit =
        std::is_arithmetic_v<TypeParam> ? std::complex<float>(1, 0) : std::complex<float>(0, -1);
    for (const std::size_t f : {1, 0}) {
        const ImageValues values = image.values(f);
        ASSERT_EQ(values.size(), 15U);
        for (std::size_t n = 0; n < values.size(); ++n) {
            EXPECT_EQ(values[n], static_cast<float>(n + 100 * f) * unit) << f << ", " << n;
        }
    }
}

TEST(MrdImages, MayDifferByRounding) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("i.mrd");
    {
        ISMRMRD::Dataset file(path.c_str(), "dataset", true);
        append_image<float>(file, 0);
        append_image<float>(file, 1);
        ISMRMRD::Image<float> image;
        file.readImage("magnitudes", 0, image);
        image.setReadDirection(1e-7F, 0, 1);
        image.setFieldOfView(50.000004F, 45, 8);
        image.setPosition(-7.000001F, 8, 9);
        file.appendImage("magnitudes", image);
    }
    const StoredImage image = open_mrd_images(path, {});
    ASSERT_EQ(image.frames(), 3U);
    EXPECT_TRUE(image.about.grid.directions);
    EXPECT_FALSE(image.about.frames[2].position) << "one slice";
}

} // namespace
} // namespace lsrecon
#endif
