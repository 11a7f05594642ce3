#include "base/report.hpp"

#include <algorithm>
#include <exception>

#include "base/timer.hpp"

namespace lsrecon {

void Reporter::add(const Finding& finding) {
    if (!shown_.insert(words_of(finding)).second) {
        return;
    }
    on_finding(finding);
    if (row_of(finding).severity != Severity::error) {
        findings_.push_back(finding);
    }
}

void Reporter::add(const Findings& findings) {
    for (const Finding& finding : findings) {
        add(finding);
    }
}

void Reporter::end(const std::string& stage, double seconds) {
    // A stage that runs once a frame is one line in the record: its times add up.
    const auto known = std::find_if(stage_seconds_.begin(), stage_seconds_.end(),
                                    [&](const auto& entry) { return entry.first == stage; });
    if (known == stage_seconds_.end()) {
        stage_seconds_.emplace_back(stage, seconds);
    } else {
        known->second += seconds;
    }
    on_end(stage, seconds);
}

Stage::Stage(Reporter& report, std::string name, double expected_seconds)
    : report_(report), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {
    report_.on_begin(name_, expected_seconds);
}

Stage::~Stage() {
    report_.end(name_, seconds_since(start_));
}

void FrameProgress::next(const std::string& label) {
    if (count_ > 1) {
        report_.on_frame(++number_, count_, label);
    }
}

FrameProgress::~FrameProgress() {
    if (count_ > 1) {
        report_.on_frames_end();
    }
}

} // namespace lsrecon
