// Messages to the user while the library works, and when a signal ends it.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"

namespace lsrecon {

/// The reports of the library while it works. The library never prints: the program derives from
/// this class. The class keeps the time of every stage and every finding, for the record in the
/// image file.
class Reporter {
public:
    virtual ~Reporter() = default;

    /// Fraction of the running stage that is done, 0 to 1.
    virtual void progress(double /*fraction*/) {}

    /// Whether somebody wants to know the expected time.
    virtual bool wants_expected() const { return false; }
    /// Seconds that each stage is expected to take, over all frames.
    virtual void expect_stages(const std::map<std::string, double>& /*stages*/) {}

    /// Takes a message for a user who watches, such as what a stage found.
    virtual void info(const std::string& /*message*/) {}

    /// Takes what the user should know; equal words are shown once.
    void add(const Finding& finding);
    void add(const Findings& findings);

    const std::vector<std::pair<std::string, double>>& stage_seconds() const {
        return stage_seconds_;
    }
    /// All but errors, which are the results of their frames.
    const Findings& findings() const { return findings_; }

protected:
    virtual void on_begin(const std::string& /*stage*/, double /*expected_seconds*/) {}
    virtual void on_end(const std::string& /*stage*/, double /*seconds*/) {}
    virtual void on_finding(const Finding& /*finding*/) {}
    /// Called for each frame of a scan of several only: frame `number`, from 1, begins; "" where it
    /// has no label.
    virtual void on_frame(std::size_t /*number*/, std::size_t /*count*/,
                          const std::string& /*label*/) {}
    /// Called once after the last frame.
    virtual void on_frames_end() {}

private:
    friend class Stage;
    friend class FrameProgress;
    void end(const std::string& stage, double seconds);

    std::vector<std::pair<std::string, double>> stage_seconds_;
    Findings findings_;
    std::set<std::string> shown_; ///< words of findings
};

/// The receiver of the progress of a part of a stage, and of findings; by default nobody.
class Listener {
public:
    Listener() = default;
    Listener(Reporter& report) : report_(&report) {} // NOLINT: as an argument

    void progress(double fraction) const {
        if (report_ != nullptr) {
            report_->progress(fraction);
        }
    }
    void add(const Finding& finding) const {
        if (report_ != nullptr) {
            report_->add(finding);
        }
    }

private:
    Reporter* report_ = nullptr;
};

/// A stage lasts as long as this object: Stage stage(report, "fhd").
class Stage {
public:
    /// `expected_seconds` is what was predicted; 0 for nothing.
    Stage(Reporter& report, std::string name, double expected_seconds = 0);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

private:
    Reporter& report_;
    std::string name_;
    std::chrono::steady_clock::time_point start_;
};

/// The frames of a scan, one after another: next() where each begins. A single one is
/// reported by its stages alone.
class FrameProgress {
public:
    FrameProgress(Reporter& report, std::size_t count) : report_(report), count_(count) {}
    ~FrameProgress();
    FrameProgress(const FrameProgress&) = delete;
    FrameProgress& operator=(const FrameProgress&) = delete;

    void next(const std::string& label = "");

private:
    Reporter& report_;
    std::size_t count_;
    std::size_t number_ = 0;
};

/// Makes every signal that ends the program write the words below first; it then ends as that
/// signal ends it, so that the shell and the batch system see why. A signal that was ignored from
/// the start (nohup) stays ignored. SIGXFSZ is ignored, so that a file that grows too large is an
/// error that can be reported. `shown` turns the words of the library into those that the user
/// reads. The program's main calls it: a library leaves signals alone.
void say_words_on_signals(std::string (*shown)(std::string words));

/// The message that a signal that ends the program writes to stderr first, as long as this object
/// lives: what was kept, and how to go on; of several objects that of the last one. At most 4096
/// bytes.
class SaidOnSignal {
public:
    explicit SaidOnSignal(const std::string& words);
    ~SaidOnSignal();
    SaidOnSignal(const SaidOnSignal&) = delete;
    SaidOnSignal& operator=(const SaidOnSignal&) = delete;
};

} // namespace lsrecon
