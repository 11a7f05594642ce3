// What steps of preparation change is in every frame, however often it was looked at before.

#include "model/prepared_frames.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

Scan two_frames() {
    Scan scan;
    scan.grid.size = {4, 4, 1};
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (const double value : {1.0, 10.0}) {
        scan.frames.push_back(
            {trajectory, CoilRows(CoilMatrix::Constant(2, 3, value)), "", std::nullopt});
    }
    return scan;
}

/// What a gradient delay is to be: another trajectory, and a phase of the samples.
void delay(Scan& scan, PreparedFrames& frames) {
    auto delayed = std::make_shared<Trajectory>(*scan.frames.front().trajectory);
    for (Vec3& k : delayed->positions) {
        k[0] += 0.25;
    }
    for (Frame& frame : scan.frames) {
        frame.trajectory = delayed;
    }
    frames.change([](std::size_t index, Frame& frame) {
        const Complex factor(0, static_cast<double>(index + 1));
        frame.samples = CoilRows(CoilMatrix(factor * frame.samples.to_doubles()));
    });
}

class PreparedFramesOfTwo : public testing::TestWithParam<bool> {};

TEST_P(PreparedFramesOfTwo, HaveSamplingsAndSamplesOfTheStepsSoFar) {
    FramesInMemory source(two_frames());
    Scan scan = source.take_scan();
    PreparedFrames frames(source, scan);
    if (GetParam()) { // then it stays in memory
        frames.look_at(0, [](const Frame& frame) {
            EXPECT_EQ(frame.trajectory->positions[0][0], 0);
            EXPECT_EQ(frame.samples(0, 0), Complex(1));
        });
    }
    delay(scan, frames);
    CoilTransform twice(1, 2);
    twice << 2, 0;
    frames.mix(twice);
    for (const std::size_t f : {0, 1}) {
        const Frame frame = frames.take(f);
        EXPECT_EQ(frame.trajectory, scan.frames[f].trajectory);
        EXPECT_EQ(frame.trajectory->positions[0][0], 0.25);
        EXPECT_EQ(frame.samples.rows(), 1u);
        EXPECT_EQ(frame.samples(0, 1), Complex(0, f == 0 ? 2 : 40));
    }
}

TEST_P(PreparedFramesOfTwo, HaveEachCoilAsAFrameOnceTheyAreApart) {
    FramesInMemory source(two_frames());
    Scan scan = source.take_scan();
    PreparedFrames frames(source, scan);
    if (GetParam()) {
        frames.look_at(0, [](const Frame&) {});
    }
    CoilTransform mixing(2, 2);
    mixing << 1, 0, 0, 3;
    frames.mix(mixing);
    scan.frames = {scan.frames[0], scan.frames[0], scan.frames[1], scan.frames[1]};
    frames.separate(2);
    for (const std::size_t f : {3, 0, 1, 2}) {
        const Frame frame = frames.take(f);
        EXPECT_EQ(frame.samples.rows(), 1u);
        EXPECT_EQ(frame.samples(0, 2), Complex((f < 2 ? 1.0 : 10.0) * (f % 2 == 0 ? 1 : 3)));
    }
}

INSTANTIATE_TEST_SUITE_P(Looked, PreparedFramesOfTwo, testing::Bool());

} // namespace
} // namespace lsrecon
