#include "app/bench_output.hpp"
#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/validators.hpp"
#include "base/named_files.hpp"
#include "measure/benchmark.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    BenchmarkOptions benchmark;
    std::string json;
    bool quiet = false;
};

void require_verified(const std::string& stage, const std::string& kernel, const Verified& row) {
    if (!row.verified()) {
        throw ToleranceError(text(stage, " ", kernel, " is off by ", row.relative_error,
                                  ", more than ", row.bound,
                                  "\n  next:     do not use this kernel on this device"));
    }
}

ExitCode run(const Options& options) {
    require_files({}, {{"--json", options.json, FileKind::json}});
    require_matrix(options.benchmark.matrix);
    Console console(options.quiet);
    const auto write = [&](const Benchmark& table, bool complete) {
        if (!options.json.empty()) {
            write_text(options.json, benchmark_as_json(options.benchmark, table, complete));
        }
    };
    const Benchmark table =
        benchmark(options.benchmark, console, [&](const Benchmark& part) { write(part, false); });
    write(table, true);
    print_benchmark(table);
    for (const BenchmarkRow& row : table.transforms) {
        require_verified(row.stage, row.kernel, row);
    }
    for (const ReconstructionRow& row : table.reconstructions) {
        require_verified(row.stage, row.kernel, row);
    }
    for (const CrossoverRow& row : table.crossover) {
        require_verified(text("crossover ", row.width, "x", row.width), default_kernel(), row);
    }
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_bench(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    BenchmarkOptions& benchmark = options->benchmark;
    sub.add_option("--matrix", benchmark.matrix, "voxels of the image, X,Y or X,Y,Z")
        ->delimiter(',')
        ->check(count_to_measure())
        ->capture_default_str();
    sub.add_option("--samples", benchmark.samples,
                   "samples of the random trajectory of fhd, q and f [256 on a CPU, else 4096]")
        ->check(count_to_measure());
    sub.add_option("--scan-samples", benchmark.scan_samples,
                   "samples of the simulated scan of solve and recon; 0 for two a voxel")
        ->check(whole_number("a whole number from 0", true))
        ->capture_default_str();
    sub.add_option("--stage", benchmark.stages,
                   "any of fhd, q, f, solve (30 iterations), recon (from file to file) and "
                   "crossover (from which size on the device is faster than the CPU's loops)")
        ->delimiter(',')
        ->check(one_of({"fhd", "q", "f", "solve", "recon", "crossover"}))
        ->capture_default_str();
    sub.add_option("--kernel", benchmark.kernels,
                   "transform variants, separated by commas [all]; solve and recon use the one "
                   "that is named, or the default")
        ->delimiter(',');
    add_precision_flag(sub, benchmark.precision, "precision of the variants [single]");
    sub.add_option("--device", benchmark.device, "OpenCL device: index, part of its name, or type");
    sub.add_option("--json", options->json, "file to write every figure to")->check(file_name());
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
