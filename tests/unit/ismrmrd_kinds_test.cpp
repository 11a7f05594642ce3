#ifdef LSRECON_WITH_ISMRMRD

#include <functional>
#include <gtest/gtest.h>

#include "io/formats.hpp"
#include "ismrmrd_maker.hpp"

// What the acquisitions of a frame have in common: coils, trajectory, partitions and slices.

namespace lsrecon::ismrmrd_test {
namespace {

// The frames that are read agree among themselves; the first of the file has no say.
TEST(IsmrmrdKinds, WhatIsLeftOutMayBeOfAnotherKind) {
    const Acquisition first = readout(8, 1, 2);
    for (Acquisition second : {readout(8, 1, 3), readout(8, 1, 0), readout(8, 2, 2)}) {
        second.idx().contrast = 1;
        const std::string path = write({first, second, second});
        ReadOptions options;
        options.counters[1] = IndexList("1");
        const Scan scan = read_ismrmrd(path, options);
        ASSERT_EQ(scan.frames.size(), 1u);
        EXPECT_EQ(scan.coils(), second.active_channels());
        EXPECT_EQ(scan.frames[0].samples.columns(), 16u);
        EXPECT_EQ(scan.trajectory_units.empty(), second.trajectory_dimensions() == 0);
        options.counters[1] = IndexList("0");
        EXPECT_EQ(read_ismrmrd(path, options).frames[0].samples.columns(), 8u);
        EXPECT_TRUE(has(refusal([&] { read_ismrmrd(path); }).expected, "as in acquisition 0"));
    }
}

// A dummy that nothing flags, without samples, trajectory or coils.
TEST(IsmrmrdKinds, AcquisitionsWithoutSamplesSayNothing) {
    const Acquisition empty = readout(0, 1, 0);
    const Acquisition line = readout(8, 2, 2);
    const Scan scan = read({empty, line, empty, line});
    EXPECT_EQ(scan.coils(), 2u);
    EXPECT_EQ(scan.frames[0].samples.columns(), 16u);
    ReadOptions options;
    options.spokes_per_frame = 2; // which it is none of
    EXPECT_EQ(read_ismrmrd(write({empty, line, line}), options).frames[0].label, "readouts 0-1");
    EXPECT_EQ(test::lacks(refusal([&] { read({empty}); }).found,
                          {"none", "1 acquisition without samples"}),
              "");
}

/// The header is packed: a reference to its member may lie at any address.
void set_measurement(Acquisition& acquisition, std::uint32_t uid) {
    ISMRMRD::AcquisitionHeader header = acquisition.getHead();
    header.measurement_uid = uid;
    acquisition.setHead(header);
}

TEST(IsmrmrdKinds, SeveralMeasurementsOfAnImageAreNoted) {
    std::vector<Acquisition> acquisitions(4, readout(8, 1, 2));
    acquisitions[0].setFlag(19); // noise of a scan before
    for (std::size_t i = 0; i < 4; ++i) {
        set_measurement(acquisitions[i], i == 0 ? 5 : 70000);
    }
    EXPECT_FALSE(found(read(acquisitions), Found::several_measurements));
    set_measurement(acquisitions[2], 6);
    const Finding several = test::find(read(acquisitions).findings, Found::several_measurements);
    EXPECT_EQ(several.number("count"), 2);
    EXPECT_EQ(several.word("first"), "6, 70000");
}

/// One spoke of each of `partitions`, in three trajectory dimensions, kz by the function.
std::vector<Acquisition> stack(int partitions, const std::function<float(int, int)>& kz) {
    std::vector<Acquisition> acquisitions;
    for (int partition = 0; partition < partitions; ++partition) {
        acquisitions.push_back(readout(8, 1, 3));
        acquisitions.back().idx().kspace_encode_step_2 = static_cast<uint16_t>(partition);
        for (int i = 0; i < 8; ++i) {
            acquisitions.back().traj(2, static_cast<uint16_t>(i)) = kz(partition, i);
        }
    }
    return acquisitions;
}

// Zeros or density weights where kz should be.
TEST(IsmrmrdSlices, PartitionsWithoutAKzAreNotSummed) {
    const std::string xml = header({8, 8, 4, 240, 240, 20}, {8, 8, 4, 240, 240, 20});
    for (const float slope : {0.0F, 0.125F}) {
        const auto same = [=](int, int i) { return slope * static_cast<float>(i); };
        const Fault fault = refusal([&] { read(stack(4, same), xml, "cycles/fov"); });
        EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "kz"}), "");
        EXPECT_TRUE(has(fault.found, "the same in every acquisition")) << fault.found;
        EXPECT_TRUE(has(fault.next_step, "a 2D trajectory")) << fault.next_step;
        if (slope > 0) {
            EXPECT_EQ(read(stack(1, same), xml, "cycles/fov").frames.size(), 1u);
        }
        const auto own = [=](int partition, int i) {
            return static_cast<float>(partition - 2) + slope * static_cast<float>(i);
        };
        const Scan scan = read(stack(4, own), xml, "cycles/fov");
        EXPECT_EQ(scan.frames[0].trajectory->positions[8][2], -1);
    }
}

// Equal to rounding, or rising from each acquisition to the next.
TEST(IsmrmrdSlices, DensityWeightsAndTimesAreNoKz) {
    const std::string xml = header({8, 8, 4, 240, 240, 20}, {8, 8, 4, 240, 240, 20});
    const auto rounded = [](int partition, int i) {
        return 0.125F * static_cast<float>(i - 4) * (1 + 1e-6F * static_cast<float>(partition));
    };
    Fault fault = refusal([&] { read(stack(4, rounded), xml, "cycles/fov"); });
    EXPECT_TRUE(has(fault.found, "the same in every acquisition")) << fault.found;
    const auto times = [](int partition, int i) {
        return 0.05F * static_cast<float>(8 * partition + i);
    };
    fault = refusal([&] { read(stack(4, times), xml, "cycles/fov"); });
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "kz"}), "");
    EXPECT_TRUE(has(fault.found, "never below 0")) << fault.found;
    EXPECT_TRUE(has(fault.next_step, "a 2D trajectory")) << fault.next_step;

    std::vector<Acquisition> slices =
        stack(4, [](int, int i) { return 0.125F * static_cast<float>(i); });
    for (std::size_t i = 0; i < 4; ++i) {
        slices[i].idx().kspace_encode_step_2 = 0;
        slices[i].idx().slice = static_cast<uint16_t>(i);
    }
    fault = refusal([&] { read(slices, xml, "cycles/fov"); });
    EXPECT_TRUE(has(fault.next_step, "matrixSize/z 1")) << fault.next_step;
    // Of two partitions, or along z itself, kz may be all of this.
    const std::string two = header({8, 8, 2, 240, 240, 10}, {8, 8, 2, 240, 240, 10});
    const auto upward = [](int partition, int) { return static_cast<float>(partition); };
    EXPECT_EQ(read(stack(2, upward), two, "cycles/fov").frames.size(), 1u);
    const auto along = [](int partition, int i) {
        return static_cast<float>(i % 4 - 2) + 0.1F * static_cast<float>(partition);
    };
    EXPECT_EQ(read(stack(4, along), xml, "cycles/fov").frames.size(), 1u);
}

TEST(IsmrmrdSlices, AMatrixOfTheirNumberIsThatOfTwoDimensions) {
    const std::string xml = header({8, 8, 3, 240, 240, 15}, {8, 8, 3, 240, 240, 15});
    for (const int dimensions : {0, 2}) {
        std::vector<Acquisition> acquisitions(3, readout(8, 1, dimensions));
        for (std::size_t i = 0; i < 3; ++i) {
            acquisitions[i].idx().slice = static_cast<uint16_t>(i);
            acquisitions[i].idx().kspace_encode_step_1 = 4;
        }
        const Scan scan = read(acquisitions, xml, "cycles/fov");
        EXPECT_EQ(scan.grid.dimensions, 2);
        EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 1}));
        EXPECT_EQ(scan.frames.size(), 3u);
        EXPECT_TRUE(test::find(scan.findings, Found::slices_assumed).number("slices") > 1);
        ReadOptions options;
        options.counters[0] = IndexList("1"); // what is chosen changes nothing
        options.trajectory_units = "cycles/fov";
        EXPECT_EQ(read_ismrmrd(write(acquisitions, xml), options).grid.dimensions, 2);
        // Slabs of several partitions are volumes, and so is what is joined.
        std::vector<Acquisition> slabs = acquisitions;
        slabs.insert(slabs.end(), acquisitions.begin(), acquisitions.end());
        for (std::size_t i = 0; i < 3; ++i) {
            slabs[i].idx().kspace_encode_step_2 = 2;
        }
        EXPECT_EQ(read(slabs, xml, "cycles/fov").grid.dimensions, 3);
        options = {};
        options.trajectory_units = "cycles/fov";
        options.join = {"slice"};
        for (std::size_t i = 0; i < 3; ++i) {
            acquisitions[i].idx().kspace_encode_step_2 = static_cast<uint16_t>(i);
        }
        EXPECT_EQ(read_ismrmrd(write(acquisitions, xml), options).grid.dimensions, 3);
        // Each has a partition of its own: slices, or partitions that were counted as slices.
        Fault fault = refusal([&] { read(acquisitions, xml, "cycles/fov"); });
        EXPECT_EQ(fault.thing, "/dataset/xml, encodedSpace/matrixSize/z");
        EXPECT_EQ(test::lacks(fault.found, {"3", "kspace_encode_step_2 (0-2"}), "");
        EXPECT_TRUE(has(fault.next_step, "`join` slice")) << fault.next_step;
        acquisitions.resize(2); // as many as z is are meant
        acquisitions[1].idx().kspace_encode_step_2 = 0;
        fault = refusal([&] { read(acquisitions, xml, "cycles/fov"); });
        EXPECT_TRUE(has(fault.expected, "1 for the slices 0-1 of idx.slice")) << fault.expected;
    }
}

// Three slices where the header has four partitions, and one kspace_encode_step_2 in all.
TEST(IsmrmrdSlices, WithOnePartitionInAllTheyCannotBeJoined) {
    std::vector<Acquisition> slices(3, readout(8, 1, 2));
    for (std::size_t i = 0; i < 3; ++i) {
        slices[i].idx().slice = static_cast<uint16_t>(i);
    }
    const std::string xml = header({8, 8, 4, 240, 240, 20}, {8, 8, 4, 240, 240, 20});
    Fault fault = refusal([&] { read(slices, xml, "cycles/fov"); });
    EXPECT_FALSE(has(fault.next_step, "`join`")) << fault.next_step;
    EXPECT_EQ(test::lacks(fault.next_step, {"`header` matrix=8,8,1", "slices"}), "");
    EXPECT_EQ(read(slices, header({8, 8, 4, 240, 240, 20}, {8, 8, 1, 240, 240, 5}), "cycles/fov")
                  .grid.dimensions,
              2)
        << "images of one plane each are asked for";
    ReadOptions options;
    options.join = {"slice"};
    fault = refusal([&] { read_ismrmrd(write(slices, xml), options); });
    EXPECT_EQ(fault.thing, "/dataset/xml, encodedSpace/matrixSize/z");
    EXPECT_TRUE(has(fault.expected, "for each partition")) << fault.expected;
}

// Some converters write 2 for z of a single slice, others what a volume would have.
TEST(IsmrmrdSlices, OnePartitionWithoutAKzIsNoVolume) {
    for (const int dimensions : {0, 2}) {
        for (const int z : {2, 3, 16}) {
            const Sizes encoded{8, 8, z, 240, 240, 5};
            std::vector<Acquisition> lines(4, readout(8, 1, dimensions));
            for (std::size_t i = 0; i < 4; ++i) {
                lines[i].idx().kspace_encode_step_1 = static_cast<uint16_t>(i);
                lines[i].idx().repetition = static_cast<uint16_t>(i / 2);
            }
            for (const Sizes& recon : {Sizes{}, encoded}) {
                const Scan scan = read(lines, header(encoded, recon), "cycles/fov");
                EXPECT_EQ(scan.grid.dimensions, 2);
                EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 1}));
                EXPECT_EQ(scan.frames.size(), 2u);
                const Finding slice = test::find(scan.findings, Found::slices_assumed);
                EXPECT_EQ(slice.number("z"), z);
                EXPECT_EQ(slice.number("slices"), 1);
            }
            lines[3].idx().kspace_encode_step_2 = 1;
            EXPECT_EQ(read(lines, header(encoded, encoded), "cycles/fov").grid.dimensions, 3);
        }
    }
    // Where a kz is stored, it is known after all acquisitions.
    const std::string xml = header({8, 8, 2, 240, 240, 10}, {8, 8, 1, 240, 240, 5});
    const Fault fault =
        refusal([&] { read(stack(1, [](int, int) { return 0.0F; }), xml, "cycles/fov"); });
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "kz"}), "");
    EXPECT_EQ(fault.found, "0 in every sample");
    EXPECT_TRUE(has(fault.next_step, "`header` matrix=8,8,1")) << fault.next_step;
}

// As some simulators write volumes.
TEST(IsmrmrdSlices, AVolumeWithAHeaderOfOneSliceIsRefused) {
    const std::string flat = header({8, 8, 1, 240, 240, 1}, {8, 8, 1, 240, 240, 1});
    for (const float sign : {1.0F, -1.0F}) {
        const auto along = [=](int, int i) { return sign * static_cast<float>(i - 4); };
        const Fault fault = refusal([&] { read(stack(1, along), flat); });
        EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "third"}), "");
        EXPECT_FALSE(has(fault.thing, "kz")) << fault.thing;
        EXPECT_EQ(fault.found, text("from ", sign > 0 ? "-4 to 3" : "-3 to 4",
                                    ", like kz; largest |k| of the first two 4 x 0.25"));
        EXPECT_TRUE(has(fault.next_step, "`header` matrix=8,8,Z and `header` fov_mm=240,240,Z"))
            << fault.next_step;
        ReadOptions options;
        options.header = {{"matrix", {8, 8, 8}}, {"fov_mm", {240, 240, 240}}};
        EXPECT_EQ(read_ismrmrd(write(stack(1, along), flat), options).grid.dimensions, 3);
        options.header = {{"matrix", {8, 8, 1}}};
        EXPECT_EQ(read_ismrmrd(write(stack(1, along), flat), options).grid.dimensions, 2);
    }
    for (const auto& harmless : std::vector<std::function<float(int, int)>>{
             [](int, int i) { return 0.125F * static_cast<float>(i); }, // density weights
             [](int, int i) { return 0.01F * static_cast<float>(i - 4); }, // eddy currents
             [](int, int) { return -3.0F; }}) {
        const Finding unused =
            test::find(read(stack(1, harmless), flat).findings, Found::dimensions_unused);
        EXPECT_EQ(unused.number("used"), 2);
        EXPECT_EQ(unused.number("stored"), 3);
    }
    EXPECT_FALSE(
        found(read(stack(1, [](int, int) { return -1e-7F; }), flat), Found::dimensions_unused));
}

TEST(IsmrmrdSlices, TheirCenterInTheHeaderIsNamed) {
    std::vector<Acquisition> partitions(8, readout(8, 1, 2));
    for (std::size_t i = 0; i < 8; ++i) {
        partitions[i].idx().kspace_encode_step_2 = static_cast<uint16_t>(i);
    }
    const Sizes sizes{8, 8, 8, 240, 240, 40};
    const auto limits = [&](int center) {
        return header(sizes, sizes,
                      text("<kspace_encoding_step_2><minimum>0</minimum><maximum>7</maximum>"
                           "<center>",
                           center, "</center></kspace_encoding_step_2>"));
    };
    EXPECT_EQ(read(partitions, limits(4), "cycles/fov").frames.size(), 1u);
    const Fault fault = refusal([&] { read(partitions, limits(0), "cycles/fov"); });
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "acquisition 5", "kspace_encode_step_2",
                                        "center in encodingLimits"}),
              "");
    EXPECT_EQ(fault.found, "5 less 0, kz 5 cycles per FOV");
    EXPECT_TRUE(has(fault.next_step, "kspace_encoding_step_2/center")) << fault.next_step;
}

TEST(IsmrmrdSlices, WithAFlatThirdDimensionTheyAreNoVolumes) {
    std::vector<Acquisition> slices = stack(2, [](int, int) { return 0.0F; });
    for (std::size_t i = 0; i < 2; ++i) {
        slices[i].idx().kspace_encode_step_2 = 0;
        slices[i].idx().slice = static_cast<uint16_t>(i);
    }
    const std::string xml = header({8, 8, 2, 240, 240, 10}, {8, 8, 2, 240, 240, 10});
    EXPECT_EQ(test::lacks(refusal([&] { read(slices, xml, "cycles/fov"); }).thing,
                          {"/dataset/data", "frame slice 0", "kz"}),
              "");
    const std::string flat = header({8, 8, 1, 240, 240, 5}, {8, 8, 1, 240, 240, 5});
    EXPECT_EQ(read(slices, flat, "cycles/fov").frames.size(), 2u);
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
