#include "base/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "base/error.hpp"
#include "support/findings.hpp"

namespace lsrecon {
namespace {

class Recorder : public Reporter {
public:
    std::vector<std::string> heard;

protected:
    void on_begin(const std::string& stage, double expected) override {
        heard.push_back("begin " + stage + (expected > 0 ? ", soon done" : ""));
    }
    void on_end(const std::string& stage, double seconds) override {
        heard.push_back("end " + stage);
        EXPECT_GE(seconds, 0);
    }
    void on_finding(const Finding& finding) override {
        heard.push_back("found " + row_of(finding).code);
    }
    void on_frame(std::size_t number, std::size_t count, const std::string& label) override {
        heard.push_back(text("frame ", number, " of ", count, " ", label));
    }
    void on_frames_end() override { heard.push_back("frames end"); }
};

TEST(Report, StagesBeginAndEnd) {
    Recorder report;
    {
        const Stage outer(report, "solve", 0.1);
        const Stage inner(report, "q");
    }
    EXPECT_THAT(report.heard,
                testing::ElementsAre("begin solve, soon done", "begin q", "end q", "end solve"));
}

TEST(Report, AStageThatRunsTwiceIsOneLine) {
    Recorder report;
    for (int frame = 0; frame < 2; ++frame) {
        const Stage stage(report, "fhd");
    }
    ASSERT_EQ(report.stage_seconds().size(), 1U);
    EXPECT_EQ(report.stage_seconds()[0].first, "fhd");
    EXPECT_GE(report.stage_seconds()[0].second, 0);
}

TEST(Report, AStageEndsAlsoWhenItFails) {
    Recorder report;
    try {
        const Stage stage(report, "mu");
        throw std::runtime_error("broken");
    } catch (const std::runtime_error&) {
    }
    EXPECT_THAT(report.heard, testing::ElementsAre("begin mu", "end mu"));
}

TEST(Report, SeveralFramesAreReportedAndASingleOneIsNot) {
    for (const std::size_t count : {1U, 2U}) {
        Recorder report;
        {
            FrameProgress frames(report, count);
            for (std::size_t f = 0; f < count; ++f) {
                frames.next(text("slice ", f));
            }
        }
        EXPECT_EQ(report.heard,
                  count == 1 ? std::vector<std::string>{}
                             : (std::vector<std::string>{"frame 1 of 2 slice 0",
                                                         "frame 2 of 2 slice 1", "frames end"}));
    }
}

TEST(Report, EqualWordsAreShownOnce) {
    Recorder report;
    const Finding third{Found::voxels_far, {{"largest", 1.0 / 3}}};
    const Finding nearly{Found::voxels_far, {{"largest", 0.33333334}}};
    report.add(Findings{third, {Found::epi_ghost}, nearly});
    report.add(third);
    EXPECT_THAT(report.heard, testing::ElementsAre("found voxels_far", "found epi_ghost"));
    EXPECT_THAT(test::codes_of(report.findings()), testing::ElementsAre("voxels_far", "epi_ghost"));
}

TEST(Report, AFailureIsShownAndNoFindingOfTheImage) {
    Recorder report;
    for (const double frame : {1, 2, 1}) {
        report.add({Found::frame_failed, {{"frame", frame}}});
    }
    EXPECT_THAT(report.heard, testing::ElementsAre("found frame_failed", "found frame_failed"));
    EXPECT_TRUE(report.findings().empty());
}

} // namespace
} // namespace lsrecon
