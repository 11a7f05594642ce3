// Draws the progress bar on a terminal, prints stages and their seconds in a log, and opens
// devices, a GPU for each rank of a node.

#include "app/console.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "app/output.hpp"
#include "app/ranks.hpp"
#include "base/content_store.hpp"
#include "base/error.hpp"
#include "base/machine.hpp"

namespace lsrecon::app {

Console::Console(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Console::progress(double fraction) {
    if (quiet_ || !terminal_) {
        return;
    }
    constexpr double width = 24; // columns
    constexpr double least = 0.02; // of a stage, before its speed says more than a prediction
    const auto done = static_cast<std::size_t>(width * std::clamp(fraction, 0.0, 1.0));
    const double seconds = seconds_since(begin_);
    const bool is_known = fraction > least && seconds > 1;
    const double rest = seconds_of_others() + (is_known ? seconds * (1 - fraction) / fraction
                                                        : std::max(0.0, expected_ - seconds));
    const std::string left = is_known || rest > 1 ? formatted(", %.0f s left", rest) : "";
    const std::string bar =
        formatted("%s%-10s [%s%s] %3.0f %%  %.0f s%s", frame_.c_str(), stage_.c_str(),
                  std::string(done, '=').c_str(),
                  std::string(static_cast<std::size_t>(width) - done, ' ').c_str(), 100 * fraction,
                  seconds, left.c_str());
    if (bar != bar_) {
        bar_ = bar;
        put(stderr, bar, line_start(), "");
    }
}

double Console::seconds_of_others() const {
    std::map<std::string, double> left = expected_stages_;
    left.erase(stage_);
    for (const auto& [stage, seconds] : stage_seconds()) {
        if (const auto found = left.find(stage); found != left.end()) {
            found->second = std::max(0.0, found->second - seconds);
        }
    }
    double sum = 0;
    for (const auto& [stage, seconds] : left) {
        sum += seconds;
    }
    return sum;
}

void Console::print_seconds(const std::string& stage, double seconds) {
    if (!quiet_ && printed_.emplace(stage, seconds).second) {
        put(stderr, formatted("%-10s %8.3f s", stage.c_str(), seconds), line_start());
    }
}

void Console::print_ended() {
    if (!ended_.empty()) {
        print_seconds(std::exchange(ended_, ""), ended_seconds_);
    }
}

Console::~Console() {
    report_repeated_stages();
}

void Console::report_repeated_stages() {
    constexpr double shown = 0.0005; // s, the last digit of a line
    print_ended();
    for (const auto& [stage, seconds] : stage_seconds()) {
        const auto line = printed_.find(stage);
        if (line != printed_.end() && seconds > line->second + shown) {
            info(formatted("%-10s %8.3f s in all", stage.c_str(), seconds));
            line->second = seconds;
        }
    }
}

void Console::on_begin(const std::string& stage, double expected_seconds) {
    if (stage != ended_) {
        print_ended();
    }
    stage_ = stage;
    expected_ = expected_seconds;
    begin_ = std::chrono::steady_clock::now();
    progress(0);
}

void Console::on_end(const std::string& stage, double seconds) {
    if (!frame_.empty()) {
        frame_stages_.insert(stage);
    } else if (stage == ended_) {
        ended_seconds_ += seconds;
    } else {
        print_ended();
        ended_ = stage;
        ended_seconds_ = seconds;
    }
}

void Console::info(const std::string& message) {
    print_ended();
    if (!quiet_) {
        put(stderr, message, line_start());
    }
}

void Console::on_finding(const Finding& finding) {
    print_ended();
    if (row_of(finding).severity == Severity::error) {
        put_error(words_of(finding), line_start());
    } else {
        put(stderr, "note: " + frame_ + words_of(finding), line_start());
    }
}

void Console::on_frame(std::size_t number, std::size_t count, const std::string& label) {
    print_ended();
    const std::string frame =
        text("frame ", number, " of ", count, label.empty() ? "" : " (" + label + ")");
    frame_ = frame + ", ";
    // A terminal shows it beside the stage; a log gets some twenty lines even for thousands of
    // frames.
    constexpr std::size_t lines = 20;
    if (!quiet_ && !terminal_ && number * lines / count > (number - 1) * lines / count) {
        put(stderr, frame);
    }
}

void Console::on_frames_end() {
    frame_.clear();
    for (const auto& [stage, seconds] : stage_seconds()) {
        if (frame_stages_.count(stage) > 0) {
            print_seconds(stage, seconds);
        }
    }
    frame_stages_.clear();
}

namespace {

/// The GPU of a rank among those of its node; what was wanted, where there is no GPU.
std::string device_of_rank(std::size_t rank_on_node, const std::string& wanted) {
    std::vector<int> gpus;
    for (const DeviceInfo& device : list_devices()) {
        if (device.type == "gpu" && device.available) {
            gpus.push_back(device.index);
        }
    }
    return gpus.empty() ? wanted : text(gpus[rank_on_node % gpus.size()]);
}

} // namespace

std::unique_ptr<Transforms> open_transforms(ComputeOptions options, Reporter& report,
                                            std::shared_ptr<Device> device) {
    const bool any_gpu = options.device.empty() || options.device == "gpu";
    if (!device && any_gpu && options.backend != "host" && !is_reference(options.backend) &&
        ranks().count_on_node() > 1) {
        options.device = device_of_rank(ranks().rank_on_node(), options.device);
    }
    options.on_finding = [&report](const Finding& finding) { report.add(finding); };
    options.on_info = [&report](const std::string& message) { report.info(message); };
    return lsrecon::open_transforms(std::move(options), engines(), std::move(device));
}

std::unique_ptr<Transforms> OpenDevices::open(const ComputeOptions& options,
                                              const std::string& words, Reporter& of_device,
                                              Reporter& report) {
    constexpr std::size_t most_kept = std::size_t(32) << 20; // hardly any of a host's memory
    OpenDevice& on =
        devices_[text(options.backend, " ", options.device, " ", options.device_memory)];
    if (!on.device) {
        on.device = open_transforms(options, of_device)->shared_device();
    }
    // Kept samples would cut the work into other pieces if memory is scarce.
    if (on.words != words || !on.kept) {
        const bool keeps = on.device->in_host_memory() && options.device_memory == 0;
        on.kept = keeps ? std::make_shared<ContentStore>(most_kept) : nullptr;
        on.words = words;
    }
    ComputeOptions with_kept = options;
    with_kept.kept = on.kept;
    return open_transforms(std::move(with_kept), report, on.device);
}

} // namespace lsrecon::app
