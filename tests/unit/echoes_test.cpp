// The frames that are echoes, of one scan and of several.

#include "scan/echoes.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

/// A scan in memory whose frames have these labels and echo times; a time of 0 is not known.
Scan scan_of(const std::vector<std::pair<std::string, double>>& frames, std::size_t coils = 2) {
    Scan scan;
    scan.file = "scan";
    scan.grid.size = {4, 4, 1};
    const auto trajectory = std::make_shared<Trajectory>();
    trajectory->positions = {{0, 0, 0}, {1, 0, 0}, {-2, 1, 0}};
    for (const auto& [label, time] : frames) {
        Frame frame;
        frame.trajectory = trajectory;
        frame.samples =
            CoilRows(CoilMatrix::Constant(static_cast<Eigen::Index>(coils), 3, 1 + 100 * time));
        frame.label = label;
        frame.echo = time > 0 ? std::optional(Echo{time}) : std::nullopt;
        scan.frames.push_back(std::move(frame));
    }
    return scan;
}

/// Why these echoes are refused; "" where they are not.
std::string refused(const std::vector<FrameSource*>& scans, const std::vector<double>& times) {
    try {
        EchoFrames(scans, times);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(EchoFrames, TakesEachEchoOfASliceOnce) {
    FramesInMemory source(scan_of({{"slice 0, contrast 0", 0.004},
                                   {"slice 0, contrast 0, repetition 1", 0.004},
                                   {"slice 0, contrast 1", 0.009},
                                   {"slice 1, contrast 0", 0.004},
                                   {"slice 1, contrast 1", 0.009}}));
    EchoFrames echoes({&source}, {});
    const std::vector<Frame>& frames = echoes.scan().frames;
    ASSERT_EQ(frames.size(), 4U);
    EXPECT_EQ(frames[1].label, "slice 0, contrast 1");
    EXPECT_EQ(frames[2].echo->time, 0.004);
    EXPECT_EQ(echoes.frame(1).samples(0, 0), Complex(1.9));
}

TEST(EchoFrames, JoinsTwoScansWhoseFramesMayBeTakenAgain) {
    FramesInMemory first(scan_of({{"", 0}}));
    FramesInMemory second(scan_of({{"", 0.02}}));
    EchoFrames echoes({&first, &second}, {0.004, 0.009});
    ASSERT_EQ(echoes.scan().frames.size(), 2U);
    for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(echoes.frame(0).samples.columns(), 3U);
        EXPECT_EQ(echoes.frame(1).echo->time, 0.009) << "what the user says counts";
    }
}

TEST(EchoFrames, SortsEchoesWithTheirReadouts) {
    Scan late = scan_of({{"", 0.009}});
    late.readouts = {{{1, 3}, {}}};
    Scan early = scan_of({{"", 0.004}});
    early.readouts = {{{2, 3}, {}}};
    FramesInMemory first(std::move(late));
    FramesInMemory second(std::move(early));
    EchoFrames echoes({&first, &second}, {});
    for (int again = 0; again < 2; ++again) {
        const Scan scan = echoes.take_scan();
        ASSERT_EQ(scan.frames.size(), 2U);
        EXPECT_EQ(scan.frames[0].echo->time, 0.004);
        ASSERT_EQ(scan.readouts.size(), 2U);
        EXPECT_EQ(scan.readouts[0].ends.front(), 2U);
    }
    EXPECT_EQ(echoes.frame(1).samples(0, 0), Complex(1.9));
}

TEST(EchoFrames, RefusesWhatGivesNoField) {
    FramesInMemory unknown(scan_of({{"", 0}, {"", 0}}));
    EXPECT_NE(refused({&unknown}, {}).find("`echo_times`"), std::string::npos);
    FramesInMemory three(scan_of({{"", 0}, {"", 0}, {"", 0}}));
    EXPECT_NE(refused({&three}, {0.004, 0.009}).find("3 frames"), std::string::npos);
    FramesInMemory one(scan_of({{"", 0.004}}));
    EXPECT_NE(refused({&one}, {}).find("second scan"), std::string::npos);
    FramesInMemory other(scan_of({{"", 0.009}}, 3));
    FramesInMemory again(scan_of({{"", 0.004}}));
    EXPECT_NE(refused({&again, &other}, {}).find("3 coils"), std::string::npos);
}

} // namespace
} // namespace lsrecon
