#ifdef LSRECON_WITH_ISMRMRD

#include <chrono>
#include <gtest/gtest.h>

#include "io/ismrmrd/frames.hpp"
#include "io/scan_file.hpp"
#include "ismrmrd_maker.hpp"

// Which acquisitions make a frame.

namespace lsrecon::ismrmrd_test {
namespace {

TEST(IsmrmrdFrames, SlicesAndRepetitionsAreFramesThatShareASampling) {
    std::vector<Acquisition> acquisitions;
    for (int repetition = 0; repetition < 2; ++repetition) {
        for (const int slice : {2, 0}) {
            Acquisition a = readout(8, 1, 2, static_cast<float>(100 * slice + 1000 * repetition));
            a.idx().slice = static_cast<uint16_t>(slice);
            a.idx().repetition = static_cast<uint16_t>(repetition);
            set_vector(a.position(), {0, 0, static_cast<float>(5 * slice)});
            set_vector(a.read_dir(), {1, 0, 0});
            set_vector(a.phase_dir(), {0, 1, 0});
            set_vector(a.slice_dir(), {0, 0, 1});
            acquisitions.push_back(a);
        }
    }
    const Scan scan = read(acquisitions);
    ASSERT_EQ(scan.frames.size(), 4u);
    EXPECT_EQ(scan.frames[0].label, "slice 0, repetition 0");
    EXPECT_EQ(scan.frames[1].label, "slice 0, repetition 1");
    EXPECT_EQ(scan.frames[2].label, "slice 2, repetition 0");
    EXPECT_EQ(scan.frames[3].label, "slice 2, repetition 1");
    EXPECT_EQ(scan.frames[3].samples(0, 0).real(), 1200);
    for (const Frame& frame : scan.frames) {
        EXPECT_EQ(frame.trajectory, scan.frames[0].trajectory);
    }
    EXPECT_EQ(scan.frames[2].position, (Vec3{0, 0, 10}));
    EXPECT_EQ(scan.grid.position, (Vec3{0, 0, 0}));
    EXPECT_EQ(scan.grid.directions,
              (std::array<Vec3, 3>{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}));
}

TEST(IsmrmrdFrames, ContrastPhaseAndSetMakeFramesAverageAndSegmentDoNot) {
    std::vector<Acquisition> acquisitions(6, readout(8, 1, 2));
    acquisitions[1].idx().contrast = 1;
    acquisitions[2].idx().phase = 1;
    acquisitions[3].idx().set = 1;
    acquisitions[4].idx().average = 1;
    acquisitions[5].idx().segment = 1;
    const Scan scan = read(acquisitions);
    ASSERT_EQ(scan.frames.size(), 4u);
    EXPECT_EQ(scan.frames[0].label, "contrast 0, phase 0, set 0");
    EXPECT_EQ(scan.frames[0].samples.columns(), 24);
    EXPECT_EQ(scan.frames[3].label, "contrast 1, phase 0, set 0");
    EXPECT_NE(scan.frames[0].trajectory, scan.frames[1].trajectory);
    EXPECT_EQ(scan.frames[1].trajectory, scan.frames[2].trajectory);
}

TEST(IsmrmrdFrames, JoinedCountersMakeOneFrame) {
    std::vector<Acquisition> acquisitions;
    for (int repetition = 0; repetition < 6; ++repetition) {
        Acquisition a = readout(8, 1, 2, static_cast<float>(100 * repetition));
        a.idx().repetition = static_cast<uint16_t>(repetition);
        a.idx().contrast = static_cast<uint16_t>(repetition % 2);
        acquisitions.push_back(a);
    }
    const std::string path = write(acquisitions);
    EXPECT_EQ(read_scan(path).frames.size(), 6u);
    ReadOptions options;
    options.join = {"repetition"};
    const Scan scan = read_scan(path, options);
    ASSERT_EQ(scan.frames.size(), 2u);
    EXPECT_EQ(scan.frames[0].label, "contrast 0");
    EXPECT_EQ(scan.frames[1].samples.columns(), 24);
    EXPECT_EQ(scan.frames[1].samples(0, 8).real(), 300);
    EXPECT_TRUE(has_fact_with(scan, {"repetition alone", "joined"}));
    options.join = {"repetition", "contrast"};
    EXPECT_EQ(read_scan(path, options).frames.size(), 1u);
}

TEST(IsmrmrdFrames, ARepetitionWithANanIsABadFrame) {
    std::vector<Acquisition> acquisitions;
    for (int repetition = 0; repetition < 3; ++repetition) {
        Acquisition a = readout(8, 1, 2, static_cast<float>(100 * repetition));
        a.idx().repetition = static_cast<uint16_t>(repetition);
        acquisitions.push_back(a);
    }
    acquisitions[1].getDataPtr()[3] = {std::nanf(""), 0};
    const std::string path = write(acquisitions);
    EXPECT_THROW(ScanFile{path}, InputError);
    ReadOptions options;
    options.bad_frames = true;
    ScanFile source(path, options);
    EXPECT_EQ(refusal([&] { source.frame(1); }).thing, "/dataset/data, acquisition 1, data");
    EXPECT_EQ(source.frame(2).samples(0, 0).real(), 200);
    EXPECT_EQ(source.frame(0).samples(0, 0).real(), 0);
    options.join = {"repetition"};
    EXPECT_THROW(ScanFile(path, options), InputError) << "the only frame";
    options.spokes_per_frame = 1;
    ScanFile spokes(path, options);
    EXPECT_THROW(spokes.frame(1), InputError);
    EXPECT_EQ(spokes.frame(2).samples(0, 0).real(), 200);
}

// Before frames were found by their hash, this took a minute.
TEST(IsmrmrdFrames, TwentyThousandFramesTakeNoTime) {
    RawEncoding encoding;
    encoding.grid.size = {8, 8, 1};
    RawChoice choice({});
    for (std::uint16_t repetition = 0; repetition < 20000; ++repetition) {
        choice.count({0, 0, 0, repetition, 0}, 12);
    }
    choice.decide("", "");
    RawFrames frames(encoding, {0, 1, 2}, choice, {});
    IsmrmrdAcquisition line;
    line.positions.assign(24, 0.5F);
    line.values.assign(24, 1);
    line.header.number_of_samples = 12;
    line.header.active_channels = 1;
    line.header.trajectory_dimensions = 2;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint16_t repetition = 0; repetition < 20000; ++repetition) {
        line.positions[0] = static_cast<float>(repetition % 10000) / 2500;
        line.header.idx.repetition = repetition;
        frames.add(repetition, line);
    }
    const Scan scan = assemble(std::move(frames)).scan;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ASSERT_EQ(scan.frames.size(), 20000u);
    EXPECT_EQ(scan.frames[10001].trajectory, scan.frames[1].trajectory);
    EXPECT_EQ(scan.frame_counters, std::vector<std::string>{"repetition"});
    EXPECT_LT(seconds.count(), 10);
}

TEST(IsmrmrdFrames, ContrastsOfOneReadoutAreToBeJoined) {
    std::vector<Acquisition> acquisitions;
    for (int i = 0; i < 6; ++i) {
        acquisitions.push_back(readout(8, 1, 2));
        acquisitions.back().idx().contrast = static_cast<uint16_t>(i);
    }
    const Scan single = read_ismrmrd(write(acquisitions), {});
    EXPECT_TRUE(single.has_single_readouts);
    EXPECT_EQ(single.joinable_counters, std::vector<std::string>{"contrast"});
    acquisitions.push_back(acquisitions.back());
    const Scan others = read_ismrmrd(write(acquisitions), {});
    EXPECT_FALSE(others.has_single_readouts);
    EXPECT_TRUE(others.joinable_counters.empty());
}

TEST(IsmrmrdFrames, ThatTheUserKeepsApartAreNotToBeJoined) {
    std::vector<Acquisition> acquisitions;
    for (int i = 0; i < 6; ++i) {
        acquisitions.push_back(readout(8, 1, 2));
        acquisitions.back().idx().slice = static_cast<uint16_t>(i % 2);
        acquisitions.back().idx().repetition = static_cast<uint16_t>(i / 2);
    }
    const std::string path = write(acquisitions);
    using Names = std::vector<std::string>;
    const auto joinable = [&](const std::function<void(ReadOptions&)>& choose) {
        ReadOptions options;
        choose(options);
        return read_ismrmrd(path, options).joinable_counters;
    };
    EXPECT_EQ(joinable([](ReadOptions&) {}), Names{"repetition"});
    EXPECT_EQ(joinable([](ReadOptions& one) { one.counters[0] = IndexList("1"); }),
              Names{"repetition"});
    EXPECT_EQ(joinable([](ReadOptions& one) { one.counters[3] = IndexList("0,2"); }), Names{});
    EXPECT_EQ(joinable([](ReadOptions& one) { one.frames = IndexList("0-3"); }), Names{});
    EXPECT_EQ(joinable([](ReadOptions& one) { one.spokes_per_frame = 1; }), Names{});
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
