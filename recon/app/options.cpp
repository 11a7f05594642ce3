#include "app/options.hpp"

#include <cmath>

#include "base/numbers.hpp"
#include "scan/units.hpp"
#include "solve/cg.hpp"
#include "solve/lambda_rules.hpp"
#include "solve/regularisers.hpp"
#include "solve/solvers.hpp"

namespace lsrecon::app {

namespace {

constexpr double mebibyte = 1024 * 1024; // bytes
const std::string raw = "raw data: ";

/// "fov_mm=220,220" of --header
Value header_value(ReadOptions& read) {
    const auto take = [&read](const std::string& word) -> std::string {
        const std::string name = word.substr(0, word.find('='));
        const std::string numbers = word.substr(std::min(name.size() + 1, word.size()));
        const bool voxels = name == "matrix";
        std::vector<double> values;
        const std::string refused =
            number(values, voxels ? whole(1, longest_side) : positive(), "").take(numbers);
        if (!refused.empty() || !(voxels || name == "fov_mm") || values.size() < 2 ||
            values.size() > 3) {
            return "fov_mm=X,Y[,Z] in mm or matrix=X,Y[,Z] in voxels, above 0";
        }
        read.header[name] = values;
        return "";
    };
    return {"NAME=NUMBERS", take, [] { return ""; }, false, true};
}

Value shift_value(GeometryOptions& geometry) {
    return {"X,Y[,Z]|header",
            [&geometry](const std::string& word) -> std::string {
                geometry.shift_to_position = word == "header";
                geometry.shift_mm.clear();
                const bool known =
                    geometry.shift_to_position ||
                    number(geometry.shift_mm, between(-1e5, 1e5), "").take(word).empty();
                return known
                           ? ""
                           : "a number of at most 100000 mm a dimension, or the word header alone";
            },
            [&geometry] { return geometry.header_shift(); }};
}

Value memory_value(BackendOptions& backend) {
    return {"NUMBER",
            [&backend](const std::string& word) {
                std::string refused = take_number(backend.device_memory, word, positive());
                backend.device_memory *= mebibyte;
                return refused;
            },
            [&backend] {
                return backend.device_memory > 0 ? text(backend.device_memory / mebibyte, " MiB")
                                                 : "all";
            }};
}

Value lambda_value(std::string& lambda) {
    return {
        "NUMBER|RULE",
        [&lambda](const std::string& word) -> std::string {
            lambda = word;
            double number = 0;
            return lambda_rule(word) != nullptr || take_number(number, word, from_zero()).empty()
                       ? ""
                       : "a number from 0, or one of " + comma_separated(names_of(lambda_rules()));
        },
        [&lambda] { return lambda; }};
}

/// "tv:0.02" of --reg
Value regulariser_value(SolveOptions& solve) {
    const auto take = [&solve](const std::string& word) -> std::string {
        const std::size_t colon = word.find(':');
        const std::string name = word.substr(0, colon);
        if (name == "l2") {
            throw UsageError("--reg " + word + " has gone. Use --lambda" +
                             (colon == std::string::npos ? "" : " " + word.substr(colon + 1)) +
                             " instead.");
        }
        regulariser_named(name);
        double weight = 0;
        if (colon == std::string::npos ||
            !take_number(weight, word.substr(colon + 1), positive()).empty()) {
            return "a name, a colon and a weight above 0, such as " + name + ":0.02";
        }
        solve.regularisers.push_back({name, weight});
        return "";
    };
    return {"NAME:WEIGHT", take, [] { return ""; }, false, true};
}

Value solver_value(SolveOptions& solve) {
    return one_of(
        names_of(solvers()), [&solve](std::size_t row) { solve.solver = &solvers()[row]; },
        [&solve]() -> std::string { return solve.solver == nullptr ? "" : solve.solver->name; });
}

} // namespace

Option scan_option(std::string& scan) {
    return {"SCAN",
            group::reading,
            required(name(scan)),
            "",
            "",
            "scan file, recognised by its content",
            "A native HDF5 scan or ISMRMRD raw data: see [formats.md](formats.md)."};
}

OptionTable reading_options(ReadOptions& read) {
    OptionTable rows{
        {"traj_units", group::reading, choice(read.trajectory_units, trajectory_unit_names()), "",
         "as the file says", "unit of the trajectory",
         "One of " + comma_separated(trajectory_unit_names()) + ".", "traj_units_asked_for"},
        {"low_resolution", group::reading, toggle(read.low_resolution), "", "",
         "accept a trajectory that stays below N/4",
         "A trajectory that stays there nearly always has a wrong unit, and is refused."},
        {"header", group::reading, header_value(read), "", "",
         "correct the scan's header: fov_mm=X,Y[,Z] or matrix=X,Y[,Z]",
         "The field of view is in mm, the matrix in voxels. It may be given for each of the two."},
        {"join", group::reading, choices(read.join, frame_counters(), "COUNTERS"), "", "",
         raw + "counters that do not separate frames",
         "Acquisitions that differ in these counters alone are one frame. Counters are " +
             comma_separated(frame_counters()) + ".",
         "join"},
        {"group", group::reading, name(read.group, "NAME"), "", "the first with image data",
         raw + "top-level group of the file"},
        {"encoding", group::reading, number(read.encoding, whole(0), "N"), "",
         "the first with image data", raw + "encoding to read"}};
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        rows.push_back({frame_counters()[i], group::reading, indices(read.counters[i]), "", "all",
                        raw + "values of this counter, such as 0,2,5-9"});
    }
    rows.push_back({"frames", group::reading, indices(read.frames), "", "all",
                    "frames to read, counted from 0 after the other choices"});
    rows.push_back({"spokes_per_frame", group::reading,
                    number(read.spokes_per_frame, whole(1), "N"), "", "not cut",
                    raw + "cut frames to N consecutive readouts each"});
    rows.push_back({"stride", group::reading, number(read.stride, whole(1), "N"), "",
                    "--spokes-per-frame", "readouts from one such frame to the next",
                    "From start to start. A number below "
                    "`--spokes-per-frame` makes a sliding window.",
                    "", "", "spokes_per_frame"});
    return rows;
}

OptionTable place_options(GeometryOptions& geometry) {
    return {{"matrix", group::place, number(geometry.matrix, whole(1), "X,Y[,Z]"), "",
             "as the file says", "voxels of the image",
             "A smaller matrix leaves out the samples beyond N/2 of it."},
            {"fov_mm", group::place, number(geometry.fov_mm, positive(), "X,Y[,Z]"), "mm",
             "as the file says", "field of view of the image",
             "`--header` corrects a header that is wrong."},
            {"shift_mm", group::place, shift_value(geometry), "mm", "none", "move the image",
             "Along x, y (and z) of its grid. `header` moves raw data from the isocentre to the "
             "position of its acquisitions. Use it if the scanner has not done so, as is usual for "
             "spirals.",
             "header_shift"},
            {"conjugate", group::place, toggle(geometry.conjugate), "", "",
             "the trajectory has the other sign: the image was mirrored",
             "The file was written for exp(+i 2 pi k.x)."}};
}

OptionTable field_options(PrepareOptions& prepare) {
    return {{"field_map", group::place, name(prepare.field_map, "FILE|none"), "Hz",
             "the scan's own", "field map for the correction of off-resonance",
             "A file with `/field_map`, or a real image in NIfTI-1 or ISMRMRD. The file may also "
             "hold R2* in 1/s as `/r2star`. It is resampled to the scan's grid. A volume is "
             "resampled to each slice.",
             "field_map_asked_for"},
            {"field_scale", group::place, number(prepare.field_scale, between(-100, 100)), "", "",
             "factor of the field map", "-1 for the other sign, 0.15915 for a map in rad/s.",
             "field_scale"}};
}

OptionTable maps_options(PrepareOptions& prepare) {
    return {{"maps", group::coils, name(prepare.maps, "METHOD|FILE"), "", "the scan's, or espirit",
             "coil maps: espirit, walsh, none or a file",
             "A file has `/coil_maps`, or is BART's (.cfl). 3D maps are resampled to each slice. "
             "`none` solves one problem for each coil and combines them by the root of their sum "
             "of squares. Methods:" +
                 listed(maps_methods()),
             "maps_asked_for"},
            {"maps_threshold", group::coils, number(prepare.estimate.threshold, between(0, 1)), "",
             "", "ESPIRiT: smallest singular value, relative to the largest",
             "Smaller ones are noise.", "maps_threshold"},
            {"maps_crop", group::coils, number(prepare.estimate.crop, between(0, 0.999)), "", "",
             "ESPIRiT: maps are 0 where the eigenvalue is below this",
             "That is outside of the object. Holes that the object encloses are filled.",
             "maps_crop"},
            {"soft_maps", group::coils, toggle(prepare.estimate.soft), "", "",
             "ESPIRiT: maps grow from 0 at the crop, without an edge",
             "Without it maps have a hard edge and holes are filled.", "soft_maps"}};
}

OptionTable coils_options(PrepareOptions& prepare) {
    return {
        {"coils", group::coils, number(prepare.compression.coils, whole(1), "N"), "", "all",
         "compress to N virtual coils", "By the singular value decomposition of the samples.",
         "coils_asked_for"},
        {"energy", group::coils,
         number(prepare.compression.energy, {"a number above 0, at most 1",
                                             [](double value) { return value > 0 && value <= 1; }}),
         "", "1, all coils", "compress to the virtual coils that keep this share",
         "The fewest virtual coils that keep it of the energy of the samples, such as 0.99.",
         "energy_asked_for", "coils"},
        {"no_whitening", group::coils, toggle(prepare.whiten, false), "", "", "skip prewhitening",
         "Without it the noise samples of a scan are used for "
         "prewhitening.",
         "whitening"}};
}

OptionTable regularisation_options(std::string& lambda, SolveOptions& solve, std::string& prior) {
    return {{"lambda", group::regularisation, lambda_value(lambda), "", "auto",
             "Tikhonov (L2) weight, or a rule that chooses it",
             "Relative to the diagonal of F^H W F. A rule chooses it by one frame, for all frames. "
             "Without this option it is `auto`, together with `--reg band:0.3`. It is 0 with "
             "`--iterations` or `--reg`, with a field map and for /voxels, where iterations are "
             "slow. Rules:" +
                 listed(lambda_rules()),
             "lambda_asked_for"},
            {"reg", group::regularisation, regulariser_value(solve), "", "none",
             "regulariser and weight, such as tv:0.02; may be repeated",
             "Regularisers:" + listed(regularisers())},
            {"prior", group::regularisation, name(prior), "", "none",
             "image for --reg prior and --reg anatomical",
             "One frame of the same object, in a file of lsrecon, NIfTI-1 or ISMRMRD. Its grid "
             "must hold that of the image. For `prior` it is in the units of the image.",
             "prior"}};
}

OptionTable solver_options(SolveOptions& solve, SolveEffort& effort) {
    const double least = smallest_tolerance(unit_roundoff(Precision::float32));
    return {{"iterations", group::solver, number(effort.iterations, whole(1), "N"), "",
             text(iterations_to_converge, "; ", iterations_of_splitting, " passes with TV"),
             "largest number of iterations",
             text("Few iterations regularise where lambda is 0. It is ", SolveOptions().iterations,
                  " without lambda and regularisers, with a field map that the kernel takes "
                  "exactly, and for /voxels. With a regulariser that is not quadratic it counts "
                  "passes of ADMM, each of several iterations of conjugate gradients.")},
            {"tolerance", group::solver, number(effort.tolerance, positive()), "",
             text(SolveOptions().tolerance, "; less with lambda"),
             "relative residual at which the solver stops",
             text("The solver continues to a tenth of it, because the residual understates the "
                  "error of the image. With lambda it is at most lambda / ",
                  1 / tolerance_over_lambda, ", and with a quadratic regulariser alone ",
                  tolerance_without_lambda, ". In single precision it is at least ", rounded(least),
                  ".")},
            {"preconditioner", group::solver,
             one_of(
                 {"none", preconditioner_kind(false).name},
                 [&effort](std::size_t row) { effort.precondition = row == 1; }, [] { return ""; }),
             "", "", "preconditioner of conjugate gradients",
             text("`", preconditioner_kind(false).name,
                  "` (DCT-II) needs fewer iterations for the same image. It is used with lambda or "
                  "a quadratic regulariser.")},
            {"solver", group::solver, solver_value(solve), "", solvers().front().name,
             "solver: device, or eigen as a check", "Solvers:" + listed(solvers()),
             "solver_asked_for"}};
}

OptionTable q_options(std::string& file, std::string& folder) {
    return {{"q", group::solver, name(file), "", "", "Q of 'lsrecon q' for this trajectory", "",
             "q_file"},
            {"q_folder", group::solver, name(folder, "FOLDER"), "", "",
             "cache for Q; created if missing",
             "Scans of the same trajectory, matrix, phi and weights share one Q.", "q_folder",
             "q"}};
}

Option precision_option(std::optional<Precision>& precision) {
    return {"precision",
            group::device,
            one_of(
                {"single", "double"},
                [&precision](std::size_t row) {
                    precision = row == 0 ? Precision::float32 : Precision::float64;
                },
                [&precision]() -> std::string {
                    return !precision ? "" : *precision == Precision::float64 ? "double" : "single";
                }),
            "",
            "single, solver double",
            "precision of transforms and solver",
            "Without it transforms compute in single precision, and conjugate gradients in double "
            "if the device supports it. Time segments keep `--segment-error`.",
            "precision_asked_for"};
}

Option device_option(std::string& device) {
    return {"device",
            group::device,
            name(device, "DEVICE"),
            "",
            "a GPU, if any",
            "OpenCL device: index, part of its name, or type",
            "A type is gpu, cpu or accelerator. `lsrecon devices` lists them."};
}

OptionTable device_options(BackendOptions& backend) {
    return {{"backend", group::device, name(backend.backend, "NAME"), "", "", "what computes",
             "Backends:" + listed(backend_rows())},
            device_option(backend.device),
            {"kernel", group::device, name(backend.kernel, "NAME"), "", "separable",
             "variant of the transforms", "`lsrecon devices` lists them."},
            precision_option(backend.precision),
            {"segment_error", group::device, number(backend.segment_error, between(1e-7, 0.5)), "",
             "", "relative error of time segments",
             "Off-resonance is divided into time segments. Variants of the direct transform, such "
             "as `tuned`, have none.",
             "segment_error"},
            {"device_memory", group::device, memory_value(backend), "MiB", "",
             "limit on device memory", "", "device_memory"}};
}

Option output_option(std::string& output, const std::string& help, const std::string& more) {
    return {"output", group::output, required(name(output)), "", "", help, more};
}

Option quiet_option(bool& quiet) {
    return {"quiet", group::output, toggle(quiet), "", "", "show notes and warnings only"};
}

OptionTable joined(std::vector<OptionTable> parts) {
    OptionTable all;
    for (OptionTable& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace lsrecon::app
