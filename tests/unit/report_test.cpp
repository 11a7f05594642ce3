#include "base/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "base/error.hpp"

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
    void on_note(const std::string& message) override { heard.push_back("note " + message); }
    void on_failure(const std::string& message) override { heard.push_back("failed " + message); }
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

TEST(Report, TheSameNoteIsShownOnce) {
    Recorder report;
    report.note("one slice was skipped");
    report.note("another");
    report.note("one slice was skipped");
    EXPECT_THAT(report.notes(), testing::ElementsAre("one slice was skipped", "another"));
    EXPECT_EQ(report.heard.size(), 2U);
}

TEST(Report, TheSameFailureIsShownOnce) {
    Recorder report;
    report.fail("frame 1");
    report.fail("frame 2");
    report.fail("frame 1");
    EXPECT_THAT(report.heard, testing::ElementsAre("failed frame 1", "failed frame 2"));
}

} // namespace
} // namespace lsrecon
