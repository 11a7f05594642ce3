#include "io/observers.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "io/hdf5/writer.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;
using Extents = std::vector<std::size_t>;

std::string truth_file(const TemporaryFolder& folder, const Extents& extents,
                       const std::vector<Complex>& values) {
    const std::string path = folder.file("truth.h5");
    Hdf5Writer file(path, path);
    file.complex64("image", extents, values.data());
    file.close();
    return path;
}

/// Two frames of 2 x 1 voxels.
Scan scan_of_two_frames() {
    Scan scan;
    scan.file = "scan.h5";
    scan.grid = test::make_grid(2, 1);
    scan.frames.resize(2);
    return scan;
}

TEST(Truth, TheErrorIsThatOfMagnitudesRelativeToTheTruth) {
    const TemporaryFolder folder;
    const Truth truth(truth_file(folder, {2, 1, 2}, {3, 0, 0, {0, 4}}));
    truth.require_size_of(scan_of_two_frames());
    Image image;
    image.frames.resize(2);
    image.frames[0].values = ComplexVector::Zero(2);
    image.frames[1].values = ComplexVector::Zero(2);
    image.frames[0].values(0) = -3;
    EXPECT_DOUBLE_EQ(truth.error_of(image.frames, values_of(image)).value(), 0.8);
    image.frames[1].values(1) = 4;
    EXPECT_DOUBLE_EQ(truth.error_of(image.frames, values_of(image)).value(), 0);
}

TEST(Truth, FramesThatFailedDoNotCount) {
    const TemporaryFolder folder;
    const Truth truth(truth_file(folder, {2, 1, 2}, {3, 0, 0, 0}));
    Image image;
    image.frames.resize(2);
    image.frames[0].values = ComplexVector::Constant(2, 3);
    image.frames[1].values = ComplexVector::Constant(2, std::numeric_limits<double>::quiet_NaN());
    image.frames[1].error = "failed";
    EXPECT_DOUBLE_EQ(truth.error_of(image.frames, values_of(image)).value(), 1);
    std::swap(image.frames[0], image.frames[1]);
    EXPECT_FALSE(truth.error_of(image.frames, values_of(image)).has_value());
}

TEST(Truth, OfAnotherSizeIsRefusedAsSoonAsTheScanIsKnown) {
    const TemporaryFolder folder;
    const std::vector<Complex> values(8, 1);
    for (const Extents& other :
         {Extents{1, 1, 2}, Extents{2, 2, 1}, Extents{4}, Extents{2, 2, 2}}) {
        EXPECT_THROW(Truth(truth_file(folder, other, values)).require_size_of(scan_of_two_frames()),
                     InputError)
            << shown(other);
    }
    Scan one_frame = scan_of_two_frames();
    one_frame.frames.resize(1);
    for (const Extents& same : {Extents{1, 1, 2}, Extents{1, 2}, Extents{2}}) {
        EXPECT_NO_THROW(Truth(truth_file(folder, same, values)).require_size_of(one_frame))
            << shown(same);
    }
}

TEST(Truth, WithoutANormIsRefused) {
    const TemporaryFolder folder;
    EXPECT_THROW(Truth(truth_file(folder, {1, 2}, {0, 0})), InputError);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(Truth(truth_file(folder, {1, 2}, {1, nan})), InputError);
    EXPECT_THROW(Truth(folder.file("missing.h5")), InputError);
}

} // namespace
} // namespace lsrecon
