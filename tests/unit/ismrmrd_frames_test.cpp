#ifdef LSRECON_WITH_ISMRMRD

#include <chrono>
#include <gtest/gtest.h>

#include "io/ismrmrd/frames.hpp"
#include "io/scan_file.hpp"
#include "ismrmrd_maker.hpp"

// Which acquisitions make a frame, which of its lines the matrix holds, and which frames are whole.

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

std::string limits_of(long centre) {
    return centre < 0 ? ""
                      : text("<kspace_encoding_step_1><minimum>0</minimum><maximum>99</maximum>"
                             "<center>",
                             centre, "</center></kspace_encoding_step_1>");
}

/// A line of 8 samples whose real parts begin with its step; the others are as strong as this.
Acquisition line_at(int step, float strength = 1) {
    Acquisition a = readout(8, 2, 0, static_cast<float>(step));
    for (uint16_t i = 0; i < 8; ++i) {
        a.data(i, 1) = strength;
    }
    a.idx().kspace_encode_step_1 = static_cast<uint16_t>(step);
    return a;
}

/// Lines of these steps, of which one is strong.
std::vector<Acquisition> lines_at(int first, int end, int strongest) {
    std::vector<Acquisition> all;
    for (int step = first; step < end; ++step) {
        all.push_back(line_at(step, step == strongest ? 1000.0F : 1.0F));
    }
    return all;
}

Scan read_lines(const std::vector<Acquisition>& acquisitions, long centre,
                const ReadOptions& options = {}) {
    return read_ismrmrd(write(acquisitions, header({}, {}, limits_of(centre))), options);
}

TEST(IsmrmrdLines, MoreThanTheMatrixAreLeftOut) {
    const Scan all = read_lines(lines_at(0, 14, 7), 7);
    const Scan held = read_lines(lines_at(3, 11, 7), 7);
    EXPECT_EQ(all.frames[0].trajectory->positions, held.frames[0].trajectory->positions);
    EXPECT_EQ(real_parts(all.frames[0]), real_parts(held.frames[0]));
    EXPECT_EQ(all.frames[0].trajectory->positions[0], (Vec3{-4, -4, 0}));
    EXPECT_FALSE(found(held, Found::lines_beyond));
    const Finding beyond = test::find(all.findings, Found::lines_beyond);
    EXPECT_EQ(beyond.number("beyond"), 6);
    EXPECT_EQ(beyond.number("lines"), 14);
    EXPECT_EQ(beyond.number("voxels"), 8);
    EXPECT_EQ(test::lacks(beyond.word("smaller"), {"matrix=8,14,1", "fov_mm=240,240"}), "");
    EXPECT_EQ(test::lacks(beyond.word("oversampled"), {"matrix=8,14,1", "fov_mm=240,420"}), "");
}

TEST(IsmrmrdLines, BeyondOneSideTheStrongestLineTellsMoreFromAWrongCentre) {
    EXPECT_EQ(read_lines(lines_at(0, 12, 4), 3).frames[0].samples.columns(), 7 * 8);
    const Fault shifted = refusal([&] { read_lines(lines_at(0, 12, 7), 3); });
    EXPECT_EQ(test::lacks(shifted.thing, {"kspace_encode_step_1", "center"}), "");
    EXPECT_EQ(
        test::lacks(shifted.next_step, {"write 7 for kspace_encoding_step_1/center", "has 3"}), "");
    // No more lines than the matrix has fit it by another centre.
    const Fault fits = refusal([&] { read_lines(lines_at(0, 8, 4), 1); });
    EXPECT_EQ(test::lacks(fits.next_step, {"write 4 for", "has 1"}), "");
    EXPECT_EQ(read_lines(lines_at(0, 8, 4), 4).frames[0].samples.columns(), 64u);

    const Fault part = refusal([&] { read_lines(lines_at(0, 7, 1), 1); });
    EXPECT_EQ(test::lacks(part.next_step, {"write 3 for", "has 1", "matrix=8,12,1"}), "");
    // Without a centre it is that of the matrix, which the user can give.
    const Fault unsaid = refusal([&] { read_lines(lines_at(0, 14, 7), -1); });
    EXPECT_EQ(test::lacks(unsaid.next_step, {"write 7 for", "has none", "matrix=8,14,1"}), "");
}

TEST(IsmrmrdLines, TheyAreForTheMatrixOfTheImage) {
    ReadOptions options;
    options.image.matrix = {8, 14};
    const Scan scan = read_lines(lines_at(0, 14, 7), 7, options);
    EXPECT_EQ(scan.frames[0].samples.columns(), 14 * 8);
    EXPECT_FALSE(found(scan, Found::lines_beyond));
    options.image = {};
    options.header["matrix"] = {8, 14, 1};
    EXPECT_EQ(read_lines(lines_at(0, 14, 7), -1, options).frames[0].trajectory->positions[0],
              (Vec3{-4, -7, 0}));
}

TEST(IsmrmrdLines, BadOnesKeepTheirFrames) {
    std::vector<Acquisition> all = lines_at(0, 14, 7);
    all[13].data(3, 1) = NAN;
    ReadOptions options;
    options.bad_frames = true;
    EXPECT_EQ(read_lines(all, 7, options).frames[0].samples.columns(), 64u)
        << "the line is left out";
    all[9].data(3, 1) = NAN;
    EXPECT_EQ(refusal([&] { read_lines(all, 7, options); }).thing,
              "/dataset/data, acquisition 9, data");
}

/// Frames of these steps, for each slice and repetition.
template <typename Steps>
Finding of_series(int slices, int repetitions, const Steps& steps_of, int dimensions = 0) {
    std::vector<Acquisition> all;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        for (int slice = 0; slice < slices; ++slice) {
            for (const int step : steps_of(slice, repetition)) {
                Acquisition a = dimensions == 0 ? line_at(step) : readout(8, 2, dimensions);
                for (uint16_t i = 0; dimensions > 0 && i < 8; ++i) {
                    a.traj(1, i) = 0.01F * static_cast<float>(step * i);
                }
                a.idx().slice = static_cast<uint16_t>(slice);
                a.idx().repetition = static_cast<uint16_t>(repetition);
                all.push_back(a);
            }
        }
    }
    const Scan scan = read(all, header({}, {}, limits_of(4)), dimensions > 0 ? "cycles/fov" : "");
    return found(scan, Found::frames_incomplete)
               ? test::find(scan.findings, Found::frames_incomplete)
               : Finding{Found::frames_incomplete};
}

std::vector<int> some_steps(int count, int first = 0, int every = 1) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(first + every * i);
    }
    return all;
}

TEST(IsmrmrdSeries, FramesThatAScanLeftIncompleteAreNamed) {
    for (const int dimensions : {0, 2}) {
        const Finding stopped = of_series(
            4, 3,
            [](int slice, int repetition) {
                return some_steps(repetition < 2 || slice < 1 ? 8 : slice == 1 ? 3 : 0);
            },
            dimensions);
        EXPECT_EQ(stopped.number("fewer"), 1);
        EXPECT_EQ(stopped.number("frame"), 5);
        EXPECT_EQ(stopped.word("label"), "slice 1, repetition 2");
        EXPECT_EQ(stopped.number("readouts"), 3);
        EXPECT_EQ(stopped.number("usual"), 8);
        EXPECT_EQ(stopped.number("missing"), 2);
        EXPECT_EQ(stopped.word("lost"), "slice 2, repetition 2; slice 3, repetition 2");
        EXPECT_EQ(stopped.word("whole"), "0-4,6-9");
    }
    const auto interleaved =
        of_series(3, 2, [](int, int repetition) { return some_steps(repetition == 0 ? 8 : 5); });
    EXPECT_EQ(interleaved.number("fewer"), 3);
    EXPECT_EQ(interleaved.number("missing"), 0);
    EXPECT_EQ(
        of_series(1, 2, [](int, int r) { return some_steps(r == 0 ? 8 : 7); }).number("fewer"), 1);
    const auto lost_lines =
        of_series(1, 4, [](int, int r) { return r == 2 ? some_steps(4, 0, 2) : some_steps(8); });
    EXPECT_EQ(lost_lines.number("fewer"), 1);
}

TEST(IsmrmrdSeries, FramesThatAreMeantToDifferAreNone) {
    const auto expect_none = [](const Finding& found) {
        EXPECT_EQ(found.number("fewer"), 0);
        EXPECT_EQ(found.number("missing"), 0);
    };
    expect_none(of_series(3, 3, [](int, int) { return some_steps(8); }));
    // Every other line, in turns.
    expect_none(
        of_series(1, 5, [](int, int r) { return some_steps(r % 2 == 0 ? 4 : 3, r % 2, 2); }));
    // A whole frame, and accelerated ones.
    expect_none(
        of_series(1, 2, [](int, int r) { return r == 0 ? some_steps(8) : some_steps(4, 0, 2); }));
    expect_none(
        of_series(2, 4, [](int, int r) { return r == 0 ? some_steps(8) : some_steps(4, 0, 2); }));
    // Slices that each have a repetition of their own.
    expect_none(of_series(3, 3, [](int slice, int r) { return some_steps(slice == r ? 8 : 0); }));
    // Spokes that are sorted by a motion that is never the same.
    expect_none(of_series(
        1, 5, [](int, int r) { return some_steps(4 + r, 10 * r); }, 2));
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
