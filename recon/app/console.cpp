#include "app/console.hpp"

#include <algorithm>
#include <cmath>
#include <unistd.h>

#include "app/output.hpp"
#include "app/validators.hpp"
#include "base/numbers.hpp"
#include "scan/units.hpp"

namespace lsrecon::app {

namespace {

constexpr double mebibyte = 1024 * 1024; // bytes

} // namespace

Console::Console(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Console::progress(double fraction) {
    const int percent = static_cast<int>(100 * fraction);
    if (quiet_ || !terminal_ || percent == last_percent_) {
        return;
    }
    last_percent_ = percent;
    put(stderr, formatted("%s%-10s %3d %%", frame_.c_str(), stage_.c_str(), percent), "\r", "");
}

void Console::print_seconds(const std::string& what, double seconds) const {
    if (!quiet_) {
        put(stderr, formatted("%-10s %8.3f s", what.c_str(), seconds), line_start());
    }
}

void Console::on_begin(const std::string& stage) {
    stage_ = stage;
    last_percent_ = -1;
    progress(0);
}

void Console::on_end(const std::string& stage, double seconds) {
    if (frame_.empty()) {
        print_seconds(stage, seconds);
        return;
    }
    const auto known = std::find_if(frame_stages_.begin(), frame_stages_.end(),
                                    [&](const auto& entry) { return entry.first == stage; });
    if (known == frame_stages_.end()) {
        frame_stages_.emplace_back(stage, seconds);
    } else {
        known->second += seconds;
    }
}

void Console::tell(const std::string& message) {
    if (!quiet_) {
        put(stderr, message, terminal_ ? "\r" : "");
    }
}

void Console::on_note(const std::string& message) {
    put(stderr, "note: " + frame_ + message, line_start());
}

void Console::on_failure(const std::string& message) {
    put_error(message, line_start());
}

void Console::on_frame(std::size_t number, std::size_t count, const std::string& label) {
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
    for (const auto& [stage, seconds] : frame_stages_) {
        print_seconds(stage, seconds);
    }
    frame_stages_.clear();
}

std::string joined(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) {
        result += (result.empty() ? "" : ",") + word;
    }
    return result;
}

Record record_of_flags(const ReadOptions& read, const BackendOptions& backend) {
    std::string precision;
    if (backend.precision) {
        precision = *backend.precision == Precision::float64 ? "double" : "single";
    }
    const double memory = backend.device_memory;
    return {{"command", command_line()},
            {"traj_units_asked_for", read.trajectory_units},
            {"join", joined(read.join)},
            {"precision_asked_for", precision},
            {"segment_error", text(backend.segment_error)},
            {"device_memory", memory > 0 ? text(memory / mebibyte, " MiB") : "all"}};
}

void add_precision_flag(CLI::App& sub, std::optional<Precision>& precision,
                        const std::string& help) {
    sub.add_option_function<std::string>(
           "--precision",
           [&precision](const std::string& word) {
               precision = word == "double" ? Precision::float64 : Precision::float32;
           },
           help)
        ->check(one_of({"single", "double"}));
}

void add_backend_flags(CLI::App& sub, BackendOptions& options) {
    std::string names;
    for (const BackendRow& row : backend_rows()) {
        names += (names.empty() ? "" : ", ") + row.name + (row.built ? "" : " (not built in)");
    }
    sub.add_option("--backend", options.backend, "one of " + names)->capture_default_str();
    sub.add_option("--device", options.device,
                   "OpenCL device: index, part of its name, or type (gpu, cpu, accelerator); "
                   "see 'lsrecon devices' [a GPU when there is one]");
    sub.add_option("--kernel", options.kernel,
                   "transform variant; see 'lsrecon devices' [separable]");
    add_precision_flag(
        sub, options.precision,
        "precision of transforms and solver; time segments keep --segment-error [transforms "
        "single; conjugate gradients double if the device supports it]");
    sub.add_option("--segment-error", options.segment_error,
                   "relative error of the time segments into which off-resonance is divided; "
                   "variants of the direct transform, such as tuned, have none")
        ->check(number_between(1e-7, 0.5))
        ->capture_default_str();
    sub.add_option_function<double>(
           "--device-memory",
           [&options](double count) { options.device_memory = count * mebibyte; },
           "limit on device memory in MiB [all]")
        ->check(positive_number());
}

std::unique_ptr<Backend> open_backend(BackendOptions options, Reporter& report) {
    options.note = [&report](const std::string& message) { report.note(message); };
    return make_backend(options);
}

namespace {

void add_list(CLI::App& sub, const std::string& flag, IndexList& list, const std::string& help) {
    sub.add_option_function<std::string>(
           flag, [&list](const std::string& word) { list = IndexList(word); }, help)
        ->type_name("INDEX[,INDEX-INDEX]")
        ->check(CLI::Validator(
            [](const std::string& word) {
                try {
                    IndexList list_of(word);
                    return std::string();
                } catch (const UsageError& error) {
                    return std::string(error.what());
                }
            },
            ""));
}

/// "fov_mm=220,220"
void add_header_flag(CLI::App& sub, ReadOptions& options) {
    const auto take = [&options](const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            const std::string name = word.substr(0, word.find('='));
            const bool voxels = name == "matrix";
            std::vector<double> numbers;
            bool right = voxels || name == "fov_mm";
            for (const std::string& part :
                 CLI::detail::split(word.substr(std::min(name.size() + 1, word.size())), ',')) {
                const double number = finite_number(part).value_or(0);
                right = right && number > 0 &&
                        (!voxels || (number == std::floor(number) &&
                                     number <= static_cast<double>(longest_side)));
                numbers.push_back(number);
            }
            if (!right || numbers.size() < 2 || numbers.size() > 3) {
                throw CLI::ValidationError(
                    "--header",
                    refusal(word, "fov_mm=X,Y[,Z] in mm or matrix=X,Y[,Z] in voxels, above 0"));
            }
            options.header[name] = numbers;
        }
    };
    sub.add_option_function<std::vector<std::string>>(
           "--header", take,
           "what the header of the scan should say, where it is wrong: fov_mm=X,Y[,Z] in mm, "
           "matrix=X,Y[,Z] in voxels")
        ->allow_extra_args(false)
        ->type_name("NAME=NUMBERS");
}

/// Which part of the file is read.
void add_choice_flags(CLI::App& sub, ReadOptions& options) {
    sub.add_option("--group", options.group,
                   "raw data: the top-level group of the file to read [the first with image data]");
    sub.add_option("--encoding", options.encoding,
                   "raw data: the encoding to read [the first with image data]")
        ->check(whole_number("a whole number from 0", true));
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        const std::string& name = frame_counters()[i];
        add_list(sub, "--" + name, options.counters[i],
                 "raw data: read frames with these values of the counter only, such as 0,2,5-9");
    }
    add_list(sub, "--frames", options.frames,
             "frames to read, counted from 0 after the other selections");
    auto* const spokes =
        sub.add_option("--spokes-per-frame", options.spokes_per_frame,
                       "raw data: cut each frame into frames of this many consecutive readouts")
            ->check(whole_number("a whole number from 1", false));
    sub.add_option("--stride", options.stride,
                   "readouts from the start of one such frame to the next: a sliding window where "
                   "it is less [--spokes-per-frame]")
        ->check(whole_number("a whole number from 1", false))
        ->needs(spokes);
}

} // namespace

void add_scan_flags(CLI::App& sub, std::string& scan, ReadOptions& options) {
    sub.add_option("SCAN", scan, "scan file, recognised by its content")
        ->required()
        ->check(file_name());
    sub.add_option("--traj-units", options.trajectory_units,
                   "units of the trajectory, in place of what the file says")
        ->check(one_of(trajectory_unit_names()));
    sub.add_flag("--low-resolution", options.low_resolution,
                 "accept a trajectory that stays below N/4, which is nearly always a wrong unit");
    sub.add_option("--join", options.join,
                   "raw data: acquisitions that differ in these counters alone are one frame")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("COUNTER[,COUNTER]")
        ->check(one_of(frame_counters()));
    add_header_flag(sub, options);
    add_choice_flags(sub, options);
}

void add_output_flag(CLI::App& sub, std::string& output, const std::string& what) {
    sub.add_option("-o,--output", output, what)->required()->check(file_name());
}

void add_quiet_flag(CLI::App& sub, bool& quiet) {
    sub.add_flag("--quiet", quiet, "no progress on stderr; notes and warnings stay");
}

namespace {
std::string& stored_command_line() {
    static std::string line;
    return line;
}
} // namespace

const std::string& command_line() {
    return stored_command_line();
}

void remember_command_line(int argc, char** argv) {
    std::string& line = stored_command_line();
    line.clear();
    for (int i = 0; i < argc; ++i) {
        line += (i == 0 ? "" : " ") + std::string(argv[i]);
    }
}

} // namespace lsrecon::app
