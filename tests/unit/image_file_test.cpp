#include "io/image/file.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;
using Extents = std::vector<std::size_t>;
using Numbers = std::vector<double>;

ComplexVector ramp(std::size_t size, double from) {
    ComplexVector values(static_cast<Eigen::Index>(size));
    for (Eigen::Index n = 0; n < values.size(); ++n) {
        values(n) = Complex(from + static_cast<double>(n), 0.5);
    }
    return values;
}

/// Two frames of 3 x 2 voxels.
Image small_image() {
    Image image;
    image.grid = test::make_grid(3, 2);
    image.grid.position = Vec3{1, 2, 3};
    image.grid.directions = std::array<Vec3, 3>{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    image.frames = {{ramp(6, 1), "early", Vec3{1, 2, 3}, {{1, 0.5, 0.25}}},
                    {ramp(6, 11), "late", Vec3{4, 5, 6}, {{1, 0.125}}}};
    image.record = {{"lambda", "0.01"}, {"device", "none"}};
    image.stage_seconds = {{"fhd", 1.5}};
    return image;
}

TEST(ImageFile, HoldsTheVoxelsWithXFastest) {
    const TemporaryFolder folder;
    write_image(folder.file("image.h5"), small_image());
    EXPECT_EQ(folder.entries(), 1U);
    const ImageData data = read_image(folder.file("image.h5"));
    EXPECT_EQ(data.extents, (Extents{2, 2, 3}));
    ASSERT_EQ(data.values.size(), 12U);
    EXPECT_EQ(data.values[1], Complex(2, 0.5));
    EXPECT_EQ(data.values[6], Complex(11, 0.5));
    EXPECT_EQ(data.residuals, (Numbers{1, 0.5, 0.25}));
    const Hdf5Shape shape = Hdf5Reader(folder.file("image.h5")).shape("image");
    EXPECT_EQ(shape.kind, Hdf5Kind::complex);
    EXPECT_NE(shape.type_name.find("float32"), std::string::npos) << shape.type_name;
}

TEST(ImageFile, WhatFloatsDoNotHoldIsRefused) {
    const TemporaryFolder folder;
    for (const double scale : {1e-300, 1e-60, 1e-45, 1e-40, 1e38, 1e300}) {
        Image image = small_image();
        for (ImageFrame& frame : image.frames) {
            frame.values *= scale;
        }
        try {
            write_image(folder.file("image.h5"), image);
            ADD_FAILURE() << "an image times " << scale;
        } catch (const ToleranceError& error) {
            EXPECT_NE(std::string(error.what()).find("largest value"), std::string::npos);
        }
    }
    EXPECT_EQ(folder.entries(), 0U);
    Image tiny = small_image();
    for (ImageFrame& frame : tiny.frames) {
        frame.values *= 1e-36;
    }
    write_image(folder.file("image.h5"), tiny);
    EXPECT_NEAR(read_image(folder.file("image.h5")).values[1].real(), 2e-36, 1e-42);
}

TEST(ImageFile, ReadsTheFirstHistoryWithoutWhatFillsItUp) {
    const TemporaryFolder folder;
    Image image = small_image();
    std::swap(image.frames[0].residuals, image.frames[1].residuals);
    write_image(folder.file("image.h5"), image);
    EXPECT_EQ(read_image(folder.file("image.h5")).residuals, (Numbers{1, 0.125}));
    image.frames[0].residuals.clear();
    image.frames[1].residuals.clear();
    write_image(folder.file("image.h5"), image);
    EXPECT_TRUE(read_image(folder.file("image.h5")).residuals.empty());
}

TEST(ImageFile, SaysWhereItLiesAndHowItWasMade) {
    const TemporaryFolder folder;
    write_image(folder.file("image.h5"), small_image());
    const Hdf5Reader file(folder.file("image.h5"));
    EXPECT_EQ(file.attribute_text("/", "format"), "lsrecon-image");
    EXPECT_EQ(file.attribute_numbers("/", "version"), Numbers{1});
    EXPECT_EQ(file.attribute_numbers("image", "voxel_size_mm"), (Numbers{80, 110}));
    EXPECT_EQ(file.attribute_numbers("image", "fov_mm"), (Numbers{240, 220}));
    EXPECT_EQ(file.attribute_numbers("image", "position"), (Numbers{1, 2, 3}));
    EXPECT_EQ(file.attribute_numbers("image", "directions"), (Numbers{1, 0, 0, 0, 1, 0, 0, 0, 1}));
    EXPECT_EQ(file.read_real("frame_positions"), (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(file.shape("frame_positions").extents, (Extents{2, 3}));
    EXPECT_EQ(file.read_texts("frame_labels"), (std::vector<std::string>{"early", "late"}));
    EXPECT_TRUE(file.has_attribute("image", "DIMENSION_LABELS"));
    EXPECT_EQ(file.attribute_text("record", "lambda"), "0.01");
    EXPECT_EQ(file.attribute_text("record", "device"), "none");
    EXPECT_EQ(file.attribute_numbers("record", "seconds_fhd"), Numbers{1.5});
}

TEST(ImageFile, KeepsEveryResidualAndPadsWithNan) {
    const TemporaryFolder folder;
    write_image(folder.file("image.h5"), small_image());
    const Hdf5Reader file(folder.file("image.h5"));
    EXPECT_EQ(file.shape("record/residuals").extents, (Extents{2, 1, 3}));
    const Numbers residuals = file.read_real("record/residuals");
    ASSERT_EQ(residuals.size(), 6U);
    EXPECT_EQ(Numbers(residuals.begin(), residuals.begin() + 5), (Numbers{1, 0.5, 0.25, 1, 0.125}));
    EXPECT_TRUE(std::isnan(residuals[5]));
}

TEST(ImageFile, HoldsThousandsOfFrames) {
    for (const std::size_t count : {5000U, 20000U}) {
        const TemporaryFolder folder;
        Image image;
        image.grid = test::make_grid(2, 1);
        for (std::size_t f = 0; f < count; ++f) {
            const double at = static_cast<double>(f);
            image.frames.push_back(
                {ramp(2, at), "repetition " + std::to_string(f), Vec3{0, 0, at}, {{1, 0.5}}, ""});
        }
        write_image(folder.file("image.h5"), image);
        EXPECT_EQ(read_image(folder.file("image.h5")).extents, (Extents{count, 1, 2}));
        const Hdf5Reader file(folder.file("image.h5"));
        const std::vector<std::string> labels = file.read_texts("frame_labels");
        ASSERT_EQ(labels.size(), count);
        EXPECT_EQ(labels[0], "repetition 0");
        EXPECT_EQ(labels.back(), "repetition " + std::to_string(count - 1));
        EXPECT_EQ(file.read_real("frame_positions").back(), static_cast<double>(count - 1));
    }
}

TEST(ImageFile, AHistoryOfAnotherShapeIsRefused) {
    const TemporaryFolder folder;
    for (const Extents& extents : {Extents{}, Extents{3}, Extents{1, 3}}) {
        const Numbers values{1, 0.5, 0.25};
        const std::vector<Complex> voxels(2, 1);
        Hdf5Writer file(folder.file("image.h5"), "image.h5");
        file.complex64("image", {1, 1, 2}, voxels.data());
        file.group("record");
        file.real("record/residuals", extents, values.data());
        file.close();
        EXPECT_THROW(read_image(folder.file("image.h5")), InputError) << shown(extents);
    }
}

/// Two of 3 x 2 voxels; a frame that failed has no voxel, listed or not.
TEST(ImageFile, ListedVoxelsComeBackOnTheirGrid) {
    Image image = small_image();
    image.voxels = {{1 / 3.0 + 1e-8, -0.5, 0}, {-1 / 3.0, 0, 0}};
    image.frames[0].values = ramp(2, 1);
    image.frames[1].values = ramp(2, NAN);
    image.frames[1].error = "no samples";
    const TemporaryFolder folder;
    write_image(folder.file("image.h5"), image, 2, values_of(image));
    EXPECT_EQ(read_image(folder.file("image.h5")).extents, (Extents{2, 2}));
    const StoredImage stored = open_image_file(folder.file("image.h5"));
    EXPECT_EQ(stored.about.grid.size, image.grid.size);
    EXPECT_EQ(stored.values(0), (ImageValues{0, 0, {1, 0.5}, {2, 0.5}, 0, 0}));
    for (const std::complex<float> value : stored.values(1)) {
        EXPECT_TRUE(std::isnan(value.real()));
    }
}

TEST(ImageFile, ThreeDimensionsComeSlowestFirst) {
    Image image;
    image.grid = test::make_grid(2, 3, 4);
    image.frames = {{ramp(24, 1), "", {}, {}}};
    const TemporaryFolder folder;
    write_image(folder.file("image.h5"), image);
    EXPECT_EQ(read_image(folder.file("image.h5")).extents, (Extents{1, 4, 3, 2}));
    EXPECT_FALSE(Hdf5Reader(folder.file("image.h5")).has("record/residuals"));
}

TEST(ImageFile, NeverHoldsNothing) {
    const std::vector<Complex> bad{
        {std::numeric_limits<double>::quiet_NaN(), 0},
        {0, std::numeric_limits<double>::infinity()},
    };
    for (const Complex value : bad) {
        const TemporaryFolder folder;
        test::write_text(folder.file("image.h5"), "before");
        Image image = small_image();
        image.frames[1].values(3) = value;
        EXPECT_THROW(write_image(folder.file("image.h5"), image), DeviceError) << value;
        EXPECT_EQ(test::read_text(folder.file("image.h5")), "before");
        EXPECT_EQ(folder.entries(), 1U);
    }
    const TemporaryFolder folder;
    Image image = small_image();
    image.frames[0].values.setZero();
    image.frames[1].values.setZero();
    EXPECT_THROW(write_image(folder.file("image.h5"), image), InputError);
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(ImageFile, FhdHasADimensionForCoilsWhereThereAreSeveral) {
    const TemporaryFolder folder;
    Image about = small_image();
    about.frames.resize(1);
    const auto give = [](std::size_t count) {
        return [count](std::size_t, const TakeBytes& take) {
            const ImageValues values(count, 1);
            take(values.data(), 8 * count);
        };
    };
    write_fhd(folder.file("fhd.h5"), about, 4, 6, Precision::float32, give(24));
    const Hdf5Reader file(folder.file("fhd.h5"));
    EXPECT_EQ(file.attribute_text("/", "format"), "lsrecon-fhd");
    EXPECT_EQ(file.shape("fhd").extents, (Extents{4, 2, 3}));
    write_fhd(folder.file("one.h5"), about, 1, 6, Precision::float32, give(6));
    EXPECT_EQ(Hdf5Reader(folder.file("one.h5")).shape("fhd").extents, (Extents{2, 3}));
    EXPECT_THROW(read_image(folder.file("fhd.h5")), InputError);
}

/// Two volumes of 2 x 3 voxels, the parts of both at some voxels before the next.
TEST(ImageFile, FhdHoldsDoublesToTheLastBit) {
    const TemporaryFolder folder;
    Image about = small_image();
    about.frames.resize(1);
    const ComplexVector all = ramp(12, 1) / 3;
    FileValues values(12, Precision::float64);
    for (const auto& [first, count] : {std::pair(0, 4), {6, 4}, {4, 2}, {10, 2}}) {
        values.put(static_cast<std::size_t>(first), all.segment(first, count));
    }
    EXPECT_EQ(values.largest_part(),
              all.real().cwiseAbs().cwiseMax(all.imag().cwiseAbs()).maxCoeff());
    const FileBytes bytes = std::move(values).bytes();
    write_fhd(folder.file("fhd.h5"), about, 2, 6, Precision::float64,
              [&](std::size_t, const TakeBytes& take) {
                  take(bytes.data(), 100); // in pieces of any size
                  take(bytes.data() + 100, bytes.size() - 100);
              });
    const std::vector<Complex> found = Hdf5Reader(folder.file("fhd.h5")).read_complex("fhd");
    ASSERT_EQ(found.size(), 12U);
    for (Eigen::Index n = 0; n < 12; ++n) {
        EXPECT_EQ(found[static_cast<std::size_t>(n)], all(n));
    }
}

TEST(ImageFile, ValuesBeyondTheFilesNumbersAreRefused) {
    const auto put = [](double value, Precision precision) {
        FileValues values(2, precision);
        values.put(0, ComplexVector::Constant(2, Complex(0, value)));
    };
    EXPECT_NO_THROW(put(0, Precision::float32)); // a frame of zeros is one
    EXPECT_NO_THROW(put(1e-60, Precision::float32));
    EXPECT_THROW(put(1e39, Precision::float32), ToleranceError);
    EXPECT_NO_THROW(put(1e39, Precision::float64));
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        EXPECT_THROW(put(std::nan(""), precision), DeviceError);
        EXPECT_THROW(put(INFINITY, precision), DeviceError);
        EXPECT_THROW(require_an_image(0, precision), InputError);
    }
    EXPECT_THROW(require_an_image(1e-60), ToleranceError);
    EXPECT_NO_THROW(require_an_image(1e-60, Precision::float64));
}

} // namespace
} // namespace lsrecon
