#include "io/scan_file.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "io/native/scan.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

/// Frames of the trajectories A, B, A, B, A; those of frame f are f + 1 times those of the first.
Scan alternating() {
    Scan scan;
    scan.grid = test::make_grid(3, 2);
    Trajectory a;
    a.positions = {{0, 0, 0}, {1.5, -1, 0}, {0.1, 0.7, 0}, {-1.4, 0.3, 0}};
    Trajectory b = a;
    b.positions[2] = {0.25, -0.5, 0};
    for (int f = 0; f < 5; ++f) {
        CoilMatrix samples(2, 4);
        samples << 1, 2, 3, 4, Complex(0, 1), Complex(0, -2), 7, -8;
        // Trajectories of their own: what is equal is found by the reader.
        scan.frames.push_back({std::make_shared<const Trajectory>(f % 2 == 0 ? a : b),
                               CoilRows(CoilMatrix((f + 1) * samples)),
                               "",
                               {}});
    }
    return scan;
}

class FrameSourceTest : public testing::Test {
protected:
    std::string written(const Scan& scan) {
        write_native_scan(path_, scan);
        return path_;
    }
    test::TemporaryFolder folder_;
    std::string path_ = folder_.file("scan.h5");
};

TEST_F(FrameSourceTest, KnowsEverythingButSamplesFromTheStart) {
    const ScanFile source(written(alternating()));
    const Scan& scan = source.scan();
    ASSERT_EQ(scan.frames.size(), 5U);
    EXPECT_EQ(scan.coils(), 2U);
    EXPECT_TRUE(scan.has_samples());
    EXPECT_EQ(scan.sha256().size(), 64U);
    for (const Frame& frame : scan.frames) {
        EXPECT_TRUE(frame.samples.empty());
    }
    EXPECT_EQ(scan.frames[3].label, "frame 3");
}

TEST_F(FrameSourceTest, EqualSamplingsAreOneInAnyOrder) {
    const ScanFile source(written(alternating()));
    const std::vector<Frame>& frames = source.scan().frames;
    EXPECT_EQ(frames[0].trajectory, frames[2].trajectory);
    EXPECT_EQ(frames[0].trajectory, frames[4].trajectory);
    EXPECT_EQ(frames[1].trajectory, frames[3].trajectory);
    EXPECT_NE(frames[0].trajectory, frames[1].trajectory);
}

TEST_F(FrameSourceTest, FramesComeInAnyOrderAndAgain) {
    const Scan scan = alternating();
    ScanFile source(written(scan));
    for (const std::size_t f : {4U, 0U, 3U, 3U, 1U, 2U}) {
        const Frame frame = source.frame(f);
        EXPECT_EQ(frame.samples, scan.frames[f].samples) << f;
        EXPECT_EQ(frame.samples.precision(), Precision::float32);
        EXPECT_EQ(frame.samples.largest_part(), 8 * (static_cast<double>(f) + 1));
    }
}

TEST_F(FrameSourceTest, ChosenFramesAlone) {
    const Scan scan = alternating();
    ReadOptions options;
    options.frames = IndexList("1,4-9");
    ScanFile source(written(scan), options);
    ASSERT_EQ(source.scan().frames.size(), 2U);
    EXPECT_EQ(source.scan().frames[1].label, "frame 4");
    EXPECT_EQ(source.frame(1).samples, scan.frames[4].samples);
    EXPECT_EQ(source.frame(0).samples, scan.frames[1].samples);
    EXPECT_EQ(source.frame(0).trajectory->positions, scan.frames[1].trajectory->positions);
    EXPECT_EQ(source.scan().facts.front(), "left out 3 frames; chosen: `frames` 1,4-9");
    options.frames = IndexList("5");
    EXPECT_THROW(ScanFile(path_, options), InputError);
    options.frames = {};
    options.encoding = 0;
    EXPECT_THROW(ScanFile(path_, options), UsageError);
}

TEST_F(FrameSourceTest, ASingleFrameIsReadOnce) {
    Scan scan = alternating();
    scan.frames.resize(1);
    ScanFile source(written(scan));
    EXPECT_EQ(source.frame(0).samples, scan.frames[0].samples);
}

TEST_F(FrameSourceTest, ANanInTheLastFrameIsFoundBeforeTheFirstIsUsed) {
    Scan scan = alternating();
    scan.frames[4].samples.doubles()(1, 2) = std::numeric_limits<double>::quiet_NaN();
    const std::string path = written(scan);
    try {
        const ScanFile source(path);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().thing, "/samples");
        EXPECT_EQ(error.fault().found, "NaN at [4, 1, 2]");
    }
}

TEST_F(FrameSourceTest, BadFramesAreErrorsOfTheirOwnWhereTheyAreAllowed) {
    Scan scan = alternating();
    for (const std::size_t f : {0U, 3U}) {
        scan.frames[f].samples.doubles()(1, 2) = std::numeric_limits<double>::infinity();
    }
    scan.frames[4].samples.doubles().row(1).setZero();
    ReadOptions options;
    options.bad_frames = true;
    ScanFile source(written(scan), options);
    EXPECT_EQ(source.first_good(), 1U);
    for (const std::size_t f : {1U, 2U, 4U}) {
        EXPECT_EQ(source.frame(f).samples, scan.frames[f].samples);
    }
    const Finding silent = test::find(source.scan().findings, Found::coil_silent);
    EXPECT_EQ(silent.number("coil"), 1);
    EXPECT_EQ(silent.number("silent"), 1);
    EXPECT_EQ(silent.number("first"), 4);
    for (const std::size_t f : {0U, 3U}) {
        try {
            source.frame(f);
            FAIL();
        } catch (const InputError& error) {
            EXPECT_EQ(error.fault().found, text("infinity at [", f, ", 1, 2]"));
        }
    }
}

TEST_F(FrameSourceTest, AScanOfBadFramesAloneIsRefused) {
    Scan scan = alternating();
    for (Frame& frame : scan.frames) {
        frame.samples.doubles()(0, 0) = std::numeric_limits<double>::quiet_NaN();
    }
    ReadOptions options;
    options.bad_frames = true;
    EXPECT_THROW(ScanFile(written(scan), options), InputError);
    for (std::size_t f = 1; f < scan.frames.size(); ++f) {
        scan.frames[f].samples.doubles().setZero();
    }
    try {
        ScanFile(written(scan), options);
        FAIL() << "a NaN and zeros";
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().found, "NaN at [0, 0, 0]");
    }
    scan.frames.resize(1);
    EXPECT_THROW(ScanFile(written(scan), options), InputError);
}

TEST_F(FrameSourceTest, AFileThatChangesWhileItIsReadIsRefused) {
    ScanFile source(written(alternating()));
    source.frame(0);
    std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() +
                                                std::chrono::hours(1));
    EXPECT_THROW(source.frame(1), RunError);
}

} // namespace
} // namespace lsrecon
