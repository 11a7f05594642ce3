#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lsrecon {

/// The reports of the library while it works. The library never prints: the program derives from
/// this class. The class keeps the time of every stage and every note, for the record in the image
/// file.
class Reporter {
public:
    virtual ~Reporter() = default;

    /// Fraction of the running stage that is done, 0 to 1.
    virtual void progress(double /*fraction*/) {}

    /// Whether somebody wants to know the expected time.
    virtual bool wants_expected() const { return false; }
    /// Seconds that each stage is expected to take, over all frames.
    virtual void expect_stages(const std::map<std::string, double>& /*stages*/) {}

    /// Tells a user who watches what a stage found.
    virtual void tell(const std::string& /*message*/) {}

    /// Something that the user should know and that is not an error; the same note is shown once.
    void note(const std::string& message);

    /// A frame that failed while the others go on; the same failure is shown once.
    void fail(const std::string& message);

    const std::vector<std::pair<std::string, double>>& stage_seconds() const {
        return stage_seconds_;
    }
    const std::vector<std::string>& notes() const { return notes_; }

protected:
    virtual void on_begin(const std::string& /*stage*/, double /*expected_seconds*/) {}
    virtual void on_end(const std::string& /*stage*/, double /*seconds*/) {}
    virtual void on_note(const std::string& /*message*/) {}
    virtual void on_failure(const std::string& /*message*/) {}
    /// Called for each frame of a scan of several only: frame `number`, from 1, begins; "" where it
    /// has no label.
    virtual void on_frame(std::size_t /*number*/, std::size_t /*count*/,
                          const std::string& /*label*/) {}
    virtual void on_frames_end() {}

private:
    friend class Stage;
    friend class FrameProgress;
    void end(const std::string& stage, double seconds);

    std::vector<std::pair<std::string, double>> stage_seconds_;
    std::vector<std::string> notes_;
    std::set<std::string> failures_;
};

/// The receiver of the progress of a part of a stage, and of notes for the user; by default nobody.
class Listener {
public:
    Listener() = default;
    Listener(Reporter& report) : report_(&report) {} // NOLINT: as an argument

    void progress(double fraction) const {
        if (report_ != nullptr) {
            report_->progress(fraction);
        }
    }
    void note(const std::string& message) const {
        if (report_ != nullptr) {
            report_->note(message);
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

} // namespace lsrecon
