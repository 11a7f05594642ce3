// devices: lists what OpenCL offers here, and measures how fast this machine is.

#include <Eigen/Dense>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/recon.hpp"
#include "base/folders.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "base/platform.hpp"
#include "device/host_device.hpp"
#include "engines/tuning.hpp"
#include "io/hdf5/reader.hpp"

namespace lsrecon::app {

namespace {

/// A scan, and the options of its reconstructions.
struct Case {
    const char* scan;
    std::vector<const char*> options;
    bool is_large = false; ///< case for devices that did the others in no time
};

/// The cases, so that each measured factor is most of some stage of the first four.
const std::vector<Case>& cases() {
    constexpr const char* exact = "--engine exact --lambda 0 --iterations 20";
    constexpr const char* fast = "--engine nufft --lambda 0 --iterations 30";
    constexpr const char* few = "--engine nufft --lambda 0 --iterations 5";
    constexpr const char* wavelets = "--engine nufft --reg wavelet:0.01 --iterations 10";
    constexpr const char* split = "--engine nufft --reg tv:0.02 --iterations 10";
    static const std::vector<Case> rows{
        {"--trajectory radial --matrix 24,24", {exact, fast}},
        {"--trajectory radial-3d --matrix 32,32,32", {exact, wavelets}},
        {"--trajectory spiral --matrix 160,160 --coils 24 --without-maps", {few}},
        {"--trajectory random --matrix 80,80,80 --readouts 100 --samples-per-readout 1000",
         {fast, split}},
        {"--trajectory radial-3d --matrix 96,96,96 --coils 4", {exact, split}, true},
        {"--trajectory radial --matrix 256,256 --coils 4", {fast}},
        {"--trajectory radial-3d --matrix 128,128,128 --coils 8", {fast}, true},
        {"--trajectory random --matrix 192,192,192 --readouts 3000 --samples-per-readout 1000",
         {fast},
         true},
        {"--trajectory radial-3d --matrix 64,64,64 --coils 4", {fast}},
        {"--trajectory radial --matrix 90,90 --coils 8", {exact, split}},
        {"--trajectory cones --matrix 48,48,48 --coils 8 --without-maps", {few}},
    };
    return rows;
}

constexpr double most_before_large = 0.03; ///< seconds of Q in any of those before
constexpr double most_seconds = 35; ///< after which no other scan is begun

/// A reconstruction that was measured.
struct Run {
    std::string scan;
    std::string options;
    double seconds; ///< seconds of the whole process
    std::map<std::string, double> stages;
};

/// The seconds of a stage, and the part that each measured factor has in them.
struct Equation {
    Eigen::VectorXd work =
        Eigen::VectorXd::Zero(static_cast<Eigen::Index>(machine_factors().size()));
    double seconds = 0;
};

using Words = std::vector<std::string>;

/// Replaces a copy of this process by this program, which ends with it and writes its messages to
/// a file.
[[noreturn]] void become_program(const TemporaryFolder& scratch, Words words, pid_t parent) {
    platform::end_with_parent();
    if (::getppid() != parent) {
        ::_exit(0); // it ended before the line above
    }
    const int nothing = ::open("/dev/null", O_WRONLY);
    const int said = ::open(scratch.file("said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    words.insert(words.begin(), "lsrecon");
    words.emplace_back("--quiet");
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    ::execvp(platform::this_program(), arguments.data());
    ::_exit(127);
}

/// The seconds of a process of this program. DeviceError, with its messages, when it fails.
double seconds_of_process(const TemporaryFolder& scratch, const Words& words) {
    const pid_t parent = ::getpid();
    const auto begin = std::chrono::steady_clock::now();
    const pid_t process = ::fork();
    if (process == 0) {
        become_program(scratch, words, parent);
    }
    int status = -1;
    if (process > 0) {
        ::waitpid(process, &status, 0);
    }
    if (status != 0) {
        std::ostringstream said;
        said << std::ifstream(scratch.file("said")).rdbuf();
        throw DeviceError(text("measuring: 'lsrecon ", separated_by(" ", words), "' ended with ",
                               WIFEXITED(status) ? text("exit code ", WEXITSTATUS(status))
                                                 : text("wait status ", status),
                               "\n", said.str()));
    }
    return seconds_since(begin);
}

std::map<std::string, double> stages_of(const std::string& image) {
    const std::string prefix = "seconds_";
    const Hdf5Reader file(image);
    std::map<std::string, double> stages;
    for (const std::string& name : file.attribute_names("record")) {
        if (name.rfind(prefix, 0) == 0) {
            stages[name.substr(prefix.size())] = file.attribute_numbers("record", name).front();
        }
    }
    return stages;
}

std::map<std::string, double> stages_of(const Plan& plan) {
    std::map<std::string, double> stages(plan.stages.begin(), plan.stages.end());
    // Writing is no stage of the record: it counts as part of the start.
    stages["start"] += stages["write"];
    stages.erase("write");
    return stages;
}

/// Predictions are linear in the factors.
std::map<std::string, Equation> equations_of(const Machine& machine, const ReconOptions& options,
                                             const KnownScan& scan, Reporter& report) {
    std::map<std::string, Equation> equations;
    const auto stages_by = [&](const MachineModel& model) {
        const Machine other{machine.device, model};
        const auto transforms =
            open_transforms(options.compute, report, make_described_device(other));
        return stages_of(predict_on(*transforms, options, scan).plan);
    };
    const bool is_gpu = machine.device.type == "gpu";
    const std::map<std::string, double> before = stages_by(machine.model);
    for (std::size_t j = 0; j < machine_factors().size(); ++j) {
        constexpr double step = 1e-3;
        std::vector<double> factors(machine_factors().size(), 1);
        factors[j] += step;
        for (const auto& [stage, seconds] :
             stages_by(measured_model(is_gpu, all_cores(), factors))) {
            const auto found = before.find(stage);
            const double was = found != before.end() ? found->second : 0;
            equations[stage].work(static_cast<Eigen::Index>(j)) = (seconds - was) / step;
        }
    }
    return equations;
}

/// Factors of which predictions are as often too long as too short: least squares, weighted by the
/// predictions of the round before, so that (p - t)^2 / (p t) is least. What no run shows stays
/// nominal.
Eigen::VectorXd fitted(const std::vector<Equation>& equations) {
    constexpr double hardly_any = 0.01; // seconds, of which errors show nothing
    constexpr double least = 1e-3;
    constexpr double to_nominal = 1e-3; // of all squares
    constexpr int weightings = 50;
    const auto n = static_cast<Eigen::Index>(machine_factors().size());
    Eigen::VectorXd x = Eigen::VectorXd::Ones(n);
    for (int weighting = 0; weighting < weightings; ++weighting) {
        Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n, n);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
        for (const Equation& equation : equations) {
            const double weight =
                1 / ((equation.seconds + hardly_any) * (equation.work.dot(x) + hardly_any));
            normal += weight * equation.work * equation.work.transpose();
            right += weight * equation.seconds * equation.work;
        }
        const double held = to_nominal * normal.trace();
        normal.diagonal().array() += held;
        right.array() += held;
        x = normal.ldlt().solve(right).cwiseMax(least);
    }
    return x;
}

Words in_words(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Reconstructions of a scan, each the faster of two unless it takes long.
std::vector<Run> runs_of(const Case& one, const std::string& scan, const Words& on_device,
                         const TemporaryFolder& scratch, Reporter& report) {
    constexpr double long_enough = 1; // seconds
    const auto all = [](std::vector<Words> parts) {
        Words words;
        for (const Words& part : parts) {
            words.insert(words.end(), part.begin(), part.end());
        }
        return words;
    };
    const std::string image = scratch.file("image.h5");
    seconds_of_process(
        scratch,
        all({{"simulate"}, in_words(one.scan), {"--noise", "0.01", "-o", scan}, on_device}));
    std::vector<Run> runs;
    for (const char* const options : one.options) {
        const Words recon = all({{"recon", scan, "-o", image}, in_words(options), on_device});
        seconds_of_process(scratch, recon); // compiles
        const auto measured = [&] {
            const double wall = seconds_of_process(scratch, recon);
            return Run{scan, options, wall, stages_of(image)};
        };
        Run run = measured();
        if (run.seconds < long_enough) {
            const Run again = measured(); // a busy moment is in one of them
            run = run.seconds < again.seconds ? run : again;
        }
        runs.push_back(run);
        report.info(text("  recon ", options, ": ", rounded(runs.back().seconds), " s"));
    }
    return runs;
}

/// The runs, made before this process opens a device: a driver starts faster where another process
/// holds it.
std::vector<Run> all_runs(const std::string& device, const TemporaryFolder& scratch,
                          Reporter& report) {
    const Stage stage(report, "measure");
    const Words on_device = device.empty() ? Words() : Words{"--device", device};
    std::vector<Run> runs;
    double longest_q = 0;
    const std::size_t count = cases().size();
    report.info(text("reconstructs up to ", count, " simulated scans in less than a minute"));
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
        const Case& one = cases()[i];
        report.progress(static_cast<double>(i) / static_cast<double>(count));
        const std::string which = text("scan ", i + 1, " of ", count, ", ", one.scan);
        if (seconds_since(begin) > most_seconds) {
            report.info(which + ": left out with those after it, since the others took long");
            break;
        }
        if (one.is_large && longest_q > most_before_large) {
            report.info(which + ": left out, since the others took long enough");
            continue;
        }
        report.info(which);
        for (Run& run :
             runs_of(one, scratch.file(text("scan", i, ".h5")), on_device, scratch, report)) {
            longest_q = std::max(longest_q, run.stages["q"]);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

/// The equations of the stages of each run, and of each run as a whole.
struct Equations {
    std::vector<Equation> stages;
    std::vector<Equation> totals;
};

Equations equations_of(const Machine& machine, std::vector<Run> runs,
                       const TemporaryFolder& scratch) {
    Equations equations;
    for (Run& run : runs) {
        ReconOptions options;
        take_words(options_of_recon(options), run.options);
        options.scan = run.scan;
        options.output = scratch.file("image.h5");
        settle_and_check_files(options);
        double of_stages = 0;
        for (const auto& [name, seconds] : run.stages) {
            of_stages += seconds;
        }
        run.stages["start"] = run.seconds - of_stages;
        Reporter silent;
        Equation total;
        total.seconds = run.seconds;
        for (auto& [name, equation] : equations_of(machine, options, known_scan(options), silent)) {
            equation.seconds = run.stages[name];
            total.work += equation.work;
            equations.stages.push_back(equation);
        }
        equations.totals.push_back(total);
    }
    return equations;
}

/// The factor by which nine of ten predictions are wrong at most, and a little more: other scans
/// were not fitted.
double spread_of(const std::vector<Equation>& totals, const Eigen::VectorXd& factors) {
    constexpr double of_ten = 0.9;
    constexpr double more = 1.1;
    std::vector<double> ratios;
    for (const Equation& total : totals) {
        ratios.push_back(std::exp(std::abs(std::log(total.work.dot(factors) / total.seconds))));
    }
    std::sort(ratios.begin(), ratios.end());
    return more * ratios[static_cast<std::size_t>(of_ten * static_cast<double>(ratios.size()))];
}

/// Simulates scans, reconstructs each by another process of this program and finds the factors by
/// which predictions come nearest to what these took. `report` gets each. DeviceError when one
/// of these processes fails.
Machine measure_machine(const std::string& device, Reporter& report) {
    const TemporaryFolder scratch("measure");
    const std::vector<Run> runs = all_runs(device, scratch, report);
    const Stage stage(report, "fit");
    const std::vector<DeviceInfo> devices = list_devices();
    const DeviceInfo info = devices[static_cast<std::size_t>(choose_device(devices, device))];
    Machine machine{info, nominal_model(info.type == "gpu", all_cores())};
    const Equations equations = equations_of(machine, runs, scratch);
    const Eigen::VectorXd factors = fitted(equations.stages);
    machine.model =
        measured_model(info.type == "gpu", all_cores(), {factors.begin(), factors.end()});
    machine.model.spread = spread_of(equations.totals, factors);
    return machine;
}

void print(const DeviceInfo& info) {
    const double mib = 1024.0 * 1024.0;
    print_line("%d: %s", info.index, info.name.c_str());
    print_line("   type             %s%s", info.type.c_str(),
               info.available ? "" : ", not available");
    print_line("   platform         %s", info.platform.c_str());
    print_line("   vendor           %s", info.vendor.c_str());
    print_line("   version          %s", info.version.c_str());
    print_line("   driver           %s", info.driver.c_str());
    print_line("   compute units    %u at %u MHz", info.compute_units, info.clock_mhz);
    print_line("   global memory    %.0f MiB, largest buffer %.0f MiB",
               static_cast<double>(info.global_bytes) / mib,
               static_cast<double>(info.max_allocation_bytes) / mib);
    print_line("   constant memory  %.0f KiB", static_cast<double>(info.constant_bytes) / 1024);
    print_line("   local memory     %.0f KiB", static_cast<double>(info.local_bytes) / 1024);
    print_line("   work-group       %zu work-items at most", info.max_work_group);
    print_line("   precision        single%s", info.double_precision ? " and double" : "");
    if (!info.compute_capability.empty()) {
        print_line("   capability       %s", info.compute_capability.c_str());
    }
}

struct DevicesFlags {
    std::string wanted;
    bool measure = false;
    std::string output;
};

OptionTable options_of_devices(DevicesFlags& options) {
    return joined(
        {in("Device", {device_option(options.wanted)}),
         in("Prediction",
            {{"measure", toggle(options.measure), "measure how long the device takes",
              More{"Simulated scans are reconstructed, for less than a minute. `lsrecon predict` "
                   "and the time left that `recon` shows use what is measured from then on."}},
             {"output", name(options.output), "file for the timings of this machine",
              Default{"none"},
              More{"`lsrecon predict --machine FILE` reads it elsewhere. It needs `--measure`."},
              Needs{"measure"}}})});
}

ExitCode measure(const DevicesFlags& options) {
    check_files({}, {{"--output", options.output, FileKind::json}});
    require_folder("LSRECON_CACHE", cache_folder());
    Console console(false);
    const Machine machine = measure_machine(options.wanted, console);
    keep(machine);
    if (!options.output.empty()) {
        write_machine(options.output, machine);
    }
    print_line("%s measured; predictions are within a factor of %.2f for nine runs in ten",
               machine.device.name.c_str(), machine.model.spread);
    return ExitCode::done;
}

ExitCode run_devices(DevicesFlags& options) {
    if (options.measure) {
        return measure(options);
    }
    const std::string& wanted = options.wanted;
    const std::vector<DeviceInfo> devices = list_devices();
    for (const DeviceInfo& info : devices) {
        print(info);
    }
    print_line("processors, by --backend host: %s", processor_name().c_str());
    const int chosen = choose_device(devices, wanted);
    print_line("chosen  %d: %s", chosen, devices[static_cast<std::size_t>(chosen)].name.c_str());
    print_line("kernels %s; chosen %s", comma_separated(kernel_names()).c_str(),
               default_kernel().c_str());
    for (const Tunable& row : tunables()) {
        const ChosenParameters parameters =
            choose_parameters(devices[static_cast<std::size_t>(chosen)], row.kernel, row.stage);
        print_line("        %s %s: %s", row.kernel.c_str(), row.stage.c_str(),
                   parameters.text().c_str());
    }
    return ExitCode::done;
}

} // namespace

Bound bind_devices() {
    return bound(&options_of_devices, &run_devices);
}

} // namespace lsrecon::app
