// The table of findings: each row has a code, a severity and the function that words the finding.

#include "base/finding.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

template <typename Value>
Value named(const std::vector<std::pair<std::string, Value>>& values, const std::string& name) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& value) { return value.first == name; });
    return found == values.end() ? Value() : found->second;
}

/// Whole numbers with all of their digits.
std::string in_words(double number) {
    constexpr double exact_in_double = 9e15;
    return number == std::round(number) && std::abs(number) < exact_in_double
               ? text(static_cast<long long>(number))
               : text(number);
}

std::string percent(double share) {
    return rounded(100 * share) + " %";
}

/// A word or a number by its name; after a colon a number as a percentage, or as one of things.
std::string value_of(const Finding& f, const std::string& key) {
    const std::size_t colon = key.find(':');
    if (colon == std::string::npos) {
        const std::string word = f.word(key);
        return word.empty() ? in_words(f.number(key)) : word;
    }
    const double number = f.number(key.substr(0, colon));
    const std::string form = key.substr(colon + 1);
    return form == "%" ? percent(number) : counted(static_cast<std::size_t>(number), form);
}

/// Words with the values of a finding at their keys: "{without} of {samples} samples".
auto says(const std::string& words) {
    return [words](const Finding& f) {
        std::string line;
        std::size_t at = 0;
        for (std::size_t open = words.find('{'); open != std::string::npos;
             open = words.find('{', at)) {
            const std::size_t close = words.find('}', open);
            line +=
                words.substr(at, open - at) + value_of(f, words.substr(open + 1, close - open - 1));
            at = close + 1;
        }
        return line + words.substr(at);
    };
}

std::string about_convergence(const Finding& f) {
    const std::string residuals = f.word("residuals"); // none of a solver that splits
    const std::string change = f.word("change");
    const double limited = f.number("limited");
    const std::string line = (limited == f.number("solves")
                                  ? "Not converged"
                                  : text(limited, " of ", f.number("solves"), " not converged")) +
                             " after " + f.word("effort") +
                             (residuals.empty() ? "" : " (" + residuals + ")");
    if (f.number("residual") >= 1 && !residuals.empty()) {
        return line + ". An image of zeros has a residual of 1: this one is no solution. Try "
                      "`precision` double or a larger `lambda`.";
    }
    return line + (change.empty() ? "" : "; " + change) + ". Raise `iterations`" +
           (f.number("early") > 0 ? ", or pass `lambda` 0.01 to converge without noise." : ".");
}

std::string about_smoothing(const Finding& f) {
    std::vector<std::string> causes;
    if (f.number("lambda") > 0) {
        causes.push_back("lambda " + rounded(f.number("lambda")) + " is too large");
    }
    if (f.number("smooths") > 0) {
        causes.emplace_back("a weight of `reg` is too large");
    }
    if (f.number("limited") > 0) {
        causes.emplace_back("the iterations are too few");
    }
    if (f.number("prior") > 0) {
        causes.emplace_back("the image of `prior` is another");
    }
    return text("The image leaves ", f.word("samples"), ", and one without regularisation ",
                percent(f.number("left_by_model")), ": ", separated_by(" or ", causes),
                f.number("frames") > 1 ? " for some frames." : ".");
}

std::string about_unexplained_data(const Finding& f) {
    constexpr double nearly_all = 0.9;
    if (f.number("by_model") == 0) {
        return about_smoothing(f);
    }
    std::vector<std::string> causes{"the trajectory (its sign, unit or delay)"};
    for (const auto& [name, cause] :
         {std::pair("coil_maps", "the coil maps"), {"field_map", "the field map"}}) {
        if (f.number(name) > 0) {
            causes.emplace_back(cause);
        }
    }
    if (const std::string joined = f.word("joined"); !joined.empty()) {
        causes.push_back("acquisitions of another contrast, which `join` " + joined +
                         " put into one image");
    }
    return text(f.number("left") > nearly_all ? "The image shows next to nothing of the data: "
                                              : "The image does not explain the data: ",
                f.word("samples"), ". What may be wrong: ", comma_separated(causes),
                ", or samples.");
}

/// "Readout 17 of 25 leaves 80 % of its energy unexplained, the others 3 %: ..."
std::string about_parts(const Finding& f, const std::string& part, const std::string& causes) {
    const bool several = f.number("count") > 1;
    const std::string frame = f.word("frame");
    std::string name = part + (several ? "s " : " ") + f.word("list");
    name[0] = static_cast<char>(std::toupper(name[0]));
    return text(name, " of ", f.number("parts"), frame.empty() ? "" : " of " + frame,
                several ? " leave up to " : " leaves ", percent(f.number("share")), " of ",
                several ? "their" : "its", " energy unexplained, the others ",
                percent(f.number("others")), ": ", causes, ". `leave_out` ", part,
                "s:", f.word("list"), " makes the image without ", several ? "them." : "it.");
}

/// How a model that explains a scan better is described.
struct BetterModel {
    std::string name;
    std::string subject; ///< and "explain"
    std::string object; ///< where it is not some slices
    std::string in_use; ///< after "than"
    std::string flag;
    std::string with; ///< after "leaves 4 %"
};

const std::vector<BetterModel>& better_models() {
    const std::string maps = "Coil maps estimated from this scan";
    const std::string negated = "the field map with the other sign";
    const std::string divided = "the field map divided by 2 pi";
    static const std::vector<BetterModel> rows{
        {"other_sign", "The other sign of the trajectory explains", "the scan", "that in use",
         "pass `conjugate`, or leave it out if it was given", "the other sign of the trajectory"},
        {"exchanged_axes", "The trajectory with kx and ky exchanged explains", "the scan",
         "that in use",
         "either its axes are exchanged, or the coil maps or the field map are transposed. An "
         "image "
         "without them (`maps` espirit, `field_map` none) shows which: where the object is upright "
         "correct the maps, else the trajectory",
         "kx and ky exchanged"},
        {"negated_field", "The field map with the other sign explains", "the scan", "as it is",
         "`field_scale` -1", negated},
        {"radians", "The field map divided by 2 pi explains", "the scan", "as it is",
         "it is in rad/s; `field_scale` 0.15915", divided},
        {"no_field", "The model without field map explains", "the scan", "with it",
         "`field_map` none", "no field map"},
        {"estimated_maps", maps + " explain", "it", "those in use", "`maps` espirit",
         "estimated coil maps"},
        {"estimated_maps_negated_field", maps + " and the field map with the other sign explain",
         "it", "those in use", "`maps` espirit and `field_scale` -1",
         "estimated coil maps and " + negated},
        {"estimated_maps_radians", maps + " and the field map divided by 2 pi explain", "it",
         "those in use", "`maps` espirit; the field map is in rad/s, `field_scale` 0.15915",
         "estimated coil maps and " + divided},
        {"estimated_maps_no_field", maps + " without field map explain", "it",
         "those in use with it", "`maps` espirit and `field_map` none",
         "estimated coil maps and no field map"},
    };
    return rows;
}

/// "Unexplained: 36 % as it is, 34 % with the other sign of the trajectory."
std::string left_by_models(const Finding& f) {
    std::vector<std::string> left{percent(f.number("left")) + " as it is"};
    for (const BetterModel& row : better_models()) {
        if (const double share = f.number("left_" + row.name); share > 0) {
            left.push_back(percent(share) + " with " + row.with);
        }
    }
    return text(". Unexplained of the centre of k-space: ", comma_separated(left), ".",
                f.number("cannot_estimate") > 0
                    ? " Coil maps cannot be estimated from one frame of this scan to compare with."
                    : "");
}

std::string about_unexplained_model(const Finding& f) {
    return text(
        "The scan's model leaves ", percent(f.number("left")),
        " of the centre of k-space unexplained, and noise is at most ", percent(f.number("noise")),
        left_by_models(f),
        " Check the order, the axes and the phases of the coil maps, the field map, and the "
        "trajectory.");
}

std::string about_better_model(const Finding& f) {
    const BetterModel& model =
        *std::find_if(better_models().begin(), better_models().end(),
                      [&](const BetterModel& row) { return row.name == f.word("model"); });
    const std::string slices = f.word("slices");
    const bool of_all = f.number("of_all") > 0;
    const double gain = f.number("gain");
    return text(model.subject, " ", of_all ? model.object : slices, " ",
                gain < 100 ? rounded(gain) : text(std::round(gain)), " times better than ",
                model.in_use, of_all && !slices.empty() ? ", above all " + slices : "", ": ",
                model.flag, left_by_models(f));
}

/// The share of k-space that samples cover, rounded up: little is not none.
std::string covered(const Finding& f) {
    return text(std::ceil(1000 * f.number("covered")) / 10, " %");
}

std::string advice_on_aliasing(const Finding& f) {
    const bool parts =
        f.number("part") > 0 && f.number("frames") > 1 && f.number("sparse") == f.number("frames");
    std::string joined = f.word("join").empty() ? "" : "pass " + f.word("join");
    if (joined.empty() && parts && f.number("can_be_written") > 0) {
        joined = "write their samples as one frame";
    }
    return text(parts                      ? ""
                : f.number("unsolved") > 0 ? " Try `method` least_squares."
                                           : " Try `reg` auto.",
                joined.empty() ? "" : " If the frames belong to one image, " + joined + ".");
}

std::string about_aliasing(const Finding& f) {
    const double frames = f.number("frames");
    const double coils = f.number("coils");
    const std::string samples =
        frames == 1 ? "Undersampled: the samples"
                    : text(in_words(f.number("sparse")), " of ", in_words(frames),
                           " frames are undersampled: ",
                           f.number("alike") > 0 ? "each has " : "the sparsest has ",
                           in_words(f.number("samples")),
                           coils > 1 ? " samples a coil, which" : " samples, which");
    return text(samples, " cover ", covered(f), " of k-space. Expect ",
                f.number("maps") > 0 ? "aliasing and noise"
                : coils == 1         ? "aliasing"
                                     : "aliasing unless coil maps undo it",
                ".", advice_on_aliasing(f));
}

std::string about_single_readouts(const Finding& f) {
    const std::string join = f.word("join");
    const std::string spokes = in_words(f.number("spokes"));
    return text("Each of the ", in_words(f.number("frames")),
                " frames has one readout, which fills ", covered(f), " of k-space. ", join,
                " makes one image of all readouts", f.number("slices") > 0 ? " of a slice." : ".",
                f.number("spokes") > 0 ? text(" ", join, " `spokes_per_frame` ", spokes,
                                              " makes an image of every ", spokes, " readouts.")
                                       : "");
}

/// Advice for better transforms, "" for none. An accuracy that floats cannot keep takes doubles by
/// itself.
std::string better_transforms(const Finding& f) {
    const std::string engine = f.number("exact") == 0      ? "a smaller `accuracy`, "
                               : f.number("in_double") > 0 ? ""
                                                           : "`precision` double, ";
    return engine + (f.number("time_segments") > 0 ? "a smaller `segment_error`, " : "");
}

std::string about_lambda(const Finding& f) {
    const bool exact = f.number("exact") > 0;
    return text("lambda ", rounded(f.number("lambda")), " is below ", rounded(f.number("resolved")),
                ", the least that the ", exact ? "precision" : "accuracy",
                " of the transforms resolves for this scan. ", exact ? "Rounding" : "Their errors",
                " may show in the image. Use ", better_transforms(f),
                "a larger `lambda` or fewer `iterations`.");
}

std::string about_transform_errors(const Finding& f) {
    const std::string better = better_transforms(f);
    const bool by_rounding = f.number("exact") > 0 && f.number("time_segments") == 0;
    return text(by_rounding ? "Rounding" : "Errors of the transforms", " may change the image by ",
                percent(f.number("error")), ". Use ", better, better.empty() ? "" : "or ",
                "a larger `lambda`.");
}

std::string about_double_precision(const Finding& f) {
    const double accuracy = f.number("accuracy");
    return text(f.word("why"), ". ",
                f.number("while_choosing") > 0 ? "Lambda is chosen by transforms"
                                               : "Transforms compute",
                " in double precision", accuracy > 0 ? " to " + rounded(accuracy) : "",
                ", which takes about ", rounded(f.number("times")), " times as long.");
}

std::string about_silence(const Finding& f) {
    const double silent = f.number("silent");
    const double frames = f.number("frames");
    const std::string first = "frame " + in_words(f.number("first"));
    const std::string in_frames = silent == frames ? (frames == 1 ? "" : " in all frames")
                                  : silent == 1
                                      ? " in " + first
                                      : text(" in ", in_words(silent), " of ", in_words(frames),
                                             " frames, the first is ", first);
    return text("all samples of ",
                f.code == Found::coils_silent ? "all coils" : "coil " + in_words(f.number("coil")),
                " are 0", in_frames, ": check how the scan was written");
}

std::string about_reversed_lines(const Finding& f) {
    return f.number("flagged") > 0
               ? "Lines that the scan says run backwards match their neighbours when they are read "
                 "forwards: they seem to be reversed already. Clear the flag (IS_REVERSE), or "
                 "reverse their samples."
               : "Every other line matches its neighbours when it is read backwards: its samples "
                 "seem to be stored backwards without the flag. Set it (IS_REVERSE), or reverse "
                 "the samples.";
}

std::string about_shots(const Finding& f) {
    const double angle = f.number("degrees");
    const double gain = f.number("gain");
    const bool lines = f.number("lines") > 0; // which cannot tell a phase from that less 180
    const std::string phase =
        angle == 0 ? ""
                   : text("by a phase of ", in_words(angle), " degrees",
                          lines ? text(" (or ", in_words(180 - angle), ")") : " in the median");
    const std::string strength = gain == 1 ? "" : text("in strength by ", rounded(gain));
    return text("The shots do not fit each other: ", f.word("which"), " differ ", phase,
                phase.empty() || strength.empty() ? "" : " and ", strength,
                ". That makes ghosts or streaks. Correct the samples.");
}

std::string about_failure(const Finding& f) {
    const std::string label = f.word("label");
    return text("frame ", in_words(f.number("frame")), label.empty() ? "" : " (" + label + ")",
                " failed: ", f.word("error"));
}

std::string about_incomplete_frames(const Finding& f) {
    const double fewer = f.number("fewer");
    const double missing = f.number("missing");
    const std::string label = f.word("label");
    std::string line =
        text(fewer > 1 ? in_words(fewer) + " frames have fewer readouts than others: " : "",
             "frame ", in_words(f.number("frame")), " (", label, ") has ",
             in_words(f.number("readouts")), " of ", in_words(f.number("usual")), " readouts");
    line = fewer == 0 ? "" : line;
    if (missing > 0) {
        line +=
            text(line.empty() ? "" : ", and ", counted(static_cast<std::size_t>(missing), "frame"),
                 missing > 1 ? " are" : " is", " missing (", f.word("lost"), ")");
    }
    const std::string whole = f.word("whole");
    return text("The scan was stopped, or data is lost: ", line, ".",
                whole.empty() ? "" : " `frames` " + whole + " leaves out what is not whole.");
}

std::string about_slices(const Finding& f) {
    const bool several = f.number("slices") > 1;
    return text("encodedSpace/matrixSize/z is ", in_words(f.number("z")),
                f.number("slices") == f.number("z") ? ", the number of slices" : "",
                several ? ", and each slice" : ", and the slice",
                " has one kspace_encode_step_2 and no kz: ",
                several ? "they are taken for two-dimensional images"
                        : "it is taken for a two-dimensional image");
}

std::string about_shifts_of_maps(const Finding& f) {
    const auto shifted = [&](const char* what) {
        return f.number(what) > 0 ? "with `shift_mm` header" : "without `shift_mm` header";
    };
    return text("The coil maps were made ", shifted("maps"),
                " from another scan, and the image is made ", shifted("image"),
                ". They match only if the scanner shifted the samples of one of the two scans "
                "itself.");
}

std::string about_encoding(const Finding& f) {
    const std::string left_out = in_words(f.number("encoding"));
    return text("left out ", counted(static_cast<std::size_t>(f.number("count")), "acquisition"),
                " of encoding ", left_out, ": encoding ", in_words(f.number("read")), " is read. ",
                f.number("images") > 0 ? text("Pass `encoding` ", left_out, " to read them.")
                                       : text("'lsrecon maps SCAN `encoding` ", left_out,
                                              " -o MAPS' makes coil maps from them."));
}

std::string about_preview(const Finding& f) {
    const bool thinned = f.number("step") > 1;
    const bool some = f.number("shown") < f.number("panes");
    return text("the preview shows ",
                some ? text(in_words(f.number("shown")), " of ", in_words(f.number("panes")),
                            " slices and frames")
                     : "",
                some && thinned ? ", and " : "",
                thinned ? text("one of ", in_words(f.number("step")), " voxels in each direction")
                        : "");
}

std::vector<FindingRow> on_solves() {
    return {
        {Found::not_converged, "not_converged", Severity::warning, &about_convergence},
        {Found::data_unexplained, "data_unexplained", Severity::warning, &about_unexplained_data},
        {Found::readouts_unexplained, "readouts_unexplained", Severity::warning,
         [](const Finding& f) {
             return about_parts(f, "readout",
                                "a spike, a position that is wrong, motion, or a signal that is "
                                "not steady yet");
         }},
        {Found::coils_unexplained, "coils_unexplained", Severity::warning,
         [](const Finding& f) {
             return about_parts(f, "coil",
                                "the gain or phase differs from the map, or the coil is broken");
         }},
        {Found::model_differs, "model_differs", Severity::warning, &about_better_model},
        {Found::model_unexplained, "model_differs", Severity::warning, &about_unexplained_model},
        {Found::undersampled, "undersampled", Severity::warning, &about_aliasing},
        {Found::single_readouts, "single_readouts", Severity::warning, &about_single_readouts},
        {Found::weight_guessed, "weight_guessed", Severity::warning,
         says("Too few samples to hold some out, by which a weight would be chosen: {guess} is a "
              "guess. Compare half and twice of it by eye.")},
        {Found::regulariser_too_large, "regulariser_too_large", Severity::warning,
         says("`reg` {names} is not weighed: memory has no room for it; 'lsrecon predict' says "
              "what it needs")},
        {Found::phase_not_smooth, "symmetry_unused", Severity::warning,
         says("{frames:frame} without `conjugate_symmetry`: imaginary over real energy of the "
              "centre of k-space is {asymmetry:%} once its smooth phase is out, and conjugates "
              "would be wrong.")},
        {Found::not_partial_fourier, "symmetry_unused", Severity::info,
         says("`conjugate_symmetry` is not used: samples reach as far on both sides of the centre "
              "of k-space.")},
        {Found::lambda_unresolved, "lambda_unresolved", Severity::warning, &about_lambda},
        {Found::transform_errors, "transform_errors", Severity::warning, &about_transform_errors},
        {Found::double_precision, "double_precision", Severity::info, &about_double_precision},
        {Found::solver_on_cpu, "solved_on_cpu", Severity::info,
         says("the solver runs on the CPU in double precision: {why}")},
        {Found::solved_on_cpu, "solved_on_cpu", Severity::info,
         says("solved on the CPU in double precision: {why}")},
        {Found::solved_by_eigen, "solved_on_cpu", Severity::info,
         says("solved by Eigen in double precision: {why}")},
        {Found::blurred_by_density, "blurred_by_density", Severity::warning,
         says("Density compensation by Pipe and Menon lets a sample stand for one cell of k-space, "
              "and gaps between samples are larger: fine detail is too weak, and the image is "
              "blurred. `density` voronoi keeps it, and so does least squares.")},
        {Found::prior_scale, "prior_scale", Severity::warning,
         says("The prior image {file} fits the scan best when it is multiplied by {scale}. Check "
              "that it is in the units of the reconstruction.")},
    };
}

std::vector<FindingRow> on_noise() {
    return {
        {Found::noise_map_relative, "noise_map_relative", Severity::warning,
         says("The scan has no noise measurement. The noise map is relative: it is for noise of "
              "variance 1 in the real and imaginary parts of the samples.")},
        {Found::no_g_factor_of_method, "no_g_factor", Severity::warning,
         says("no g-factor: it is defined for least squares alone")},
        {Found::no_g_factor_off_grid, "no_g_factor", Severity::warning,
         says("no g-factor: it is not defined for voxels off the grid")},
        {Found::no_g_factor_without_maps, "no_g_factor", Severity::warning,
         says("no g-factor: it is not defined for several coils without maps")},
        {Found::no_g_factor_of_sets, "no_g_factor", Severity::warning,
         says("no g-factor: it is not defined for two sets of coil maps. Pass `maps` espirit:1.")},
        {Found::no_g_factor_of_coloured_noise, "no_g_factor", Severity::warning,
         says("no g-factor: it is not defined for noise that is not white")},
        {Found::no_g_factor_with_phi, "no_g_factor", Severity::warning,
         says("no g-factor: it is not defined for a phi of the voxels")},
        {Found::no_g_factor_without_corners, "no_g_factor", Severity::warning,
         says("no g-factor: it is not defined where samples leave out corners of k-space")},
        {Found::no_g_factor_regularised, "no_g_factor", Severity::warning,
         says("no g-factor: regularisation lowers the noise of this image. Pass `lambda` 0 "
              "`iterations` 300.")},
        {Found::no_g_factor_stopped_early, "no_g_factor", Severity::warning,
         says("no g-factor: the solve stopped at the iteration limit, which regularises the image. "
              "Raise `iterations`.")},
    };
}

std::vector<FindingRow> on_samples() {
    return {
        {Found::coils_silent, "samples_zero", Severity::warning, &about_silence},
        {Found::coil_silent, "samples_zero", Severity::warning, &about_silence},
        {Found::frames_zero, "samples_zero", Severity::warning,
         says("{count:frame} have no sample but zeros where its weight and phi are not 0, the "
              "first is frame {first}")},
        {Found::samples_zero, "samples_zero", Severity::warning,
         says("{share:%} of the samples are 0 in every coil, and count as measured zeros. Leave "
              "them out of the scan, or give them weight 0.")},
        {Found::acquisitions_zero, "samples_zero", Severity::warning,
         says("{count:acquisition} of the image hold only zeros, the first is acquisition "
              "{first}")},
        {Found::samples_clipped, "samples_clipped", Severity::warning,
         says("{count} samples of {coils:coil} share the largest value of their coil, as where a "
              "receiver saturates: the centre of k-space is clipped, and the image is shaded. "
              "Scan again with less receiver gain, or give these samples weight 0.")},
        {Found::spikes, "spikes", Severity::warning,
         says("{count:sample} up to {times} times as strong as k-space is that far out; the first "
              "is sample {first} of frame {frame}. A spike makes stripes: leave it out, or give it "
              "weight 0.")},
        {Found::weights_zero, "weights_zero", Severity::warning,
         says("{without} of {samples} samples have weight 0 and do not count. Check /weights if "
              "that is not meant.")},
        {Found::centre_unweighted, "centre_unweighted", Severity::warning,
         says("The centre of k-space has no weight: the weights of the {samples:sample} within "
              "half a cycle of k = 0 add up to {share:%} of what a cell of k-space has elsewhere. "
              "The mean of the image and its shading are lost. Density weights |k| need the area "
              "of the central cell there; without weights, every sample counts.")},
    };
}

std::vector<FindingRow> on_other_acquisitions() {
    return {
        {Found::noise_unlike_samples, "noise_unused", Severity::warning,
         says("The noise measurement is {ratio} times weaker than the samples at the edge of "
              "k-space. It has another scale than the samples and is not used.")},
        {Found::noise_of_other_channels, "noise_unused", Severity::warning,
         says("left out {count:acquisition} flagged noise measurement: of {channels:channel}, not "
              "the image's {of_image}")},
        {Found::noise_of_several_dwells, "noise_unused", Severity::warning,
         says("left out {count:acquisition} flagged noise measurement: the image's samples have "
              "several dwell times (sample_time_us {dwells})")},
        {Found::noise_discarded, "noise_unused", Severity::warning,
         says("left out {count:acquisition} flagged noise measurement: discard_pre and "
              "discard_post leave none of the samples")},
        {Found::noise_unscaled, "noise_unscaled", Severity::warning,
         says("kept {samples:noise sample} a coil from {count:acquisition}, not scaled, because a "
              "dwell time (sample_time_us) is 0")},
        {Found::calibration_silent, "calibration_unused", Severity::warning,
         says("{lines} are not used: they {why}. Check how they were written.")},
        {Found::calibration_left_out, "calibration_unused", Severity::warning,
         says("left out {count:acquisition} flagged parallel calibration, which {why}")},
        {Found::trajectories_unusable, "frames_unusable", Severity::warning,
         says("the trajectory of {frames} cannot be used: {why}")},
        {Found::frame_unusable, "frames_unusable", Severity::warning,
         says("frame {frame}: {error}")},
        {Found::frames_crossed_out, "frames_unusable", Severity::warning,
         says("{failed}; a cross is in their place")},
        {Found::frames_as_nan, "frames_unusable", Severity::warning,
         says("{failed}; the output holds NaN there, or a cross in a picture")},
        {Found::frame_failed, "frame_failed", Severity::error, &about_failure},
        {Found::more_frames_failed, "frame_failed", Severity::error,
         says("{count} more frames failed before they were solved; /record/frame_errors of the "
              "output says why")},
        {Found::frames_incomplete, "frames_incomplete", Severity::warning,
         &about_incomplete_frames},
        {Found::slices_lack_frames, "frames_incomplete", Severity::warning,
         says("{missing} of {slices} slices are missing in the volumes; the output holds NaN "
              "there")},
        {Found::scan_unreadable, "scan_unreadable", Severity::error, says("{error}")},
    };
}

std::vector<FindingRow> on_delays() {
    return {
        {Found::delays_corrected, "delays_corrected", Severity::info,
         says("The readouts are corrected by `delays` {delays}, which the scan shows: its centre "
              "of k-space leaves {times} times less unexplained. `delays` none leaves them as they "
              "are.")},
        {Found::delays_found, "delays_found", Severity::warning,
         says("Gradients are late or early, or readouts differ in phase: `delays` {delays} leaves "
              "{times} times less of the centre of k-space unexplained. 'lsrecon delays' shows "
              "how well that is known.")},
        {Found::delays_unknown, "delays_unknown", Severity::warning,
         says("The scan does not show delays of its gradients: they would be known within "
              "{deviation} dwell times. The readouts stay as they are.")},
    };
}

std::vector<FindingRow> on_trajectories() {
    return {
        {Found::epi_ghost, "epi_ghost", Severity::warning,
         says("EPI: the gradient's times in trajectoryDescription give the positions of samples. "
              "Where they are not right, or lines of the two directions differ, a ghost may "
              "remain.")},
        {Found::lines_reversed, "lines_reversed", Severity::warning, &about_reversed_lines},
        {Found::directions_differ, "epi_ghost", Severity::warning,
         says("Lines that run backwards differ from the others by {degrees} degrees and {samples} "
              "samples, and are {gain} times as strong. That makes a ghost at half of the field of "
              "view, and maps estimated from it contain it. `epi_phase` auto takes phase and "
              "shift out.")},
        {Found::directions_unknown, "epi_ghost", Severity::warning,
         says("Lines of a shot run both ways, and the samples do not say by which phase and shift "
              "they differ: a ghost may remain. Measure navigator lines, or pass `epi_phase` "
              "PHASE,SHIFT; 0,0 leaves the lines as they are.")},
        {Found::shots_differ, "shots_differ", Severity::warning, &about_shots},
        {Found::readout_steps, "readout_phase", Severity::warning,
         says(
             "The phase of the readouts at k = 0 changes by {degrees} degrees from each readout to "
             "the next; at 180 every other one has the other sign. Correct the samples: each "
             "readout measures the same there.")},
        {Found::readout_quadratic, "readout_phase", Severity::warning,
         says("The phase of the readouts grows quadratically: its step from one to the next grows "
              "by {degrees} degrees with each readout, as that of RF spoiling. Multiply the "
              "samples of readout n by exp(-i pi/180 {half} n (n + 1)).")},
        {Found::object_at_edge, "object_at_edge", Severity::warning,
         says(
             "The object lies half of the field of view off along {axis}: it crosses the edge, and "
             "nothing is in the middle. Every other line may have the other sign. `shift_mm` "
             "{shift} moves it to the middle.")},
        {Found::units_ambiguous, "units_ambiguous", Severity::warning,
         says("The range of the trajectory would also fit {unit}. If the object has a wrong size, "
              "write the trajectory in 1/m ({per_m} times {unit}).")},
        {Found::units_unused, "units_unused", Severity::warning,
         says("`traj_units` {units} is not used: the file has no trajectory")},
        {Found::dimensions_unused, "dimensions_unused", Severity::warning,
         says("only the first {used} of {stored} trajectory dimensions are used; the next one is "
              "from {least} to {most}")},
        {Found::gradient_axes, "axes_assumed", Severity::warning,
         says("The trajectory has three coordinates and its readouts are perpendicular to "
              "slice_dir: it is taken along the gradient axes x, y, z, and rotated by read_dir, "
              "phase_dir and slice_dir. If the image is mirrored, the axes have other signs: "
              "write the trajectory along these directions.")},
        {Found::reach_uneven, "reach_uneven", Severity::warning,
         says(
             "{axis} reaches {short:%} of N/2, and {other} {full:%}. Either the resolution is that "
             "low along one axis, or the scan is accelerated and its lines are numbered without "
             "gaps, which folds the image: {numbers} must count on the grid of all lines.")},
        {Found::lines_beyond, "lines_beyond", Severity::warning,
         says("{beyond} of {lines} lines lie beyond the {voxels} voxels of the matrix "
              "({steps}), and are left out. {smaller} take them, for smaller voxels. If they lie "
              "closer together than the field of view says, as oversampled ones do, pass "
              "{oversampled}.")},
        {Found::slices_assumed, "slices_assumed", Severity::warning, &about_slices},
    };
}

std::vector<FindingRow> on_models() {
    return {
        {Found::no_maps, "no_maps", Severity::warning,
         says("No coil maps could be estimated ({why}). Each coil is solved alone, and the image "
              "is the root of their sum of squares, without phase. 'lsrecon maps' makes maps of "
              "another scan, for `maps` FILE.")},
        {Found::maps_shifted, "maps_shifted", Severity::warning, &about_shifts_of_maps},
        {Found::maps_by_walsh, "maps_by_walsh", Severity::warning,
         says("no voxel has signal at the slice of frame {frame}: its maps were estimated by "
              "walsh")},
        {Found::field_map_strong, "field_map_doubtful", Severity::warning,
         says("The field map makes up to {turns} turns before a sample is taken. Check that the "
              "map is in Hz and the times are in s.")},
        {Found::field_map_idle, "field_map_doubtful", Severity::warning,
         says("The field map corrects nothing: it is at most {field} Hz, and the readout takes "
              "{duration} s. Check that the map is in Hz and the times are in s.")},
        {Found::field_map_zero, "field_map_doubtful", Severity::warning,
         says("The field map of the scan is 0 in every voxel. `field_map` none makes the same "
              "image in less time.")},
        {Found::field_map_wrapped, "field_map_doubtful", Severity::warning,
         says("The field map jumps by {step} Hz between neighbouring voxels at {count} pairs, with "
              "values that fill the range between: its phase was not unwrapped. The image is wrong "
              "along the jumps. Unwrap the map.")},
        {Found::field_map_filled, "field_map_filled", Severity::info,
         says("{share:%} of the voxels of the field map have no value (NaN), and take that of the "
              "nearest voxel that has one")},
        {Found::field_pieces, "field_pieces", Severity::info,
         says("Beside the largest piece of each slice, voxels with signal form {pieces:piece} that "
              "it does not touch, of {voxels:voxel}. The field of a piece may be wrong by a "
              "multiple of {period} Hz, which is 1 / the distance of two echoes.")},
        {Found::field_slices, "field_slices", Severity::info,
         says("The field of {slices:slice} may be wrong by a multiple of {period} Hz, since the "
              "phases of their neighbours do not show it: {names}.")},
        {Found::field_refined, "field_refined", Severity::info,
         says("The scan itself corrects the field map by {size} Hz (root mean square) in {refined} "
              "of "
              "{slices:slice}: {less:%} less of the samples stays unexplained.")},
        {Found::field_kept, "field_kept", Severity::info,
         says("The field map stays as it is: the scan shows no correction of it beyond doubt.")},
        {Found::echoes_bipolar, "echoes_bipolar", Severity::warning,
         says("Some echoes were read forward and others backward. What delays and eddy currents do "
              "to their phases is in the field map, mostly as a ramp along x. Use the echoes of "
              "one direction, by `contrast`.")},
        {Found::echoes_corrected, "echoes_corrected", Severity::info,
         says("Some echoes were read backward. Their phase of {offset} rad and {slope} rad a voxel "
              "along x beyond that of the others is taken out. Half a turn more would show in no "
              "echo, and as a field that is wrong by half of 1 / the distance of echoes.")},
        {Found::beyond_field_of_view, "beyond_field_of_view", Severity::warning,
         says("The object reaches beyond the field of view of {fov} mm, and what lies there is "
              "spread over the image. The samples resolve it: `matrix` {matrix} `fov_mm` {wide} "
              "makes an image of all.")},
        {Found::voxels_far, "voxels_far", Severity::warning,
         says("Voxels lie up to {largest} fields of view from the centre. Check that their "
              "positions are in fields of view, not in mm.")},
    };
}

std::vector<FindingRow> on_poses() {
    return {
        {Found::fov_in_metres, "fov_assumed", Severity::warning,
         says("The field of view in the file, {stored} mm, is taken as metres: {fov} mm. If it is "
              "in mm, pass it with `header` fov_mm=X,Y.")},
        {Found::fov_of_voxels, "fov_assumed", Severity::warning,
         says("The input holds no field of view. Voxels are taken as 1 mm. `fov_mm` changes "
              "that.")},
        {Found::thickness_assumed, "thickness_assumed", Severity::warning,
         says("The image has no slice thickness. The {format} file gets 1 mm.")},
        {Found::shifted_twice, "shifted_twice", Severity::warning,
         says("The scan is Cartesian. Most scanners shift Cartesian lines themselves, and "
              "`shift_mm` header shifts them again.")},
        {Found::positions_differ, "positions_differ", Severity::warning,
         says("Acquisitions of one frame have different positions or orientations. Those of the "
              "first are kept.")},
        {Found::orientations_differ, "position_unknown", Severity::warning,
         says("Frames have different orientations, and an image holds only one. Orientation and "
              "position are left out. Choose frames of one orientation with `slice` or "
              "`repetition`.")},
        {Found::positions_unknown, "position_unknown", Severity::warning,
         says("The position of some frames is not known. Orientation and position are left out. "
              "Choose the other frames with `frames`.")},
        {Found::directions_not_orthonormal, "position_unknown", Severity::warning,
         says("read_dir, phase_dir and slice_dir are not orthogonal unit vectors. They are "
              "ignored.")},
        {Found::position_moved, "position_unknown", Severity::warning,
         says("The position of the image is left out: without directions, `shift_mm` moves it to "
              "an unknown position.")},
        {Found::no_position_for_nifti, "position_unknown", Severity::warning,
         says("The image lacks its position or directions, so the NIfTI file has neither: "
              "sform_code and qform_code are 0.")},
        {Found::no_position_for_ismrmrd, "position_unknown", Severity::warning,
         says("The image lacks its position or directions. What it lacks is 0 in the ISMRMRD "
              "file.")},
        {Found::no_position_in_cfl, "position_unknown", Severity::warning,
         says("A cfl file cannot hold position and directions. They are left out.")},
        {Found::no_position_in_nifti, "position_unknown", Severity::warning,
         says(
             "The NIfTI file has no position or directions: its sform_code and qform_code are 0.")},
        {Found::several_measurements, "several_measurements", Severity::warning,
         says("Acquisitions of the image have {count} measurement_uid ({first}), and are read as "
              "one measurement. If they are several, write a file or a group for each.")},
        {Found::encoding_left_out, "encoding_unused", Severity::warning, &about_encoding},
        {Found::recon_space_unused, "encoding_unused", Severity::warning,
         says("reconSpace of the header is not used: it lacks a number")},
        {Found::group_unused, "group_unused", Severity::warning,
         says("Only group {group} is read, and only its noise is used. `group` chooses another: "
              "{others}")},
    };
}

std::vector<FindingRow> on_work() {
    return {
        {Found::kernel_replaced, "kernel_replaced", Severity::info,
         says("`kernel` {kernel} cannot compute this transform: {why}. {other} does")},
        {Found::device_memory, "device_memory", Severity::info,
         says("the device has no room for blocks of {mib} MiB; continuing with half of that")},
        {Found::cache_locked, "cache_elsewhere", Severity::info,
         says("another process has held {file} for minutes; continuing without waiting for it")},
        {Found::cache_passed_over, "cache_elsewhere", Severity::info,
         says("compiled kernels are kept in {folder}, not in {passed_over}")},
        {Found::q_unreadable, "q_not_kept", Severity::info,
         says("{file}: {why}; Q is computed again and the file replaced")},
        {Found::q_not_kept, "q_not_kept", Severity::info, says("Q is not kept: {why}")},
        {Found::frames_kept, "frames_kept", Severity::info,
         says("{which} frames are kept in {folder}\n  next:     the same command with "
              "`resume` solves the others")},
        {Found::frames_damaged, "frames_damaged", Severity::info,
         says("frames that are damaged in {folder} are solved again: {frames}")},
        {Found::preview_partial, "preview_partial", Severity::info, &about_preview},
        {Found::page_of_means, "preview_partial", Severity::info,
         says("the page shows means of {step} voxels in each direction of the {set}")},
        {Found::page_of_some_frames, "preview_partial", Severity::info,
         says("the page shows {shown} of {frames} frames of the {set}")},
        {Found::maps_beside, "written_beside", Severity::info,
         says("{file}: the coil maps are in /coil_maps, beside the raw data. Readers of ISMRMRD "
              "ignore it. Pass `maps` {file} to recon.")},
        {Found::field_beside, "written_beside", Severity::info,
         says("{file}: the field map is in /field_map, beside the raw data. Readers of ISMRMRD "
              "ignore it. Pass `field_map` {file} to recon.")},
        {Found::stage_not_checked, "not_measured", Severity::info,
         says("{stage} was not checked, because `pairs` is too small. Raise `pairs`.")},
        {Found::loops_not_measured, "not_measured", Severity::info,
         says("recon: the loops of the CPU are left out, because they would take minutes. A "
              "smaller `matrix` or `scan_samples` shows them.")},
    };
}

} // namespace

double Finding::number(const std::string& name) const {
    return named(numbers, name);
}

std::string Finding::word(const std::string& name) const {
    return named(subject, name);
}

const std::vector<FindingRow>& finding_rows() {
    static const std::vector<FindingRow> table = [] {
        std::vector<FindingRow> all;
        for (const auto& rows :
             {on_solves(), on_noise(), on_samples(), on_other_acquisitions(), on_trajectories(),
              on_delays(), on_models(), on_poses(), on_work()}) {
            all.insert(all.end(), rows.begin(), rows.end());
        }
        return all;
    }();
    return table;
}

const FindingRow& row_of(const Finding& finding) {
    return finding_rows().at(static_cast<std::size_t>(finding.code));
}

std::string words_of(const Finding& finding) {
    return row_of(finding).words(finding);
}

} // namespace lsrecon
