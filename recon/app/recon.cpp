#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/validators.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/image/png.hpp"
#include "reconstruct.hpp"
#include "reconstruct_file.hpp"
#include "solve/cg.hpp"
#include "solve/effort.hpp"
#include "solve/lambda_rules.hpp"
#include "solve/solvers.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    std::string output;
    std::vector<std::string> regularisers; ///< NAME:WEIGHT
    std::string lambda; ///< a number or a rule; "" for rule_by_default
    std::string solver; ///< "" for the first row of solvers()
    bool quiet = false;
    BackendOptions backend;
    FileOptions reconstruct;
};

/// "tv:0.02"
RegulariserChoice choice_of(const std::string& word) {
    const std::size_t colon = word.find(':');
    const std::string name = word.substr(0, colon);
    regulariser_named(name);
    const std::optional<double> weight =
        finite_number(colon == std::string::npos ? "" : word.substr(colon + 1));
    if (!weight || !(*weight > 0)) {
        throw UsageError("--reg " + word + "\n  expected: a name, a colon and a weight above 0, " +
                         "such as " + name + ":0.02");
    }
    return {name, *weight};
}

/// Where the user gives no regularisation, by the number of iterations either.
RuleChoice rule_by_default(const FileOptions& options) {
    if (options.effort.iterations || !options.solve.regularisers.empty()) {
        return {};
    }
    return {"auto", false};
}

void require_lambda_rule(const RuleChoice& rule, const std::vector<RegulariserChoice>& chosen) {
    for (const RegulariserChoice& choice : chosen) {
        if (!rule.word.empty() && !regulariser_named(choice.name).of_unmeasured) {
            throw UsageError("--lambda " + rule.word + " with --reg " + choice.name +
                             ": it is chosen where it is the only regulariser of what was measured"
                             "\n  next:     give --lambda a number, or leave --reg out");
        }
    }
}

/// A prior image goes with the regularisers that need one, and they with it.
void require_prior_flag(const std::vector<RegulariserChoice>& chosen, const std::string& prior) {
    std::string names;
    for (const Regulariser& row : regularisers()) {
        names += row.require == nullptr ? "" : (names.empty() ? "" : " or ") + row.name;
    }
    if (need_prior(chosen) && prior.empty()) {
        throw UsageError("--reg " + names + " without an image to compare with\n  next:     name " +
                         "its file: --prior FILE");
    }
    if (!need_prior(chosen) && !prior.empty()) {
        throw UsageError("--prior " + prior + ": no regulariser uses it\n  next:     add --reg " +
                         names + " with a weight, or leave --prior out");
    }
}

/// Frames that are solved together have no end before all have, and no replica of their own.
void require_flags_of_joint_solves(const FileOptions& options, const std::string& chosen) {
    if (!need_all_frames(options.solve.regularisers)) {
        return;
    }
    if (options.resume) {
        throw UsageError("--resume: with --reg " + chosen +
                         " all frames are solved together, and a run that was stopped leaves none "
                         "of them\n  next:     leave --resume out");
    }
    if (options.noise_replicas > 0) {
        throw UsageError("--noise-replicas: with --reg " + chosen +
                         " a frame's noise depends on all frames, and replicas are of one\n"
                         "  next:     leave one of the two out");
    }
}

ExitCode run(Options& options) {
    SolveOptions& solve = options.reconstruct.solve;
    const Solver& solver =
        options.solver.empty() ? solvers().front() : solver_named(options.solver);
    solve.solver = &solver;
    for (const std::string& word : options.regularisers) {
        solve.regularisers.push_back(choice_of(word));
    }
    if (options.lambda.empty()) {
        options.reconstruct.lambda_rule = rule_by_default(options.reconstruct);
    } else if (lambda_rule(options.lambda) != nullptr) {
        options.reconstruct.lambda_rule = {options.lambda};
    } else {
        solve.lambda = finite_number(options.lambda).value();
    }
    if (need_splitting(solve.regularisers) && !solver.splits) {
        throw UsageError(
            "--solver " + solver.name + ": conjugate gradients alone do not minimise " +
            joined(options.regularisers) + "\n  next:     leave --solver or --reg out");
    }
    require_flags_of_joint_solves(options.reconstruct, joined(options.regularisers));
    options.reconstruct.read.frames_differ = need_all_frames(solve.regularisers);
    require_lambda_rule(options.reconstruct.lambda_rule, solve.regularisers);
    require_prior_flag(solve.regularisers, options.reconstruct.prepare.prior);
    if (!options.reconstruct.preview.empty()) {
        require_png();
    }
    if (options.reconstruct.noise_replicas == 1) {
        throw UsageError("--noise-replicas 1: one image has no standard deviation\n  next:     "
                         "ask for 2 or more; 100 give 5 %");
    }
    const PrepareOptions& prepare = options.reconstruct.prepare;
    require_files({{"SCAN", options.scan},
                   {"--q", options.reconstruct.q_file},
                   {"--field-map", prepare.field_map_of_file() ? prepare.field_map : ""},
                   {"--maps", prepare.maps_of_file() ? prepare.maps : ""},
                   {"--prior", options.reconstruct.prepare.prior},
                   {"--truth", options.reconstruct.truth}},
                  {{"--output", options.output, FileKind::hdf5},
                   {"--png", options.reconstruct.preview, FileKind::png},
                   {"--log", options.reconstruct.log, FileKind::log}});
    require_folder("--q-folder", options.reconstruct.q_folder);
    options.reconstruct.settings = {
        {"lambda_asked_for", options.lambda.empty() ? "default" : options.lambda},
        {"prior", options.reconstruct.prepare.prior},
        {"solver_asked_for", options.solver},
        {"q_file", options.reconstruct.q_file},
        {"q_folder", options.reconstruct.q_folder},
        {"maps_asked_for", prepare.maps},
        {"field_map_asked_for", prepare.field_map},
        {"field_scale", text(prepare.field_scale)},
        {"maps_threshold", text(prepare.estimate.threshold)},
        {"maps_crop", text(prepare.estimate.crop)},
        {"soft_maps", prepare.estimate.soft ? "yes" : "no"},
        {"coils_asked_for", text(prepare.compression.coils)},
        {"energy_asked_for", text(prepare.compression.energy)},
        {"whitening", prepare.whiten ? "yes" : "no"},
        {"header_shift", prepare.geometry.header_shift()}};
    const Record of_flags = record_of_flags(options.reconstruct.read, options.backend);
    options.reconstruct.settings.insert(options.reconstruct.settings.begin(), of_flags.begin(),
                                        of_flags.end());
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    const ReconstructedFile result =
        reconstruct_file(options.scan, options.output, *backend, options.reconstruct, console);
    if (result.truth_error) {
        print_line("error against the truth: %.4f (relative L2 of magnitudes)",
                   *result.truth_error);
    }
    require_all_frames(result.failed, result.about.frames.size(), options.output,
                       !need_all_frames(solve.regularisers));
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_recon(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    FileOptions& reconstruct = options->reconstruct;
    add_scan_flags(sub, options->scan, reconstruct.read);
    add_output_flag(sub, options->output, "image file to write (HDF5)");
    add_prepare_flags(sub, reconstruct.prepare);
    std::string rules;
    std::vector<std::string> words;
    for (const LambdaRule& rule : lambda_rules()) {
        rules += "; " + rule.name + ": " + rule.summary;
        words.push_back(rule.name);
    }
    sub.add_option(
           "--lambda", options->lambda,
           "Tikhonov (L2) weight relative to the diagonal of F^H W F, 0 for none, or a rule "
           "that chooses it from one frame, for all frames" +
               rules +
               " [auto, with --reg band:0.3; 0 with --iterations, --reg, a field map or /voxels]")
        ->type_name("NUMBER|RULE")
        ->check(CLI::Validator(
            [words](const std::string& word) {
                return lambda_rule(word) != nullptr || non_negative_number()(word).empty()
                           ? std::string()
                           : refusal(word, "a number from 0, or one of " + comma_separated(words));
            },
            ""));
    sub.add_option("--iterations", reconstruct.effort.iterations,
                   text("maximum number of iterations, which regularises where lambda is 0 [",
                        iterations_to_converge,
                        "; without lambda and --reg, on /voxels, and for a field map "
                        "that the kernel takes exactly, ",
                        SolveOptions().iterations, "; with a non-quadratic regulariser ",
                        iterations_of_splitting,
                        " outer iterations, each of several CG iterations]"))
        ->check(whole_number("a whole number from 1", false));
    sub.add_option("--tolerance", reconstruct.effort.tolerance,
                   text("relative residual asked for; the solver continues to a tenth of it, "
                        "because the residual understates the error of the image [",
                        SolveOptions().tolerance,
                        "; with --lambda the smaller of that and lambda / ",
                        1 / tolerance_over_lambda, ", and with a quadratic --reg alone ",
                        tolerance_without_lambda, "; but at least ",
                        rounded(smallest_tolerance(unit_roundoff(Precision::float32))),
                        " in single precision, and not where each product takes transforms: on "
                        "/voxels, and for a field map that the kernel takes exactly]"))
        ->check(positive_number());
    const PreconditionerKind& kind = preconditioner_kind(false);
    sub.add_option_function<std::string>(
           "--preconditioner",
           [&reconstruct](const std::string& word) {
               reconstruct.effort.precondition = word != "none";
           },
           text("of conjugate gradients on the device: none, or ", kind.name,
                " (DCT-II), which needs fewer iterations for the same image [", kind.name,
                " with --lambda or a quadratic regulariser]"))
        ->check(one_of({"none", kind.name}));
    std::string kinds;
    for (const Regulariser& row : regularisers()) {
        kinds += (kinds.empty() ? "" : "; ") + row.name + ": " + row.summary;
    }
    sub.add_option("--reg", options->regularisers,
                   "regulariser and weight, such as tv:0.02; several may be given. " + kinds)
        ->type_name("NAME:WEIGHT")
        ->allow_extra_args(false);
    sub.add_option("--prior", reconstruct.prepare.prior,
                   "image for --reg prior and anatomical, in a file of lsrecon, NIfTI-1 or "
                   "ISMRMRD: one frame of the same object, on any grid that holds the image; for "
                   "prior in the units of the reconstruction")
        ->check(file_name());
    std::string summaries;
    std::vector<std::string> names;
    for (const Solver& row : solvers()) {
        summaries += (names.empty() ? "" : "; ") + row.name + ": " + row.summary;
        names.push_back(row.name);
    }
    sub.add_option("--solver", options->solver, summaries + " [" + names.front() + "]")
        ->check(one_of(names));
    auto* const q_file =
        sub.add_option("--q", reconstruct.q_file, "Q made by 'lsrecon q' for this trajectory")
            ->check(file_name());
    sub.add_option("--q-folder", reconstruct.q_folder,
                   "folder in which Q is kept for other scans of the same trajectory, matrix, phi "
                   "and weights, and looked for; made where it is missing")
        ->check(file_name())
        ->excludes(q_file);
    sub.add_flag("--resume", reconstruct.resume,
                 "continue an unfinished image: the frames in IMAGE.part are not solved again");
    sub.add_option("--png", reconstruct.preview,
                   "PNG preview to write, of a grid or listed voxels of one")
        ->check(file_name());
    sub.add_flag_callback(
        "--noise-map", [&reconstruct] { reconstruct.noise_replicas = 100; },
        "/noise_map in the image, from 100 replicas: see --noise-replicas");
    sub.add_option("--noise-replicas", reconstruct.noise_replicas,
                   "solve the first frame this many times with other noise, for /noise_map in the "
                   "image, and without regularisation (--lambda 0) /g_factor; 100 give 5 % [none]")
        ->check(whole_number("a whole number from 2", false))
        ->excludes("--noise-map");
    sub.add_option(
           "--log", reconstruct.log,
           "table to write while it solves, a line an iteration: frame, problem, iteration, "
           "relative residual, seconds; --resume continues it")
        ->check(file_name());
    sub.add_option("--truth", reconstruct.truth,
                   "image file to compare with; prints the relative error")
        ->check(file_name());
    add_backend_flags(sub, options->backend);
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
