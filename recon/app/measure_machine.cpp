#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>

#include "app/predict.hpp"
#include "base/numbers.hpp"
#include "base/temporary_folder.hpp"
#include "base/timer.hpp"
#include "device/described_device.hpp"
#include "io/hdf5/reader.hpp"

extern char** environ; // NOLINT: POSIX

namespace lsrecon::app {

namespace {

namespace fs = std::filesystem;

/// A scan, and the options of its reconstructions.
struct Case {
    const char* scan;
    std::vector<const char*> options;
    bool is_large = false; ///< for devices that did the others in no time
};

/// From the smallest scans to large ones, so that each member of the pace is most of some stage.
const std::vector<Case>& cases() {
    constexpr const char* exact = "--engine exact --lambda 0 --iterations 20";
    constexpr const char* fast = "--engine nufft --lambda 0 --iterations 30";
    constexpr const char* few = "--engine nufft --lambda 0 --iterations 5";
    constexpr const char* weighted = "--engine nufft --lambda 0.01 --iterations 20";
    constexpr const char* wavelets = "--engine nufft --reg wavelet:0.01 --iterations 10";
    constexpr const char* split = "--engine nufft --reg tv:0.02 --iterations 10";
    static const std::vector<Case> rows{
        {"--trajectory radial --matrix 24,24", {exact, fast}},
        {"--trajectory radial --matrix 40,40 --coils 24", {exact, split}},
        {"--trajectory radial --matrix 90,90 --coils 8", {exact, fast, split, wavelets}},
        {"--trajectory radial --matrix 256,256 --coils 4", {fast, few, weighted}},
        {"--trajectory spiral --matrix 160,160 --coils 24 --without-maps", {few}},
        {"--trajectory spiral --matrix 48,48 --coils 6 --without-maps", {exact, weighted}},
        {"--trajectory radial-3d --matrix 32,32,32", {exact, fast, split, wavelets}},
        {"--trajectory radial-3d --matrix 64,64,64 --coils 4", {few, fast}},
        {"--trajectory cones --matrix 48,48,48 --coils 8 --without-maps", {few}},
        {"--trajectory random --matrix 80,80,80 --readouts 100 --samples-per-readout 1000",
         {exact, fast, split}},
        {"--trajectory radial-3d --matrix 128,128,128 --coils 8",
         {exact, fast, split, wavelets},
         true},
        {"--trajectory random --matrix 192,192,192 --readouts 3000 --samples-per-readout 1000",
         {few, fast},
         true},
    };
    return rows;
}

constexpr double most_before_large = 0.25; ///< seconds of Q in any of the others

/// A reconstruction that was measured.
struct Run {
    std::string scan;
    std::string options;
    double seconds; ///< of the whole process
    std::map<std::string, double> stages;
};

/// What a stage took, and what each member of the pace has to do with it.
struct Equation {
    Eigen::VectorXd work = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(pace_rows().size()));
    double seconds = 0;
};

/// By a process of this program, in silence, which knows no earlier pace. DeviceError when it
/// fails.
double seconds_of_process(const TemporaryFolder& scratch, const std::string& words) {
    const fs::path program = fs::read_symlink("/proc/self/exe");
    const std::string line = text("LSRECON_CACHE='", scratch.file("cache"), "' exec '",
                                  program.string(), "' ", words, " --quiet >/dev/null 2>&1");
    const char* const arguments[] = {"sh", "-c", line.c_str(), nullptr};
    pid_t process = 0;
    const auto begin = std::chrono::steady_clock::now();
    int status = ::posix_spawn(&process, "/bin/sh", nullptr, nullptr,
                               const_cast<char* const*>(arguments), environ);
    if (status == 0) {
        ::waitpid(process, &status, 0);
    }
    if (status != 0) {
        const std::string ended = WIFEXITED(status) ? text("exit code ", WEXITSTATUS(status))
                                                    : text("wait status ", status);
        throw DeviceError(text("measuring: 'lsrecon ", words, "' ended with ", ended,
                               "\n  next:     simulate that scan and run it to see why"));
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

std::map<std::string, double> stages_of(const Prediction& prediction) {
    std::map<std::string, double> stages(prediction.stages.begin(), prediction.stages.end());
    // What no stage of the record has.
    stages["start"] += stages["write"];
    stages.erase("write");
    return stages;
}

/// Predictions are linear in the pace, but for what is chosen by it.
std::map<std::string, Equation> equations_of(const Machine& machine, const ReconOptions& options,
                                             const KnownScan& scan, Reporter& report) {
    std::map<std::string, Equation> equations;
    const auto stages_by = [&](const Pace& pace) {
        const Machine other{machine.device, pace};
        const auto transforms =
            open_transforms(options.compute, report, make_described_device(other));
        return stages_of(predict_on(*transforms, options, scan).prediction);
    };
    const std::map<std::string, double> before = stages_by(machine.pace);
    const std::vector<PaceRow>& rows = pace_rows();
    for (std::size_t j = 0; j < rows.size(); ++j) {
        constexpr double share = 1e-3;
        Pace more = machine.pace;
        const double step = share * machine.pace.*rows[j].member;
        more.*rows[j].member += step;
        for (const auto& [stage, seconds] : stages_by(more)) {
            const auto found = before.find(stage);
            const double was = found != before.end() ? found->second : 0;
            equations[stage].work(static_cast<Eigen::Index>(j)) = (seconds - was) / step;
        }
    }
    return equations;
}

/// Numbers that are not negative, of which predictions are as often too long as too short: least
/// squares by coordinate descent, weighted by the predictions of the round before, so that
/// (p - t)^2 / (p t) is least.
Eigen::VectorXd fitted(const std::vector<Equation>& equations, Eigen::VectorXd x) {
    constexpr double hardly_any = 0.01; // seconds, of which errors tell nothing
    constexpr int weightings = 50;
    constexpr int rounds = 500;
    const Eigen::Index n = x.size();
    for (int weighting = 0; weighting < weightings; ++weighting) {
        Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n, n);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
        for (const Equation& equation : equations) {
            const double weight =
                1 / ((equation.seconds + hardly_any) * (equation.work.dot(x) + hardly_any));
            normal += weight * equation.work * equation.work.transpose();
            right += weight * equation.seconds * equation.work;
        }
        for (int round = 0; round < rounds; ++round) {
            for (Eigen::Index j = 0; j < n; ++j) {
                if (normal(j, j) > 0) {
                    const double rest = right(j) - normal.row(j).dot(x) + normal(j, j) * x(j);
                    x(j) = std::max(0.0, rest / normal(j, j));
                }
            }
        }
    }
    return x;
}

/// Before this process opens a device: a driver starts faster where another process holds it.
std::vector<Run> runs_of(const std::string& device, const TemporaryFolder& scratch,
                         Reporter& report) {
    const Stage stage(report, "measure");
    const std::string image = scratch.file("image.h5");
    const std::string on_device = device.empty() ? "" : " --device '" + device + "'";
    std::vector<Run> runs;
    double longest_q = 0;
    double done = 0;
    for (const Case& one : cases()) {
        report.progress(done++ / static_cast<double>(cases().size()));
        if (one.is_large && longest_q > most_before_large) {
            continue;
        }
        const std::string scan = scratch.file(text("scan", runs.size(), ".h5"));
        seconds_of_process(scratch,
                           text("simulate ", one.scan, " --noise 0.01 -o ", scan, on_device));
        for (const char* const words : one.options) {
            const std::string recon = text("recon ", scan, " -o ", image, " ", words, on_device);
            seconds_of_process(scratch, recon); // compiles
            const auto measured = [&] {
                const double wall = seconds_of_process(scratch, recon);
                return Run{scan, words, wall, stages_of(image)};
            };
            const Run run = measured();
            const Run again = measured(); // a busy moment is in one of them
            runs.push_back(run.seconds < again.seconds ? run : again);
            longest_q = std::max(longest_q, runs.back().stages["q"]);
        }
    }
    return runs;
}

/// Of the stages of each run, and of each run as a whole.
struct Equations {
    std::vector<Equation> stages;
    std::vector<Equation> totals;
};

Equations equations_of(const Machine& machine, std::vector<Run> runs,
                       const TemporaryFolder& scratch) {
    Equations equations;
    for (Run& run : runs) {
        ReconOptions options;
        take_words(options_of(options), run.options);
        options.scan = run.scan;
        options.output = scratch.file("image.h5");
        settle(options);
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

/// By which nine of ten are wrong at most, and a little more: other scans were not fitted.
double spread_of(const std::vector<Equation>& totals, const Eigen::VectorXd& pace) {
    constexpr double of_ten = 0.9;
    constexpr double more = 1.1;
    std::vector<double> ratios;
    for (const Equation& total : totals) {
        ratios.push_back(std::exp(std::abs(std::log(total.work.dot(pace) / total.seconds))));
    }
    std::sort(ratios.begin(), ratios.end());
    return more * ratios[static_cast<std::size_t>(of_ten * static_cast<double>(ratios.size()))];
}

} // namespace

Machine measure_machine(const std::string& device, Reporter& report) {
    const TemporaryFolder scratch("measure");
    const std::vector<Run> runs = runs_of(device, scratch, report);
    const std::vector<DeviceInfo> devices = list_devices();
    const DeviceInfo info = devices[static_cast<std::size_t>(choose_device(devices, device))];
    Machine machine{info, nominal_pace(info.type == "gpu")};
    const Equations equations = equations_of(machine, runs, scratch);
    const std::vector<PaceRow>& rows = pace_rows();
    Eigen::VectorXd pace(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t j = 0; j < rows.size(); ++j) {
        pace(static_cast<Eigen::Index>(j)) = machine.pace.*rows[j].member;
    }
    pace = fitted(equations.stages, pace);
    for (std::size_t j = 0; j < rows.size(); ++j) {
        machine.pace.*rows[j].member = pace(static_cast<Eigen::Index>(j));
    }
    machine.pace.spread = spread_of(equations.totals, pace);
    return machine;
}

} // namespace lsrecon::app
