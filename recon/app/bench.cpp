// bench: times the transforms on this machine, and prints a table as lines and as JSON.

#include <algorithm>
#include <iomanip>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/version.hpp"
#include "measure/benchmark.hpp"

namespace lsrecon::app {

namespace {

struct BenchFlags {
    BenchmarkOptions benchmark;
    std::string json;
    bool quiet = false;
};

std::string name_of(const NufftRow& row) {
    return text("nufft ", row.transform, " at ", row.accuracy);
}
std::string name_of(const CrossoverRow& row) {
    return text("crossover ", row.width, "x", row.width, " ", default_kernel());
}
template <typename Row> std::string name_of(const Row& row) {
    return row.stage + " " + row.kernel;
}

template <typename Rows> void require_verified(const Rows& rows) {
    for (const auto& row : rows) {
        if (!row.verified()) {
            throw ToleranceError(text(name_of(row), " is off by ", row.relative_error,
                                      ", more than ", row.bound,
                                      "\n  next:     do not use this kernel on this device"));
        }
    }
}

/// The loops as the literature calls them.
std::string label_of(const std::string& kernel) {
    if (kernel == "reference" || kernel == "loops") {
        return "LS (CPU, double)";
    }
    if (kernel == "gridding") {
        return "gridding, double";
    }
    return kernel == "reference-single" ? "LS (CPU, single)" : kernel;
}

template <typename Row> void print_failure(const Row& row) {
    print_line("%-6s %-17s not timed: its error %.1e is above %.1e", row.stage.c_str(),
               label_of(row.kernel).c_str(), row.relative_error, row.bound);
}

void print_transforms(const std::vector<BenchmarkRow>& rows) {
    print_line("%-6s %-17s %11s %10s %10s %9s  %-12s %9s %8s", "stage", "kernel", "seconds",
               "GFLOPS", "Gpairs/s", "of limit", "limited by", "speed-up", "error");
    for (const BenchmarkRow& row : rows) {
        if (!row.verified()) {
            print_failure(row);
            continue;
        }
        const std::string label =
            label_of(row.kernel) + (row.precision == Precision::float64 ? ", double" : "");
        const std::string fraction = row.limit > 0 ? text(std::fixed, std::setprecision(1),
                                                          100 * row.fraction_of_limit(), " %")
                                                   : "";
        print_line("%-6s %-17s %10.4g%s %10.4g %10.4g %9s  %-12s %9.4g %8.1e", row.stage.c_str(),
                   label.c_str(), row.seconds, row.scaled ? "*" : " ", row.gflops,
                   1e-9 * row.pairs_per_second, fraction.c_str(), row.limited_by.c_str(),
                   row.speed_up, row.relative_error);
    }
    print_line(
        "GFLOPS by Stone's convention (sin 13, cos 12, + - * / 1); Q counted over all differences");
    if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.scaled; })) {
        print_line("* measured on a part of the voxels and scaled");
    }
}

void print_nufft(const std::vector<NufftRow>& rows) {
    put(stdout, "");
    print_line("%-8s %-11s %9s %6s %8s %8s %10s %10s %11s %9s %9s", "NUFFT", "matrix", "samples",
               "coils", "asked", "error", "first, s", "again, s", "Msamples/s", "FFT, s",
               "sums, s");
    for (const NufftRow& row : rows) {
        std::string matrix;
        for (const std::size_t side : row.matrix) {
            matrix += text(matrix.empty() ? "" : "x", side);
        }
        if (!row.verified()) {
            print_line("%-8s %-11s not timed: its error %.1e is above %.1e", row.transform.c_str(),
                       matrix.c_str(), row.relative_error, row.bound);
            continue;
        }
        print_line("%-8s %-11s %9zu %6zu %8.1e %8.1e %10.4g %10.4g %11.4g %9.2g %9.2g",
                   row.transform.c_str(), matrix.c_str(), row.samples, row.coils, row.accuracy,
                   row.relative_error, row.first_seconds, row.seconds,
                   1e-6 * row.samples_per_second, row.fft_seconds, row.sums_seconds);
    }
    print_line(
        "from array to array; the last two: the least time by the memory traffic of the FFTs, "
        "and by multiply-adds of sums");
}

void print_reconstructions(const std::vector<ReconstructionRow>& rows) {
    put(stdout, "");
    print_line("%-6s %-17s %11s %11s %9s %8s  %s", "stage", "kernel", "seconds", "s/iteration",
               "speed-up", "error", "stages in seconds");
    for (const ReconstructionRow& row : rows) {
        if (!row.verified()) {
            print_failure(row);
            continue;
        }
        std::string stages;
        std::string each;
        if (row.stage == "recon") {
            for (const auto& [stage, seconds] : row.stage_seconds) {
                stages +=
                    text(stages.empty() ? "" : ", ", stage, " ", std::setprecision(3), seconds);
            }
        } else {
            each =
                text(std::setprecision(3),
                     row.seconds / static_cast<double>(std::max<std::size_t>(1, row.iterations)));
        }
        print_line("%-6s %-17s %11.4g %11s %9s %8.1e  %s", row.stage.c_str(),
                   label_of(row.kernel).c_str(), row.seconds, each.c_str(),
                   row.speed_up > 0 ? text(std::setprecision(4), row.speed_up).c_str() : "",
                   row.relative_error, stages.c_str());
    }
    print_line(
        "%zu samples, %zu iterations; error of solve: residual, of recon: against the phantom",
        rows.front().samples, rows.back().iterations);
}

void print_crossover(const std::vector<CrossoverRow>& rows) {
    put(stdout, "");
    print_line("%-9s %12s %16s %12s", "F^H d of", "pairs", "CPU seconds", "device");
    for (const CrossoverRow& row : rows) {
        print_line("%-9s %12.0f %16.3g %12.3g", text(row.width, " x ", row.width).c_str(),
                   row.pairs, row.reference_seconds, row.device_seconds);
    }
    if (const auto pairs = crossover_pairs(rows)) {
        print_line(
            "the device overtakes the loops of the CPU at %.2g pairs, transfer and launch included",
            *pairs);
    } else {
        print_line("the device is %s at every size, transfer and launch included",
                   rows.back().device_seconds < rows.back().reference_seconds ? "faster"
                                                                              : "slower");
    }
}

nlohmann::json as_json(const BenchmarkRow& row) {
    return {{"stage", row.stage},
            {"kernel", row.kernel},
            {"device", row.device},
            {"precision", row.precision == Precision::float64 ? "double" : "single"},
            {"parameters", row.parameters},
            {"seconds", row.seconds},
            {"wall_seconds", row.wall_seconds},
            {"pairs_per_second", row.pairs_per_second},
            {"gflops", row.gflops},
            {"speed_up", row.speed_up},
            {"scaled", row.scaled},
            {"limit_pairs_per_second", row.limit},
            {"limited_by", row.limited_by},
            {"fraction_of_limit", row.fraction_of_limit()}};
}

nlohmann::json as_json(const NufftRow& row) {
    return {{"transform", row.transform},
            {"device", row.device},
            {"matrix", row.matrix},
            {"samples", row.samples},
            {"coils", row.coils},
            {"accuracy", row.accuracy},
            {"first_seconds", row.first_seconds},
            {"seconds", row.seconds},
            {"processor_seconds", row.processor_seconds},
            {"samples_per_second", row.samples_per_second},
            {"least_seconds_of_ffts", row.fft_seconds},
            {"least_seconds_of_sums", row.sums_seconds}};
}

nlohmann::json as_json(const ReconstructionRow& row) {
    return {{"stage", row.stage},
            {"kernel", row.kernel},
            {"device", row.device},
            {"samples", row.samples},
            {"iterations", row.iterations},
            {"seconds", row.seconds},
            {"speed_up", row.speed_up},
            {"stage_seconds",
             std::map<std::string, double>(row.stage_seconds.begin(), row.stage_seconds.end())}};
}

nlohmann::json as_json(const CrossoverRow& row) {
    return {{"matrix", {row.width, row.width}},
            {"pairs", row.pairs},
            {"cpu_seconds", row.reference_seconds},
            {"device_seconds", row.device_seconds}};
}

template <typename Rows> nlohmann::json array_of(const Rows& rows) {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& row : rows) {
        json.push_back(as_json(row));
        json.back().update({{"relative_error", row.relative_error},
                            {"bound", row.bound},
                            {"verified", row.verified()}});
    }
    return json;
}

void print_benchmark(const Benchmark& table) {
    if (!table.device.device.empty()) {
        print_line("device: %s (%s)", table.device.device.c_str(), table.device.driver.c_str());
        print_line("limits: %.4g G multiply-adds/s, pairs of sine and cosine: native %.4g G/s, "
                   "library %.4g G/s",
                   1e-9 * table.rates.multiply_adds, 1e-9 * table.rates.native_pairs,
                   1e-9 * table.rates.library_pairs);
        if (table.rates.matrix_multiply_adds > 0) {
            print_line("        %.4g G multiply-adds/s in double precision by matrix units",
                       1e-9 * table.rates.matrix_multiply_adds);
        }
        put(stdout, "");
    }
    if (!table.transforms.empty()) {
        print_transforms(table.transforms);
    }
    if (!table.nufft.empty()) {
        print_nufft(table.nufft);
    }
    if (!table.reconstructions.empty()) {
        print_reconstructions(table.reconstructions);
    }
    if (!table.crossover.empty()) {
        print_crossover(table.crossover);
    }
}

std::string benchmark_as_json(const Benchmark& table, bool complete, const Reporter& report) {
    nlohmann::json json = json_of_kind("benchmark");
    json.update({{"program", text("lsrecon ", version)},
                 {"command", command_line()},
                 {"date", utc_now()},
                 {"processor", processor_name()},
                 {"device", table.device.device},
                 {"driver", table.device.driver},
                 {"limits",
                  {{"multiply_adds_per_second", table.rates.multiply_adds},
                   {"native_pairs_per_second", table.rates.native_pairs},
                   {"library_pairs_per_second", table.rates.library_pairs}}},
                 {"matrix", table.matrix},
                 {"samples", table.samples},
                 {"complete", complete},
                 {"rows", array_of(table.transforms)},
                 {"nufft", array_of(table.nufft)},
                 {"reconstructions", array_of(table.reconstructions)},
                 {"crossover", {{"rows", array_of(table.crossover)}}},
                 {"warnings", warnings_as_json(report.findings())}});
    if (table.rates.matrix_multiply_adds > 0) {
        json["limits"]["matrix_multiply_adds_per_second"] = table.rates.matrix_multiply_adds;
    }
    if (const auto pairs = crossover_pairs(table.crossover)) {
        json["crossover"]["pairs"] = *pairs;
    }
    return page_of(json);
}

OptionTable options_of_bench(BenchFlags& options) {
    BenchmarkOptions& benchmark = options.benchmark;
    const std::vector<std::string> stages{"fhd", "q", "f", "nufft", "solve", "recon", "crossover"};
    return joined(
        {in("Measurement",
            {{"stage", choices(benchmark.stages, stages, "STAGES"), "stages to measure",
              More{"`solve` takes 30 iterations. `recon` goes from file to file. `crossover` finds "
                   "the size from which the device is faster than the loops of the CPU."}},
             {"kernel", choices(benchmark.kernels, {}, "NAMES"),
              "variants of the transforms, separated by commas", Default{"all"},
              More{"`solve` and `recon` use the named variant, or the default."}},
             {"matrix", grid_size(benchmark.matrix, most_to_measure), "voxels of the image",
              Default{"32,32,32"}, More{"Without it, `nufft` measures 256,256 and 128,128,128."}},
             {"samples", number(benchmark.samples, whole(1, most_to_measure), "N"),
              "samples of the trajectory of fhd, q, f and nufft", Default{"as fits the device"},
              More{"It is random, by default 256 samples on a CPU and 4096 on other devices. That "
                   "of `nufft` is radial, by default as Nyquist asks for, or 432128 samples of "
                   "128,128,128."}},
             {"coils", number(benchmark.coils, whole(1), "N"), "coils of nufft",
              Default{"8, in three dimensions 1"}},
             {"accuracies", number(benchmark.accuracies, positive(1), "E[,E...]"),
              "accuracies of nufft"},
             {"scan_samples", number(benchmark.scan_samples, whole(0), "N"),
              "samples of the simulated scan of solve and recon", Default{"two a voxel"}}}),
         in("Device", {device_option(benchmark.device),
                       {"precision", choice(benchmark.precision, {"single", "double"}),
                        "precision of the variants", Default{"single"}}}),
         in("Output", {{"json", name(options.json), "file to write every figure to"},
                       quiet_option(options.quiet)})});
}

ExitCode run_bench(BenchFlags& options) {
    check_files({}, {{"--json", options.json, FileKind::json}});
    Console console(options.quiet);
    const auto write = [&](const Benchmark& table, bool complete) {
        if (!options.json.empty()) {
            write_text(options.json, benchmark_as_json(table, complete, console));
        }
    };
    const Benchmark table =
        benchmark(options.benchmark, console, [&](const Benchmark& part) { write(part, false); });
    write(table, true);
    if (!options.quiet) {
        print_benchmark(table);
    }
    require_verified(table.transforms);
    require_verified(table.nufft);
    require_verified(table.reconstructions);
    require_verified(table.crossover);
    return ExitCode::done;
}

} // namespace

Bound bind_bench() {
    return bound(&options_of_bench, &run_bench);
}

} // namespace lsrecon::app
