#ifdef LSRECON_WITH_ISMRMRD

#include "io/ismrmrd/formats.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

#include "ismrmrd_maker.hpp"

namespace lsrecon::ismrmrd_test {
namespace {

TEST(IsmrmrdRefusals, NothingKeptIsRefusedWithTheReason) {
    Acquisition noise = readout(8, 1, 2);
    noise.setFlag(19);
    const Fault fault = refusal([&] { read({noise}); });
    EXPECT_EQ(test::lacks(fault.found, {"left out 1 acquisition", "noise measurement"}), "");
}

TEST(IsmrmrdRefusals, DiscardOfMoreThanThereIsIsRefused) {
    Acquisition a = readout(8, 1, 2);
    a.discard_pre() = 5;
    a.discard_post() = 4;
    const Fault fault = refusal([&] { read({readout(8, 1, 2), a}); });
    EXPECT_EQ(test::lacks(fault.thing, {"acquisition 1", "discard_pre", "discard_post"}), "");
    EXPECT_EQ(fault.found, "5 + 4");
    a.discard_post() = 3;
    EXPECT_EQ(refusal([&] { read({a}); }).found, "no samples");
}

TEST(IsmrmrdRefusals, CartesianBeyondTheMatrixNamesTheField) {
    Acquisition a = readout(8, 1, 0);
    a.center_sample() = 0;
    const Fault fault = refusal([&] { read({a}); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 0, center_sample");
    EXPECT_EQ(fault.found, "a sample at 7 cycles per FOV");
}

TEST(IsmrmrdRefusals, PartitionsOfTwoDimensionsAreNotSummed) {
    for (const int dimensions : {0, 2}) {
        std::vector<Acquisition> acquisitions(3, readout(8, 1, dimensions));
        for (Acquisition& a : acquisitions) {
            a.idx().kspace_encode_step_2 = 5;
        }
        EXPECT_EQ(read(acquisitions).frames[0].samples.columns(), 24u);
        acquisitions[2].idx().kspace_encode_step_2 = 6;
        const Fault fault = refusal([&] { read(acquisitions); });
        EXPECT_EQ(fault.thing, "/dataset/data, acquisition 2, kspace_encode_step_2");
        EXPECT_EQ(fault.found, "6");
        EXPECT_TRUE(has(fault.expected, "5 as in acquisition 0 of its frame")) << fault.expected;
        acquisitions[2].idx().slice = 1;
        EXPECT_EQ(read(acquisitions).frames.size(), 2u);
        acquisitions[2].setFlag(20); // for coil maps alone, in a slice of its own
        acquisitions[2].idx().slice = 0;
        acquisitions[1].setFlag(20);
        EXPECT_EQ(refusal([&] { read(acquisitions); }).thing,
                  "/dataset/data, acquisition 2, kspace_encode_step_2");
    }
}

TEST(IsmrmrdRefusals, TrajectoriesPerMillimetreAreDistinguishedFromCyclesPerVoxel) {
    Acquisition spoke = readout(8, 1, 2);
    for (uint16_t i = 0; i < 8; ++i) {
        spoke.traj(0, i) *= 0.1F; // 0.4, the edge of voxels of 1.25 mm
        spoke.traj(1, i) = 0;
    }
    const Sizes sizes{48, 48, 1, 60, 60, 5};
    const Fault fault = refusal([&] { read({spoke}, header(sizes, sizes)); });
    EXPECT_TRUE(has(fault.expected, "in 1/mm")) << fault.expected;
    EXPECT_TRUE(has(fault.next_step, "1/m (1000 times 1/mm); or pass `traj_units`"))
        << fault.next_step;
    const Sizes large{48, 48, 1, 96, 96, 5};
    EXPECT_TRUE(
        has_fact_with(read({spoke}, header(large, large)), {"cycles/voxel", "0.8 x 0 of N/2"}));
}

TEST(IsmrmrdRefusals, TrajectoriesPerCentimetreAreDistinguishedFromRadPerVoxel) {
    Acquisition spoke = readout(8, 1, 2);
    for (uint16_t i = 0; i < 8; ++i) {
        spoke.traj(0, i) *= 0.625F; // 2.5, the edge of voxels of 2 mm
        spoke.traj(1, i) = 0;
    }
    const Sizes sizes{48, 48, 1, 96, 96, 5};
    const Fault fault = refusal([&] { read({spoke}, header(sizes, sizes)); });
    EXPECT_TRUE(has(fault.expected, "in 1/cm")) << fault.expected;
    EXPECT_TRUE(has(fault.next_step, "100 times 1/cm")) << fault.next_step;
    EXPECT_EQ(read({spoke}, header(sizes, sizes), "rad/voxel").trajectory_units, "rad/voxel");
    const Sizes smaller{48, 48, 1, 84, 84, 5};
    const Scan ambiguous = read({spoke}, header(smaller, smaller));
    EXPECT_EQ(test::find(ambiguous.findings, Found::units_ambiguous).word("unit"), "1/cm");
}

// A header with a matrix that is smaller along y than what was sampled.
TEST(IsmrmrdRefusals, BeyondTheMatrixMayBeWithinThatOfTheImage) {
    Acquisition spoke = readout(48, 1, 2); // -24 to 23 cycles/fov
    for (uint16_t i = 0; i < 48; ++i) {
        spoke.traj(1, i) = static_cast<float>(i) - 24;
    }
    const Sizes sizes{48, 36, 1, 240, 240, 5};
    const std::string path = write({spoke}, header(sizes, sizes));
    const Fault fault = refusal([&] { read_scan(path); });
    EXPECT_TRUE(has(fault.next_step, "`matrix`")) << fault.next_step;
    ReadOptions options;
    options.trajectory_units = "cycles/fov";
    EXPECT_TRUE(has(refusal([&] { read_scan(path, options); }).next_step, "`matrix`"));
    options.image.matrix = {36, 36}; // samples beyond its N/2 are for the geometry to leave out
    EXPECT_EQ(read_scan(path, options).frames[0].samples.columns(), 48u);
    options.image.matrix = {48, 48};
    options.trajectory_units = "";
    EXPECT_TRUE(
        has_fact_with(read_scan(path, options), {"cycles/fov", "1 x 1 of N/2", "and `matrix`"}));
    options.trajectory_units = "cycles/voxel";
    EXPECT_TRUE(has(refusal([&] { read_scan(path, options); }).thing, "trajectory"));
}

TEST(IsmrmrdRefusals, OneTrajectoryDimensionIsRefused) {
    const Fault fault = refusal([&] { read({readout(8, 1, 1)}); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 0, trajectory_dimensions");
}

TEST(IsmrmrdRefusals, AmbiguousUnitsAreRefusedWithTheNumbers) {
    Sizes sizes{64, 64, 1, 800, 800, 5};
    const Fault fault = refusal([&] { read({readout(60, 1, 2)}, header(sizes, sizes)); });
    EXPECT_EQ(fault.file, file_name());
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "units"}), "");
    EXPECT_EQ(test::lacks(fault.found, {"30 x 0.25", "64 x 64 x 1", "800 x 800 x 5 mm"}), "");
    EXPECT_TRUE(has(fault.expected, "0.9375 x 0.0078125 in cycles/fov")) << fault.expected;
    EXPECT_TRUE(has(fault.expected, "0.75 x 0.00625 in 1/m")) << fault.expected;
    EXPECT_TRUE(has(fault.next_step, "pass `traj_units` UNIT")) << fault.next_step;
    const Scan scan = read({readout(60, 1, 2)}, header(sizes, sizes), "1/m");
    EXPECT_DOUBLE_EQ(scan.frames[0].trajectory->positions[0][0], -24);
}

TEST(IsmrmrdRefusals, AcquisitionsThatDisagreeAreRefused) {
    Fault fault = refusal([&] { read({readout(8, 2, 2), readout(8, 3, 2)}); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 1, active_channels");
    EXPECT_EQ(fault.found, "3");
    EXPECT_EQ(fault.expected, "2 as in acquisition 0");
    fault = refusal([&] { read({readout(8, 2, 2), readout(8, 2, 3)}); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 1, trajectory_dimensions");
    Acquisition second = readout(8, 2, 2);
    second.encoding_space_ref() = 1;
    fault = refusal([&] { read({second}); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 0, encoding_space_ref");
    EXPECT_EQ(fault.found, "1");
}

TEST(IsmrmrdRefusals, BadHeadersAreRefused) {
    const std::string good = header({}, {});
    Fault fault = refusal([&] { read({readout(8, 1, 2)}, good.substr(0, good.size() / 2)); });
    EXPECT_EQ(fault.thing, "/dataset/xml");
    Sizes empty;
    empty.x = 0;
    fault = refusal([&] { read({readout(8, 1, 2)}, header(empty, empty)); });
    EXPECT_EQ(fault.thing, "/dataset/xml, encoding/encodedSpace/matrixSize/x");
}

TEST(IsmrmrdRefusals, AnUnknownCounterToJoinIsAUsageError) {
    const std::string path = write({readout(8, 1, 2)});
    ReadOptions options;
    options.join = {"average"};
    EXPECT_THROW(read_scan(path, options), UsageError);
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(IsmrmrdFileAccess, AReadOnlyFileIsReadAndAWritableOneIsLeftAlone) {
    namespace fs = std::filesystem;
    const std::string path = write({readout(8, 1, 2)});
    const std::string before = bytes_of(path);
    const auto time = fs::last_write_time(path);
    read_ismrmrd(path);
    fs::permissions(path, fs::perms::owner_read);
    EXPECT_EQ(read_ismrmrd(path).coils(), 1u);
    EXPECT_EQ(bytes_of(path), before);
    EXPECT_EQ(fs::last_write_time(path), time);
}

// libismrmrd would open the file for writing, and HDF5 then wants it for itself alone.
TEST(IsmrmrdFileAccess, AnotherReaderDoesNotLockUsOut) {
    const std::string path = write({readout(8, 1, 2)});
    const int other = open(path.c_str(), O_RDONLY);
    ASSERT_EQ(flock(other, LOCK_SH), 0);
    EXPECT_EQ(read_ismrmrd(path).coils(), 1u);
    close(other);
}

// The header promises more than the arrays hold; libismrmrd itself would read past their end.
TEST(IsmrmrdRefusals, ArraysShorterThanPromisedAreRefused) {
    Acquisition a = readout(8, 1, 2);
    a.available_channels() = 7;
    const std::string path = write({a});
    std::string bytes = bytes_of(path);
    // number_of_samples, available_channels, active_channels as they lie in the file.
    const std::size_t offset = bytes.find(std::string("\x08\0\x07\0\x01\0", 6));
    ASSERT_NE(offset, std::string::npos);
    bytes[offset] = 9;
    std::ofstream(path, std::ios::binary) << bytes;
    const Fault fault = refusal([&] { read_ismrmrd(path); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 0, traj");
    EXPECT_EQ(fault.found, "16 numbers");
    EXPECT_TRUE(has(fault.expected, "18 for 9 samples")) << fault.expected;
}

TEST(IsmrmrdRefusals, ATruncatedFileIsRefused) {
    const std::string path = write({readout(200, 4, 2), readout(200, 4, 2)});
    const std::string bytes = bytes_of(path);
    std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    EXPECT_EQ(refusal([&] { read_ismrmrd(path); }).file, path);
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
