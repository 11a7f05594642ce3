#ifdef LSRECON_WITH_ISMRMRD

#include <cmath>
#include <gtest/gtest.h>

#include "io/formats.hpp"
#include "ismrmrd_maker.hpp"

// Which part of a file is read.

namespace lsrecon::ismrmrd_test {
namespace {

/// The header with a second encoding, of 16 x 16 voxels.
std::string two_encodings() {
    std::string xml = header({}, {});
    const Sizes larger{16, 16, 1, 480, 480, 5};
    const std::string second = "<encoding>" + space("encodedSpace", larger) +
                               "<encodingLimits/><trajectory>other</trajectory></encoding>";
    return xml.insert(xml.find("</ismrmrdHeader>"), second);
}

Acquisition of_encoding(int encoding, float base) {
    Acquisition a = readout(encoding == 0 ? 8 : 16, 1, 2, base);
    a.encoding_space_ref() = static_cast<uint16_t>(encoding);
    return a;
}

TEST(IsmrmrdEncodings, TheFirstWithImageDataOrTheOneAskedForIsRead) {
    Acquisition navigator = of_encoding(0, 7);
    navigator.setFlag(23);
    const std::string second = write({navigator, of_encoding(1, 100)}, two_encodings());
    EXPECT_EQ(read_ismrmrd(second).grid.size[0], 16u);
    Acquisition other_counters = of_encoding(1, 100);
    other_counters.idx().repetition = 7;
    const std::string both = write({other_counters, of_encoding(0, 1)}, two_encodings());
    const Scan first = read_ismrmrd(both);
    EXPECT_EQ(first.grid.size[0], 8u);
    EXPECT_EQ(first.frames[0].samples(0, 0).real(), 1);
    const Finding left_out = test::find(first.findings, Found::encoding_left_out);
    EXPECT_EQ(left_out.number("count"), 1);
    EXPECT_EQ(left_out.number("encoding"), 1);
    EXPECT_EQ(left_out.number("read"), 0);
    EXPECT_EQ(left_out.number("images"), 1);
    ReadOptions options;
    options.encoding = 1;
    const Scan other = read_ismrmrd(both, options);
    EXPECT_EQ(other.grid.fov_mm[0], 480);
    EXPECT_EQ(other.frames[0].samples(0, 0).real(), 100);
}

TEST(IsmrmrdEncodings, OneThatIsMissingIsRefusedWithTheOthers) {
    const std::string path = write({of_encoding(1, 100)}, two_encodings());
    ReadOptions options;
    options.encoding = 0;
    EXPECT_EQ(test::lacks(refusal([&] { read_ismrmrd(path, options); }).next_step,
                          {"`encoding`", "1 (1 acquisition)"}),
              "");
    options.encoding = 2;
    try {
        read_ismrmrd(path, options);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_EQ(test::lacks(error.what(), {"`encoding` 2", "2 encodings", "1 (1 acquisition)"}),
                  "");
    }
}

/// 3 slices, 4 repetitions; the first sample is 100 * slice + repetition.
std::string grid_of_frames() {
    std::vector<Acquisition> acquisitions;
    for (int repetition = 0; repetition < 4; ++repetition) {
        for (int slice = 0; slice < 3; ++slice) {
            Acquisition a = readout(8, 1, 2, static_cast<float>(100 * slice + repetition));
            a.idx().slice = static_cast<uint16_t>(slice);
            a.idx().repetition = static_cast<uint16_t>(repetition);
            acquisitions.push_back(a);
        }
    }
    return write(acquisitions);
}

std::vector<double> first_samples(const Scan& scan) {
    std::vector<double> result;
    for (const Frame& frame : scan.frames) {
        result.push_back(frame.samples(0, 0).real());
    }
    return result;
}

TEST(IsmrmrdChoice, CountersAndFramesChoose) {
    const std::string path = grid_of_frames();
    ReadOptions options;
    options.counters[0] = IndexList("1-2");
    options.counters[3] = IndexList("0,3");
    const Scan scan = read_scan(path, options);
    EXPECT_EQ(first_samples(scan), (std::vector<double>{100, 103, 200, 203}));
    EXPECT_EQ(scan.frames[1].label, "slice 1, repetition 3");
    EXPECT_TRUE(
        has_fact_with(scan, {"left out", "8 frames of 8", "`slice` 1-2", "`repetition` 0,3"}));
    options.frames = IndexList("2");
    const Scan one = read_scan(path, options);
    EXPECT_EQ(first_samples(one), std::vector<double>{200});
    EXPECT_EQ(one.frames[0].label, "slice 2, repetition 0");
    EXPECT_TRUE(one.frame_counters.empty());
}

// What is left out cannot stop the rest from being read.
TEST(IsmrmrdChoice, WhatIsLeftOutIsNotChecked) {
    std::vector<Acquisition> acquisitions;
    for (int i = 0; i < 9; ++i) {
        acquisitions.push_back(readout(8, 1, 2, static_cast<float>(i)));
        acquisitions.back().idx().slice = static_cast<uint16_t>(i % 3);
    }
    acquisitions[4].data(2, 0) = {std::nanf(""), 0};
    const std::string path = write(acquisitions);
    EXPECT_EQ(refusal([&] { read_scan(path); }).thing, "/dataset/data, acquisition 4, data");
    ReadOptions options;
    options.counters[0] = IndexList("0,2");
    const Scan scan = read_scan(path, options);
    EXPECT_EQ(real_parts(scan.frames[0])[8], 3);
    EXPECT_EQ(real_parts(scan.frames[1])[16], 8);
}

TEST(IsmrmrdChoice, NothingChosenIsRefusedWithWhatThereIs) {
    const std::string path = grid_of_frames();
    ReadOptions options;
    options.counters[0] = IndexList("3-9");
    const auto found = [&] { return refusal([&] { read_scan(path, options); }).found; };
    EXPECT_EQ(found(), "no slice 3-9 of `slice` 3-9");
    options.counters[0] = IndexList("0,4-9,2,11"); // some of which are there
    EXPECT_EQ(found(), "no slice 4-9,11 of `slice` 0,4-9,2,11");
    options = {};
    options.frames = IndexList("11,12-14,10-20");
    EXPECT_EQ(found(), "no frame 12-14 of `frames` 11,12-14,10-20");
    options.join = {"slice"};
    options.counters[0] = IndexList("0");
    EXPECT_THROW(read_scan(path, options), UsageError);
}

/// Repetitions that merely enumerate the readouts of one image.
std::string enumerated(int readouts) {
    std::vector<Acquisition> acquisitions;
    for (int i = 0; i < readouts; ++i) {
        Acquisition a = readout(8, 1, 2, static_cast<float>(100 * i));
        a.traj(1, 0) = static_cast<float>(i) / 8;
        a.idx().repetition = static_cast<uint16_t>(i);
        acquisitions.push_back(a);
    }
    return write(acquisitions);
}

TEST(IsmrmrdCut, FramesOfConsecutiveReadouts) {
    ReadOptions options;
    options.join = {"repetition"};
    options.spokes_per_frame = 3;
    const Scan scan = read_scan(enumerated(8), options);
    ASSERT_EQ(scan.frames.size(), 2u);
    EXPECT_EQ(scan.frames[0].label, "readouts 0-2");
    EXPECT_EQ(scan.frames[1].label, "readouts 3-5");
    ASSERT_EQ(scan.frames[1].samples.columns(), 24u);
    EXPECT_EQ(scan.frames[1].samples(0, 8).real(), 400);
    EXPECT_EQ(scan.frames[1].trajectory->positions[8], (Vec3{-4, 0.5, 0}));
    EXPECT_TRUE(has_fact(scan, "left out 2 readouts"));
}

TEST(IsmrmrdCut, TheImageLiesWhereTheFirstChosenFrameDoes) {
    std::vector<Acquisition> acquisitions;
    for (int i = 0; i < 12; ++i) {
        Acquisition a = readout(8, 1, 2);
        a.idx().slice = static_cast<uint16_t>(i / 4);
        set_vector(a.position(), {0, 0, static_cast<float>(10 * (i / 4))});
        set_vector(a.read_dir(), {1, 0, 0});
        set_vector(a.phase_dir(), {0, 1, 0});
        set_vector(a.slice_dir(), {0, 0, 1});
        acquisitions.push_back(a);
    }
    const std::string path = write(acquisitions);
    ReadOptions options;
    options.spokes_per_frame = 2;
    options.frames = IndexList("5");
    const Scan scan = read_scan(path, options);
    ASSERT_EQ(scan.frames.size(), 1U);
    EXPECT_EQ(scan.frames[0].position, (Vec3{0, 0, 20}));
    EXPECT_EQ(scan.grid.position, (Vec3{0, 0, 20}));
}

TEST(IsmrmrdChoice, FramesOfSeveralOrientationsHaveNoneTogether) {
    std::vector<Acquisition> acquisitions;
    for (int i = 0; i < 2; ++i) {
        Acquisition a = readout(8, 1, 2);
        a.idx().slice = static_cast<uint16_t>(i);
        set_vector(a.position(), {1, 2, 3});
        set_vector(a.read_dir(), {1, 0, 0});
        set_vector(a.phase_dir(), {0, i == 0 ? 1.0F : 0.0F, i == 0 ? 0.0F : 1.0F});
        set_vector(a.slice_dir(), {0, i == 0 ? 0.0F : -1.0F, i == 0 ? 1.0F : 0.0F});
        acquisitions.push_back(a);
    }
    const std::string path = write(acquisitions);
    const Scan both = read_scan(path);
    EXPECT_FALSE(both.grid.directions || both.grid.position);
    EXPECT_TRUE(found(both, Found::orientations_differ));
    ReadOptions options;
    options.counters[0] = IndexList("1");
    EXPECT_TRUE(read_scan(path, options).grid.directions);
    for (Acquisition& a : acquisitions) { // of a slice, they would share its maps
        a.idx().set = a.idx().slice;
        a.idx().slice = 0;
    }
    const std::string of_a_slice = write(acquisitions);
    EXPECT_EQ(test::lacks(refusal([&] { read_scan(of_a_slice); }).found,
                          {"several", "set 1", "90 degrees", "set 0"}),
              "");
}

TEST(IsmrmrdCut, AStrideMakesASlidingWindowOrGaps) {
    ReadOptions options;
    options.join = {"repetition"};
    options.spokes_per_frame = 4;
    options.stride = 2;
    const std::string path = enumerated(9);
    Scan scan = read_scan(path, options);
    ASSERT_EQ(scan.frames.size(), 3u);
    EXPECT_EQ(scan.frames[2].label, "readouts 4-7");
    EXPECT_EQ(scan.frames[2].samples(0, 31).real(), 707);
    EXPECT_TRUE(has_fact(scan, "left out 1 readout,"));
    options.frames = IndexList("1");
    scan = read_scan(path, options);
    ASSERT_EQ(scan.frames.size(), 1u);
    EXPECT_EQ(scan.frames[0].label, "readouts 2-5");
    EXPECT_EQ(scan.frames[0].samples(0, 0).real(), 200);
    options.frames = {};
    options.spokes_per_frame = 1;
    options.stride = 4;
    scan = read_scan(path, options);
    EXPECT_EQ(first_samples(scan), (std::vector<double>{0, 400, 800}));
    EXPECT_TRUE(has_fact(scan, "left out 6 readouts"));
}

TEST(IsmrmrdCut, MoreThanThereAreAreRefused) {
    ReadOptions options;
    options.join = {"repetition"};
    options.spokes_per_frame = 9;
    const std::string path = enumerated(9);
    EXPECT_EQ(read_scan(path, options).frames.size(), 1u);
    options.spokes_per_frame = 10;
    EXPECT_THROW(read_scan(path, options), UsageError);
    options.spokes_per_frame = 9;
    options.frames = IndexList("1");
    EXPECT_EQ(refusal([&] { read_scan(path, options); }).expected, "frame 0, the only one");
}

TEST(IsmrmrdDetails, StoredWaveformsAreCounted) {
    const std::string path = write({readout(8, 1, 2)});
    const auto before = read_ismrmrd(path).details;
    ASSERT_EQ(before.size(), 4U);
    EXPECT_EQ(test::lacks(before[0].second, {"other", "8 x 8 x 1", "240 x 240 x 5 mm",
                                             "1 acquisition", "0 of calibration", "read here"}),
              "");
    EXPECT_EQ(test::lacks(before[1].second,
                          {"slice 0", "contrast 0", "phase 0", "repetition 0", "set 0"}),
              "");
    EXPECT_EQ(before[2].second, "0 us (0: not written)");
    {
        ISMRMRD::Dataset file(path.c_str(), "dataset", false);
        const ISMRMRD::Waveform waveform(16, 2);
        file.appendWaveform(waveform);
        file.appendWaveform(waveform);
    }
    const auto after = read_ismrmrd(path).details;
    ASSERT_EQ(after.size(), before.size() + 1);
    EXPECT_EQ(after.back(), std::pair(std::string("waveforms"), std::string("2 stored, not used")));
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
