#include <cstdio>

#include "app/command.hpp"
#include "app/console.hpp"
#include "base/named_files.hpp"
#include "io/png_file.hpp"
#include "reconstruct.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    std::string output;
    std::string solver; ///< "" for the device's where there is one
    bool quiet = false;
    BackendOptions backend;
    ReconstructOptions reconstruct;
};

void tell(const Reconstructed& result, Reporter& report) {
    const SolveSummary& solves = result.solves;
    if (solves.kept_tolerance()) {
        report.tell(solves.as_text());
    } else {
        report.note(solves.as_text());
    }
    if (solves.lambda_is_lost()) {
        report.note(solves.about_lambda());
    }
    if (result.truth_error) {
        std::printf("error against the truth: %.4f (relative L2 of magnitudes)\n",
                    *result.truth_error);
    }
}

ExitCode run(Options& options) {
    options.reconstruct.solve.on_device = options.solver != "eigen";
    if (!options.reconstruct.preview.empty()) {
        require_png();
    }
    require_files({{"SCAN", options.scan},
                   {"--q", options.reconstruct.q_file},
                   {"--truth", options.reconstruct.truth}},
                  {{"--output", options.output, FileKind::hdf5},
                   {"--png", options.reconstruct.preview, FileKind::png}});
    const SolveOptions& solve = options.reconstruct.solve;
    options.reconstruct.settings = {{"command", command_line()},
                                    {"lambda", text(solve.lambda)},
                                    {"iterations", text(solve.iterations)},
                                    {"tolerance", text(solve.tolerance)},
                                    {"solver_asked_for", options.solver},
                                    {"q_file", options.reconstruct.q_file}};
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    const Reconstructed result =
        reconstruct(options.scan, options.output, *backend, options.reconstruct, console);
    tell(result, console);
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_recon(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    ReconstructOptions& reconstruct = options->reconstruct;
    add_scan_flags(sub, options->scan, reconstruct.read);
    add_output_flag(sub, options->output, "image file to write (HDF5)");
    sub.add_option("--lambda", reconstruct.solve.lambda,
                   "Tikhonov (L2) weight relative to the diagonal of F^H W F; 0: none")
        ->check(non_negative_number())
        ->capture_default_str();
    sub.add_option("--iterations", reconstruct.solve.iterations, "maximum number of CG iterations")
        ->check(whole_number("a whole number from 1", false))
        ->capture_default_str();
    sub.add_option("--tolerance", reconstruct.solve.tolerance,
                   "relative residual asked for; the solver goes on to a tenth of it, because the "
                   "residual understates the error of the image")
        ->check(positive_number())
        ->capture_default_str();
    sub.add_option("--solver", options->solver,
                   "device: conjugate gradients on the device, in double precision where it has "
                   "that; eigen: by Eigen on the CPU, as a check [device]")
        ->check(CLI::IsMember({"device", "eigen"}));
    sub.add_option("--q", reconstruct.q_file, "Q made by 'lsrecon q' for this trajectory")
        ->check(file_name());
    sub.add_option("--png", reconstruct.preview, "PNG preview to write")->check(file_name());
    sub.add_option("--truth", reconstruct.truth,
                   "image file to compare with; prints the relative error")
        ->check(file_name());
    add_backend_flags(sub, options->backend);
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
