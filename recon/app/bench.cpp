#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "benchmark.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    BenchmarkOptions benchmark;
    std::string json;
    bool quiet = false;
};

void print_table(const std::vector<BenchmarkRow>& rows) {
    std::printf("%-6s %-10s %12s %12s %10s %10s %10s\n", "stage", "kernel", "seconds", "Gpairs/s",
                "GFLOPS", "speed-up", "error");
    bool scaled = false;
    for (const BenchmarkRow& row : rows) {
        if (row.verified()) {
            std::printf("%-6s %-10s %11.4g%s %12.4g %10.4g %10.4g %10.1e\n", row.stage.c_str(),
                        row.kernel.c_str(), row.seconds, row.scaled ? "*" : " ",
                        1e-9 * row.pairs_per_second, row.gflops, row.speed_up, row.relative_error);
        } else {
            std::printf("%-6s %-10s not timed: its error %.1e is above %.1e\n", row.stage.c_str(),
                        row.kernel.c_str(), row.relative_error, row.bound);
        }
        scaled = scaled || row.scaled;
    }
    std::printf("device: %s\n", rows.back().device.c_str());
    std::printf("GFLOPS by Stone's convention (sin 13, cos 12, + - * / 1); Q counted over all "
                "differences\n");
    if (scaled) {
        std::printf("* measured on a part of the voxels and scaled\n");
    }
}

nlohmann::json as_json(const Options& options, const std::vector<BenchmarkRow>& rows) {
    nlohmann::json json{{"matrix", options.benchmark.matrix},
                        {"samples", options.benchmark.samples},
                        {"command", command_line()},
                        {"rows", nlohmann::json::array()}};
    for (const BenchmarkRow& row : rows) {
        json["rows"].push_back({{"stage", row.stage},
                                {"kernel", row.kernel},
                                {"device", row.device},
                                {"seconds", row.seconds},
                                {"pairs_per_second", row.pairs_per_second},
                                {"gflops", row.gflops},
                                {"speed_up", row.speed_up},
                                {"relative_error", row.relative_error},
                                {"bound", row.bound},
                                {"verified", row.verified()},
                                {"scaled", row.scaled}});
    }
    return json;
}

ExitCode run(const Options& options) {
    if (!options.json.empty()) {
        require_output(options.json, "");
    }
    const std::size_t dimensions = options.benchmark.matrix.size();
    if (dimensions != 2 && dimensions != 3) {
        throw UsageError(text("--matrix has ", dimensions, " entries\n  expected: X,Y or X,Y,Z"));
    }
    Console console(options.quiet);
    const std::vector<BenchmarkRow> rows = benchmark(options.benchmark, console);
    print_table(rows);
    if (!options.json.empty()) {
        write_text(options.json, as_json(options, rows).dump(2) + "\n");
    }
    for (const BenchmarkRow& row : rows) {
        if (!row.verified()) {
            throw ToleranceError(text(row.stage, " ", row.kernel, " is off by ", row.relative_error,
                                      ", more than ", row.bound,
                                      "\n  next:     do not use this kernel on this device"));
        }
    }
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_bench(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    BenchmarkOptions& benchmark = options->benchmark;
    sub.add_option("--matrix", benchmark.matrix, "voxels of the image, X,Y or X,Y,Z")
        ->delimiter(',')
        ->check(positive_number())
        ->capture_default_str();
    sub.add_option("--samples", benchmark.samples, "samples of the random trajectory")
        ->check(positive_number())
        ->capture_default_str();
    sub.add_option("--stage", benchmark.stages, "fhd, q or both")
        ->delimiter(',')
        ->check(CLI::IsMember({"fhd", "q"}))
        ->capture_default_str();
    sub.add_option("--kernel", benchmark.kernels, "transform variants, separated by commas [all]")
        ->delimiter(',');
    sub.add_option("--device", benchmark.device, "OpenCL device: index, part of its name, or type");
    sub.add_option("--json", options->json, "file to write the rows to");
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
