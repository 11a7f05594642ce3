#include "scan/map_previews.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/image/file.hpp"
#include "io/image/map_previews.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

Scan scan_of(const Grid& grid, std::size_t coils) {
    Scan scan;
    scan.grid = grid;
    scan.coil_maps = CoilMatrix(test::Random(coils).matrix(
        static_cast<Eigen::Index>(coils), static_cast<Eigen::Index>(grid.voxels())));
    return scan;
}

/// An image of the scan's grid that is 1 everywhere, with previews.
Image image_of(const Scan& scan, const MapPreviews& previews) {
    Image image = empty_image(scan);
    image.frames.resize(1);
    image.frames[0].values = ComplexVector::Ones(static_cast<Eigen::Index>(scan.grid.voxels()));
    image.map_previews = previews;
    return image;
}

TEST(MapPreviews, AreTheMapsAtEveryFewVoxelsOfTheMiddleSlice) {
    struct {
        Grid grid;
        std::size_t coils, step, width, height;
    } const cases[] = {
        {test::make_grid(1, 1), 1, 1, 1, 1},          {test::make_grid(64, 7), 3, 1, 64, 7},
        {test::make_grid(65, 64), 2, 2, 33, 32},      {test::make_grid(2, 193), 32, 4, 1, 49},
        {test::make_grid(130, 50, 5), 33, 3, 44, 17}, {test::make_grid(9, 128, 4), 40, 2, 5, 64}};
    for (const auto& of : cases) {
        const Scan scan = scan_of(of.grid, of.coils);
        const MapPreviews previews = previews_of_maps(scan, 7);
        EXPECT_EQ(previews.step, of.step);
        EXPECT_EQ(previews.size, (std::array<std::size_t, 2>{of.width, of.height}));
        EXPECT_EQ(previews.coils, of.coils);
        EXPECT_EQ(previews.frame, 7U);
        ASSERT_EQ(previews.values.rows(), std::min<std::size_t>(of.coils, 32));
        ASSERT_EQ(previews.values.columns(), of.width * of.height);
        const std::size_t middle = of.grid.size[2] / 2;
        EXPECT_EQ(previews.slice.value_or(0), middle);
        EXPECT_EQ(previews.slice.has_value(), of.grid.dimensions == 3);
        for (std::size_t c = 0; c < previews.values.rows(); ++c) {
            for (std::size_t n = 0; n < previews.values.columns(); ++n) {
                const std::size_t x = n % of.width * of.step;
                const std::size_t y = n / of.width * of.step;
                const Complex map =
                    scan.coil_maps(c, x + of.grid.size[0] * (y + of.grid.size[1] * middle));
                EXPECT_EQ(previews.values(c, n), Complex(std::complex<float>(map)));
            }
        }
    }
}

TEST(MapPreviews, AreNoneWhereThereIsNothingToSee) {
    Scan scan = scan_of(test::make_grid(5, 4, 3), 2);
    EXPECT_FALSE(previews_of_maps(scan, {}).values.empty());
    Scan listed = scan;
    listed.voxels.emplace(60);
    EXPECT_TRUE(previews_of_maps(listed, {}).values.empty()) << "off the grid";
    Scan dark = scan;
    dark.coil_maps.doubles().middleCols(20, 20).setZero(); // the middle slice
    EXPECT_TRUE(previews_of_maps(dark, {}).values.empty()) << "zeros";
    scan.coil_maps.doubles() *= 1e300;
    EXPECT_TRUE(previews_of_maps(scan, {}).values.empty()) << "beyond floats";
    scan.coil_maps = {};
    EXPECT_TRUE(previews_of_maps(scan, {}).values.empty()) << "no maps";
}

TEST(MapPreviews, AreInTheImageFile) {
    const test::TemporaryFolder folder;
    const Scan scan = scan_of(test::make_grid(70, 33, 2), 34);
    const MapPreviews previews = previews_of_maps(scan, 3);
    write_image(folder.file("i.h5"), image_of(scan, previews));
    const Hdf5Reader file(folder.file("i.h5"));
    const MapPreviews read = read_map_previews(file);
    EXPECT_EQ(in_words(read),
              "32 of 34 coils, slice 1, frame 3, one of 2 voxels in each direction");
    const std::vector<Complex> values = file.read_complex(map_previews_dataset);
    ASSERT_EQ(values.size(), 32U * 17 * 35);
    EXPECT_EQ(values[17 * 35 + 36], previews.values(1, 36));

    write_image(folder.file("none.h5"), image_of(scan, {}));
    EXPECT_FALSE(Hdf5Reader(folder.file("none.h5")).has(map_previews_dataset));
}

TEST(MapPreviews, OfAnotherGridAreRefused) {
    const test::TemporaryFolder folder;
    const Scan scan = scan_of(test::make_grid(70, 33), 2);
    const auto refused = [&](MapPreviews previews) {
        write_image(folder.file("i.h5"), image_of(scan, previews));
        EXPECT_THROW(read_map_previews(Hdf5Reader(folder.file("i.h5"))), InputError);
    };
    MapPreviews wrong = previews_of_maps(scan, {});
    wrong.step = 3;
    refused(wrong);
    wrong.step = 0;
    refused(wrong);
    wrong = previews_of_maps(scan, {});
    wrong.coils = 3;
    refused(wrong);
    wrong = previews_of_maps(scan_of(test::make_grid(70, 36), 2), {});
    refused(wrong);
    wrong = {scan.coil_maps, {70, 33}, 1, 2, {}, {}}; // all of them
    refused(wrong);
}

} // namespace
} // namespace lsrecon
