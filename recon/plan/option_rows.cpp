// The rows of the options, each with the key, the values and the help that users read.

#include "plan/options.hpp"

#include "base/numbers.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "engines/choose.hpp"
#include "operators/regularisers.hpp"
#include "plan/settle.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/curves.hpp"

namespace lsrecon::option {

namespace {

constexpr double mebibyte = 1024 * 1024; // bytes

Value shift_value(GeometryOptions& geometry) {
    return {"X,Y[,Z]|header",
            [&geometry](const std::string& word) -> std::string {
                geometry.shift_to_position = word == "header";
                geometry.shift_mm.clear();
                const bool known =
                    geometry.shift_to_position ||
                    number(geometry.shift_mm, from(-1e5, 1e5), "").take(word).empty();
                return known
                           ? ""
                           : "a number of at most 100000 mm a dimension, or the word header alone";
            },
            [&geometry] {
                return geometry.shift_to_position ? "header" : in_one_word(geometry.shift_mm);
            }};
}

/// "auto", "none" or "0.5,0.8" of `epi_phase`
Value lines_value(LineCorrectionOptions& lines) {
    return {
        "auto|none|PHASE,SHIFT",
        [&lines](const std::string& word) -> std::string {
            lines = {word == "none", {}};
            std::vector<double> numbers;
            if (word == "none" || word == "auto") {
                return "";
            }
            if (!number(numbers, from(-100, 100), "").take(word).empty() || numbers.size() != 2) {
                return "auto, none, or a phase in rad and a shift in samples";
            }
            lines.given = {numbers[0], numbers[1]};
            return "";
        },
        [&lines]() -> std::string {
            return lines.given
                       ? in_one_word(std::vector<double>(lines.given->begin(), lines.given->end()))
                   : lines.is_off ? "none"
                                  : "auto";
        }};
}

Value memory_value(ComputeOptions& compute) {
    return {"NUMBER",
            [&compute](const std::string& word) {
                std::string refused = take_number(compute.device_memory, word, positive());
                compute.device_memory *= mebibyte;
                return refused;
            },
            [&compute] {
                return compute.device_memory > 0 ? in_full(compute.device_memory / mebibyte)
                                                 : "all";
            }};
}

Value lambda_value(ReconstructOptions& options) {
    return {"NUMBER|RULE",
            [&options](const std::string& word) -> std::string {
                const bool is_rule = lambda_rule(word) != nullptr;
                if (!is_rule && !take_number(options.solve.lambda, word, from(0)).empty()) {
                    return "a number from 0, or one of " +
                           comma_separated(names_of(lambda_rules()));
                }
                options.lambda_rule = RuleChoice{is_rule ? word : "", true, is_rule ? "" : word};
                return "";
            },
            [&options]() -> std::string {
                const std::optional<RuleChoice>& rule = options.lambda_rule;
                return rule ? rule->word + rule->number : "default";
            }};
}

constexpr const char* best_regulariser = "auto";
constexpr const char* no_regulariser = "none";

/// The delays of `delays`, or where they come from.
Value delays_value(DelaysSource& source) {
    return {text("auto|none|", form_of_delays),
            [&source](const std::string& word) -> std::string {
                Delays given;
                std::string refused;
                if (word == "auto") {
                    source = FromScan();
                } else if (word == "none") {
                    source = NoSource();
                } else if (refused = given.take(word); refused.empty()) {
                    source = given;
                }
                return refused.empty() ? "" : "auto, none, or " + refused;
            },
            [&source]() -> std::string {
                const Delays* const given = std::get_if<Delays>(&source);
                return given != nullptr                           ? given->word()
                       : std::holds_alternative<FromScan>(source) ? "auto"
                       : is_none(source)                          ? "none"
                                                                  : "";
            }};
}

/// "tv:0.02", "tv", "auto" or "none" of `reg`
Value regulariser_value(ReconstructOptions& options) {
    SolveOptions& solve = options.solve;
    const auto take = [&options, &solve](const std::string& word) -> std::string {
        if (word == best_regulariser || word == no_regulariser) {
            options.best_regulariser = word == best_regulariser;
            return "";
        }
        const std::size_t colon = word.find(':');
        const std::string name = word.substr(0, colon);
        regulariser_named(name);
        double weight = 0;
        if (colon != std::string::npos &&
            !take_number(weight, word.substr(colon + 1), positive()).empty()) {
            return "a name, a colon and a weight above 0, such as " + name +
                   ":0.02, or the name alone";
        }
        for (const RegulariserChoice& other : solve.regularisers) {
            if (other.name == name) {
                throw UsageError(text("`reg` ", word, " after `reg` ", other.name,
                                      other.weight > 0 ? ":" + in_full(other.weight) : "",
                                      "\n  expected: each regulariser once\n  next:     leave one "
                                      "of them out"));
            }
        }
        solve.regularisers.push_back({name, weight});
        return "";
    };
    const auto shown = [&options, &solve] {
        std::vector<std::string> words;
        if (options.best_regulariser) {
            words.push_back(*options.best_regulariser ? best_regulariser : no_regulariser);
        }
        for (const RegulariserChoice& choice : solve.regularisers) {
            words.push_back(choice.name + (choice.weight > 0 ? ":" + in_full(choice.weight) : ""));
        }
        return separated_by(" ", words);
    };
    return {"NAME[:WEIGHT]", take, shown};
}

/// A value that names a source by a word.
template <typename Source>
Value source_value(Source& source, Source (*of_word)(const std::string&), const std::string& form) {
    return {form,
            [&source, of_word](const std::string& word) -> std::string {
                source = of_word(word);
                return word.empty() ? "a name" : "";
            },
            [&source] { return word_of(source); }, [&source] { return file_of(source); }};
}

Value solver_value(SolveOptions& solve) {
    return one_of(
        names_of(solvers()), [&solve](std::size_t row) { solve.solver = &solvers()[row]; },
        [&solve]() -> std::string { return solve.solver == nullptr ? "" : solve.solver->name; });
}

Value preconditioner_value(SolveEffort& effort) {
    const std::string name = preconditioner_kind(false).name;
    return one_of(
        {"none", name}, [&effort](std::size_t row) { effort.precondition = row == 1; },
        [&effort, name] {
            return !effort.precondition ? "" : *effort.precondition ? name : "none";
        });
}

/// The word of `noise_map`, which may be missing.
Value noise_map_value(std::size_t& solves) {
    constexpr double most = 1e6;
    return {"[N]",
            [&solves](const std::string& word) {
                solves = ReconstructOptions::usual_noise_solves;
                return word.empty() ? "" : take_number(solves, word, whole(2, most));
            },
            [&solves] { return solves == 0 ? "" : text(solves); }};
}

std::vector<std::string> backend_words() {
    std::vector<std::string> words = names_of(device_kinds());
    words.insert(words.begin(), backend_by_machine);
    return words;
}

OptionTable stack_options(std::optional<std::size_t>& slice) {
    return in("Geometry",
              {{"stack_slice", number(slice, whole(0), "N"), "solve this slice of a 3D stack alone",
                Is::expert, Default{"all slices together"},
                More{"Slices count from 0 along z. The stack must have all partitions along z, at "
                     "even distances and with the same positions in their planes: then its slices "
                     "are independent."}}});
}

OptionTable leave_out_options(LeaveOut& leave_out) {
    const Value value{"readouts:LIST|coils:LIST|auto",
                      [&leave_out](const std::string& word) { return add_word(leave_out, word); },
                      [&leave_out] { return words_of(leave_out); }};
    return in("Coils",
              {{"leave_out", value, "leave out readouts or coils, by their numbers from 0",
                Is::repeated, Default{"none"},
                More{"readouts:17,20-22 are those of every frame, and coils:3 is one of the file. "
                     "The word auto makes an image of each frame first, and leaves out the "
                     "readouts and coils that it explains clearly worse than the others."}}});
}

OptionTable coils_options(PrepareOptions& prepare) {
    return in(
        "Coils",
        {{"keep_coils", toggle(prepare.keep_coils), "an image of each coil, not combined",
          Is::expert,
          More{
              "It goes with `maps` none. Each coil is reconstructed by itself, and the image has a "
              "coil axis."},
          Needs{"maps"}},
         {"coils", number(prepare.compression.coils, whole(1), "N"), "compress to N virtual coils",
          Default{"all"},
          More{"Virtual coils come from the singular value decomposition of the samples."}},
         {"energy", number(prepare.compression.energy, positive(1)),
          "keep this share of the energy in virtual coils", Is::expert, Default{"1, all coils"},
          More{"With 0.99, the fewest virtual coils are used that keep 99 % of the samples' "
               "energy."},
          Excludes{"coils"}},
         {"no_whitening", toggle(prepare.whiten, false), "skip prewhitening", Is::expert,
          More{"By default the noise samples of a scan are used for prewhitening."}}});
}

OptionTable regularisation_options(ReconstructOptions& options) {
    return in(
        "Regularisation",
        {{"lambda", lambda_value(options), "Tikhonov (L2) weight, or a rule for it", Is::daily,
          Default{"by the scan"},
          More{"Lambda is relative to the diagonal of F^H W F. A rule chooses it from one frame, "
               "for all frames. What is printed, the number with its `reg`, makes the same image "
               "again. Least squares that nobody asks for have `reg` band:0.3 beside lambda, "
               "without a field map or /voxels; `lambda` auto has not. The default is 0 with "
               "`iterations` or `reg`. Rules:" +
               listed(lambda_rules())}},
         {"reg", regulariser_value(options), "regulariser: tv:0.02, tv or auto; may be repeated",
          Is::daily, Is::repeated, Default{"by the scan"},
          More{"Without a weight, tv, wavelet, ttv or llr has that by which the image of seven "
               "eighths of the samples predicts the others best: of one frame, or of eight "
               "frames that are solved together. tv and ttv may share one. The word auto takes the "
               "best of least squares, tv and wavelet; of a series that may be solved together, of "
               "llr and of tv with ttv, too. It is the default without `lambda`, `iterations` and "
               "`reg`. The word none takes least squares and chooses lambda alone. Regularisers:" +
               listed(regularisers())}},
         {"conjugate_symmetry", toggle(options.conjugate_symmetry),
          "fill partial Fourier by conjugates, where the phase is smooth",
          More{"The centre of k-space gives the phase, and says how real the image is without it. "
               "Where it is not, the option has no effect."}},
         {"prior", input(options.prepare.prior), "image for `reg` prior and `reg` anatomical",
          Default{"none"},
          More{"The file holds one frame of the same object: an image file, NIfTI-1, ISMRMRD, "
               "or an array (.npy, .cfl). Its field of view must contain that of the image. For "
               "the regulariser "
               "prior its values must be in the units of the image."}}});
}

OptionTable method_options(SolveOptions& solve) {
    return in(
        "Method",
        {{"method",
          one_of(
              names_of(methods()), [&solve](std::size_t row) { solve.method = &methods()[row]; },
              [&solve] { return method_of(solve).name; }),
          "reconstruction method", More{"Methods:" + listed(methods())}},
         {"density",
          one_of(
              names_of(density_methods()),
              [&solve](std::size_t row) { solve.density = &density_methods()[row]; },
              [&solve]() -> std::string {
                  return solve.density == nullptr ? "" : solve.density->name;
              }),
          "density compensation of `method` gridding", Is::expert,
          Default{density_methods().front().name}, More{"Methods:" + listed(density_methods())},
          Needs{"method"}}});
}

OptionTable solver_options(SolveOptions& solve, SolveEffort& effort) {
    const double least = smallest_tolerance(unit_roundoff(Precision::float32));
    return in(
        "Solver",
        {{"iterations", number(effort.iterations, whole(1), "N"), "largest number of iterations",
          Is::daily,
          Default{text(iterations_to_converge, "; 15 without lambda; ", iterations_of_splitting,
                       " with TV")},
          More{text("Without lambda and regularisers the default is ", SolveOptions().iterations,
                    ", because stopping early keeps noise out. With a regulariser that is not "
                    "quadratic the option counts passes of ADMM. Each pass has several iterations "
                    "of conjugate gradients.")}},
         {"tolerance", number(effort.tolerance, positive()),
          "relative residual at which the solver stops",
          Default{text(SolveOptions().tolerance, "; less with lambda")},
          More{text(
              "The solver continues to a tenth of the tolerance, because the residual understates "
              "the error of the image. With lambda the tolerance is at most lambda / ",
              1 / tolerance_over_lambda, ". With only a quadratic regulariser it is at most ",
              tolerance_without_lambda, ". In single precision it is at least ", rounded(least),
              ".")}},
         {"preconditioner", preconditioner_value(effort), "preconditioner of conjugate gradients",
          Is::expert,
          More{text("`", preconditioner_kind(false).name,
                    "` (DCT-II) needs fewer iterations for the same image. It is used with lambda "
                    "or a quadratic regulariser.")}},
         {"solver", solver_value(solve), "solver: device, or eigen as a check", Is::expert,
          Default{solvers().front().name}, More{"Solvers:" + listed(solvers())}}});
}

} // namespace

OptionTable geometry_options(GeometryOptions& geometry) {
    return in("Geometry",
              {{"matrix", number(geometry.matrix, whole(1), "X,Y[,Z]"), "voxels of the image",
                Default{"as the file says"},
                More{"A smaller matrix leaves out the samples beyond its N/2."}},
               {"fov_mm", number(geometry.fov_mm, positive(), "X,Y[,Z]"),
                "field of view of the image", Unit{"mm"}, Default{"as the file says"},
                More{"It changes the image. `header` corrects a wrong field of view of the scan."}},
               {"shift_mm", shift_value(geometry), "move the image", Unit{"mm"}, Default{"none"},
                More{"The shift is along x, y (and z) of the grid. The word header moves the image "
                     "of raw data from the isocentre to the position of its acquisitions. Use it "
                     "if the scanner did not, as is usual for spirals."}},
               {"conjugate", toggle(geometry.conjugate),
                "negate the trajectory, if the image is point-reflected", Is::expert,
                More{"This is for files written for exp(+i 2 pi k.x)."}}});
}

OptionTable field_options(PrepareOptions& prepare) {
    return in(
        "Geometry",
        {{"field_map",
          source_value(prepare.field_map, &field_source, "FILE|auto|refine[:FILE|:auto]|none"),
          "field map for off-resonance correction", Unit{"Hz"}, Default{"the scan's own"},
          More{"A file with `/field_map`, a real image, or an array (.npy, .cfl). HDF5 may also "
               "hold R2* in 1/s as `/r2star`. The map is resampled to the image, and a 3D map to "
               "each slice. The word auto makes it of the scan's echoes, as `lsrecon fieldmap` "
               "does. With refine the scan itself corrects the map by a polynomial where that "
               "explains clearly more of it. The word none skips the correction."}},
         {"field_scale", number(prepare.field_scale, from(-100, 100)), "factor for the field map",
          Is::expert, More{"Use -1 for the other sign, and 0.15915 for a map in rad/s."}}});
}

OptionTable readout_options(PrepareOptions& prepare) {
    return in(
        "Readouts",
        {{"delays", delays_value(prepare.delays), "delays and phases of readouts", Is::expert,
          Unit{"dwell times, rad"}, Default{"auto if radial"},
          More{"Samples lie at k + G dk/dt, with G of X, Y (and Z) and the cross terms XY "
               "(XZ, YZ), and each readout is turned by COS times the cosine and SIN times "
               "the sine of its angle (by the cosines of its angles with x, y and z, out of a "
               "plane). The word auto finds them by the scan, and corrects what explains it "
               "clearly better. `lsrecon delays` prints them."}},
         {"epi_phase", lines_value(prepare.lines), "phase and shift of lines that run backwards",
          Unit{"rad,samples"},
          More{"By default navigator lines say both, or else the lines do, as they say the "
               "phase of each shot. What is a ghost beyond doubt is taken out. SHIFT is how "
               "many samples further along k such lines lie."}}});
}

OptionTable maps_options(PrepareOptions& prepare, const std::string& by_default) {
    return in(
        "Coils",
        {{"maps", source_value(prepare.maps, &maps_source, "METHOD|FILE"),
          "coil maps: espirit, walsh, none or a file", Is::daily, Default{by_default},
          More{"A file holds `/coil_maps`, or is an array (.npy, .cfl). 3D maps are resampled to "
               "each "
               "slice. The word none solves each coil alone and combines the coils by the root of "
               "their sum of squares. By default it is espirit, and walsh where all sides of the "
               "matrix are below 24 voxels. Methods:" +
               listed(maps_methods())}},
         {"maps_threshold", number(prepare.estimate.threshold, from(0, 1)),
          "ESPIRiT: smallest relative singular value to keep", Is::expert, Default{"by the noise"},
          More{"It is relative to the largest one. Smaller singular values are noise. By default "
               "it is twice what noise and gaps between samples leave, but 0.02 to 0.05."}},
         {"maps_crop", number(prepare.estimate.crop, from(0, 0.999)),
          "ESPIRiT: maps are 0 where the eigenvalue is below this", Is::expert,
          Default{"by the noise"},
          More{"Those voxels lie outside the object. Holes inside the object are filled. By "
               "default it is 0.9 with a threshold of 0.02, 0.8 from 0.05 on."}},
         {"soft_maps", toggle(prepare.estimate.soft),
          "ESPIRiT: let maps grow from 0 at the crop, without an edge", Is::expert,
          More{"Otherwise maps have a hard edge and holes are filled."}}});
}

OptionTable solve_options(ReconstructOptions& options) {
    PrepareOptions& prepare = options.prepare;
    return joined({geometry_options(prepare.geometry), stack_options(prepare.stack_slice),
                   field_options(prepare), readout_options(prepare), maps_options(prepare),
                   coils_options(prepare), leave_out_options(prepare.leave_out),
                   method_options(options.solve), regularisation_options(options),
                   solver_options(options.solve, options.effort)});
}

OptionTable kept_q_options(std::string& q_file, std::string& q_folder) {
    return in("Solver",
              {{"q", input(q_file), "file with Q of this trajectory, from 'lsrecon q'", Is::expert},
               {"q_folder", name(q_folder, "FOLDER"), "cache for Q; created if missing", Is::expert,
                Is::about_output,
                More{"Scans of the same trajectory, matrix, phi and weights share one Q."},
                Excludes{"q"}}});
}

Option device_option(std::string& device) {
    return {"device", name(device, "DEVICE"), "OpenCL device: index, part of its name, or type",
            Default{"a GPU, if any"},
            More{"A type is gpu, cpu or accelerator. `lsrecon devices` lists the devices."}};
}

OptionTable device_options(ComputeOptions& compute, const std::string& default_kernel,
                           const std::string& about_kernel) {
    return in(
        "Device",
        {{"backend", name(compute.backend, "NAME", backend_words()),
          "compute backend: OpenCL, processors, or loops as a check", Is::expert,
          More{"The word auto takes OpenCL, and the processors where there is no driver for it or "
               "where it is not built in. Backends:" +
               listed(device_kinds())}},
         device_option(compute.device),
         {"engine", choice(compute.engine, engine_words()),
          "method for the Fourier sums, such as nufft", Is::expert,
          More{"The word auto takes the NUFFT where exact sums take more than twice as long. The "
               "word exact takes the fastest exact engine. The console says which one computes."}},
         {"kernel", name(compute.kernel, "NAME"), "one implementation of an engine", Is::expert,
          Default{default_kernel}, More{about_kernel}},
         {"precision", choice(compute.precision, {"single", "double"}),
          "precision of transforms and solver", Is::expert, Default{"single, solver double"},
          More{"By default transforms use single precision. Conjugate gradients use double "
               "precision if the device supports it. Where rounding would show in the image, "
               "transforms use it, too, and a note says so. With double, time segments still have "
               "the error of `segment_error`."}},
         {"accuracy", number(compute.accuracy, from(1e-14, 0.1)),
          "relative error of transforms at most", Is::expert, Default{"that of the kernel"},
          More{"An engine that cannot keep it is refused. The NUFFT chooses its grid by it. "
               "Without it, `recon` chooses it from `certify`, `tolerance` and lambda, and other "
               "commands take 5e-06, and 1e-12 in double precision."}},
         {"segment_error", number(compute.segment_error, from(1e-7, 0.5)),
          "relative error of time segments", Is::expert,
          More{"The correction of off-resonance divides the readout into time segments. Variants "
               "of the direct transform, such as tuned, need none."}},
         {"device_memory", memory_value(compute), "limit on device memory", Is::expert,
          Unit{"MiB"}}});
}

OptionTable error_options(ReconstructOptions& options) {
    return in(
        "Output",
        {{"noise_map", noise_map_value(options.noise_solves),
          "map the image's noise, by at most N solves, 150 if left out",
          More{"The standard deviation of the first frame's voxels is `/noise_map` in the image. "
               "Solves of probes stop where 1 % of it is expected. A regulariser that is not "
               "quadratic takes N solves with new noise; 150 have an error of about 4 %. Without "
               "regularisation (`lambda` 0) the image also holds `/g_factor`."}},
         {"snr_units", toggle(options.snr_units), "divide the image by the deviation of its noise",
          More{"Each real and each imaginary part of the noise then has a standard deviation of 1 "
               "in every voxel. The scan needs noise samples. Regularisers that are not quadratic "
               "are not tried, and refused."}},
         {"certify", number(options.certify, positive(), "EPS"),
          "bound the image error due to transforms; code 6 if exceeded", Is::expert,
          Default{"none"},
          More{"It bounds what the NUFFT and rounding do to the image at this lambda, and neither "
               "noise nor errors of coil maps. Transforms are compared with exact sums in double "
               "precision at random points. The image's relative L2 error by them is at most EPS "
               "with a confidence of 95 %, or the exit code is 6. The image is written in both "
               "cases. Where floats cannot keep EPS, transforms compute in double precision by "
               "themselves. Without the option the error is reported for kernels that are not "
               "exact. With a regulariser that is not quadratic each frame is solved once more to "
               "find it."}}});
}

} // namespace lsrecon::option

namespace lsrecon {

Request options_from(const option::Keywords& given) {
    using namespace option;
    Request request;
    try {
        take(joined({solve_options(request.reconstruct), device_options(request.compute),
                     error_options(request.reconstruct)}),
             given);
        require_consistent(request.reconstruct);
        request.compute = choose_compute(std::move(request.compute), request.reconstruct);
    } catch (const UsageError& error) {
        const std::string message = error.what();
        const bool has_next = message.find("\n  next:") != std::string::npos;
        throw UsageError(message + (has_next ? "" : "\n  next:     see docs/options.md"));
    }
    return request;
}

} // namespace lsrecon
