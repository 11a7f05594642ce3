#include "base/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace lsrecon {
namespace {

class Listener : public Reporter {
public:
    std::vector<std::string> heard;

protected:
    void on_begin(const std::string& stage) override { heard.push_back("begin " + stage); }
    void on_end(const std::string& stage, double seconds) override {
        heard.push_back("end " + stage);
        EXPECT_GE(seconds, 0);
    }
    void on_note(const std::string& message) override { heard.push_back("note " + message); }
};

TEST(Report, StagesBeginAndEnd) {
    Listener report;
    {
        const Stage outer(report, "solve");
        const Stage inner(report, "q");
    }
    EXPECT_THAT(report.heard, testing::ElementsAre("begin solve", "begin q", "end q", "end solve"));
}

TEST(Report, AStageThatRunsTwiceIsOneLine) {
    Listener report;
    for (int frame = 0; frame < 2; ++frame) {
        const Stage stage(report, "fhd");
    }
    ASSERT_EQ(report.stage_seconds().size(), 1U);
    EXPECT_EQ(report.stage_seconds()[0].first, "fhd");
    EXPECT_GE(report.stage_seconds()[0].second, 0);
}

TEST(Report, AStageEndsAlsoWhenItFails) {
    Listener report;
    try {
        const Stage stage(report, "mu");
        throw std::runtime_error("broken");
    } catch (const std::runtime_error&) {
    }
    EXPECT_THAT(report.heard, testing::ElementsAre("begin mu", "end mu"));
}

TEST(Report, TheSameNoteIsToldOnce) {
    Listener report;
    report.note("one slice was skipped");
    report.note("another");
    report.note("one slice was skipped");
    EXPECT_THAT(report.notes(), testing::ElementsAre("one slice was skipped", "another"));
    EXPECT_EQ(report.heard.size(), 2U);
}

} // namespace
} // namespace lsrecon
