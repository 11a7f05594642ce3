// Progress and findings on a terminal or in a log, and the devices that a command opens.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/report.hpp"
#include "engines/transforms.hpp"

namespace lsrecon::app {

/// Reports the stages on stderr: on a terminal a bar, its seconds so far, those that are left of
/// all stages, a line for each stage that is done, and only notes, which include warnings, when
/// quiet. With several frames it shows "frame 3 of 21 (slice 2)" and, after the last, the time of
/// each stage over all frames. A stage that runs again later has its line once.
class Console : public Reporter {
public:
    explicit Console(bool quiet);
    ~Console() override;

    /// Reports after the last stage how long stages took in all that ran again after their line.
    void report_repeated_stages();

    void progress(double fraction) override;
    bool wants_expected() const override { return terminal_ && !quiet_; }
    void expect_stages(const std::map<std::string, double>& stages) override {
        expected_stages_ = stages;
    }
    void info(const std::string& message) override;

protected:
    void on_begin(const std::string& stage, double expected_seconds) override;
    void on_end(const std::string& stage, double seconds) override;
    void on_finding(const Finding& finding) override;
    void on_frame(std::size_t number, std::size_t count, const std::string& label) override;
    void on_frames_end() override;

private:
    /// The start of a line that replaces the moving one.
    const char* line_start() const { return terminal_ && !quiet_ ? "\r\033[K" : ""; }
    /// Prints the line of the stage that ended, once it is known that it does not go on.
    void print_ended();
    void print_seconds(const std::string& stage, double seconds);
    /// The seconds of all stages but this one.
    double seconds_of_others() const;

    bool quiet_;
    bool terminal_;
    std::string stage_;
    std::string ended_; ///< stage whose line is to come; "" for none
    double ended_seconds_ = 0;
    std::map<std::string, double> printed_; ///< seconds in the lines of stages
    std::chrono::steady_clock::time_point begin_; ///< start of the stage
    double expected_ = 0; ///< its predicted seconds; 0 where nothing is known
    std::map<std::string, double> expected_stages_; ///< seconds of all stages, where they are known
    std::string bar_; ///< bar that is shown
    std::string frame_; ///< "frame 3 of 21 (slice 2), " within several frames
    std::set<std::string> frame_stages_; ///< stages that ended within several frames
};

/// Opens what computes, whose notes go to `report`, which must outlive it; on a `device` that is
/// open, unless that is null.
std::unique_ptr<Transforms> open_transforms(ComputeOptions options, Reporter& report,
                                            std::shared_ptr<Device> device = nullptr);

/// Devices that stay open for several scans.
class OpenDevices {
public:
    /// Opens the transforms on the device that these options choose; the device is opened when no
    /// earlier options chose it. Notes on the device go to `of_device`, others to `report`.
    /// `words` are what else the scan asks for: scans of the same words leave what they made of
    /// their trajectories to each other, on devices in the memory of the host.
    std::unique_ptr<Transforms> open(const ComputeOptions& options, const std::string& words,
                                     Reporter& of_device, Reporter& report);
    void forget() { devices_.clear(); }

private:
    struct OpenDevice {
        std::shared_ptr<Device> device;
        std::string words; ///< those of the last scan
        std::shared_ptr<ContentStore> kept; ///< of its trajectories; ends before the device
    };
    std::map<std::string, OpenDevice> devices_;
};

} // namespace lsrecon::app
