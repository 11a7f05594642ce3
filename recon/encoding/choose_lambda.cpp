#include "encoding/choose_lambda.hpp"

#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "scan/coil_mixing.hpp"
#include "scan/reach.hpp"

namespace lsrecon {

namespace {

void require_points(const LambdaCurve& curve, const Scan& scan) {
    if (curve.points.empty()) {
        throw InputError({scan.file, "automatic lambda", "no image but zeros in the frame",
                          "a frame with an object, in a precision that resolves it",
                          "pass a number, or choose other frames with `frames`"});
    }
}

/// With what the same image is made again.
std::string words_of(double lambda, const std::vector<RegulariserChoice>& beside) {
    return text("lambda ", lambda, beside.empty() ? "" : " with `reg` " + in_words(beside));
}

void tell_choice(const LambdaCurve& curve, const Scan& scan, std::size_t f,
                 const std::vector<RegulariserChoice>& beside, Reporter& report) {
    const LambdaPoint& chosen = curve.at_chosen();
    std::string words = text(words_of(chosen.lambda, beside), ": ", curve.chosen.why);
    if (scan.frames.size() > 1) {
        const std::string& label = scan.frames[f].label;
        words += ", chosen from " + (label.empty() ? text("frame ", f) : label) + " for all frames";
    }
    if (curve.noise > 0) {
        words += text(". Its residual is ", rounded(chosen.residual / curve.noise),
                      " times the noise's energy");
    }
    report.tell(words);
}

void keep_ghosts_out(LambdaCurve& curve, const Scan& scan, const Sampling& sampling,
                     NormalEquations& equations, const std::vector<Volume>& fhd,
                     const SolveOptions& options, Reporter& report) {
    constexpr double much_noise = 0.25; // of the energy of the image
    if (scan.voxels || !looks_for_ghosts(equations.coil_maps().rows(), scan.grid, sampling)) {
        return;
    }
    const std::optional<Ghosts> ghosts =
        limit_ghosts(curve, scan.grid, equations, fhd.front(), options, report);
    if (!ghosts) {
        return;
    }
    curve.chosen.why = text("the largest without aliasing above ", rounded(100 * ghosts->limit),
                            " %; the ", ghosts->lambda, " of ", curve.chosen.rule, " leaves ",
                            rounded(100 * ghosts->size), " %");
    if (ghosts->noise > much_noise) {
        report.note(text("About ", std::round(100 * std::min(1.0, ghosts->noise)),
                         " % of the image's energy is noise: separating the aliased voxels "
                         "amplifies it. Try `reg` auto."));
    }
}

} // namespace

bool looks_for_ghosts(std::size_t maps, const Grid& grid, const Sampling& sampling) {
    constexpr double no_lines_missing = 0.9; // of k-space is sampled
    return maps > 1 && coverage(sampling, grid) <= no_lines_missing;
}

LambdaCurve choose_lambda(const RuleChoice& wanted, const Scan& scan, std::size_t f,
                          const Frame& frame, NormalEquations& equations,
                          const std::vector<Volume>& fhd, const SolveOptions& options,
                          Reporter& report) {
    const LambdaRule& rule = *lambda_rule(wanted.word);
    const double of_sample = energy_of_noise(scan.noise);
    if (rule.needs_noise && !(of_sample > 0)) {
        throw InputError({scan.file, scan.name_of("noise"),
                          scan.noise.empty() ? "it is missing" : "only zeros",
                          "samples of noise, which `lambda` " + rule.name + " needs",
                          "pass `lambda` auto, or a number"});
    }
    SolveOptions how = options;
    how.iterations = wanted.asked_for ? options.iterations : first_iterations_of_curve;
    SettledLambda settled;
    const auto is_enough = [&](LambdaCurve& curve, int iterations) {
        const bool is_last = iterations >= how.iterations;
        try {
            require_points(curve, scan);
            curve.chosen = rule.choose(curve, scan.file);
        } catch (const RunError&) {
            throw;
        } catch (const InputError&) { // the rule finds none, perhaps with more
            if (is_last) {
                throw;
            }
            return false;
        }
        settled.add(iterations, curve.at_chosen().lambda);
        const bool is_predicted = curve.chosen.rule == by_cross_validation;
        const bool may_end =
            iterations >= first_iterations_of_curve || (is_predicted && settled.is_settled());
        return is_last || (may_end && (!wanted.asked_for || is_solved(curve.at_chosen())));
    };
    LambdaCurve curve = make_lambda_curve(equations, frame, fhd, of_sample, rule.needs_freedom, how,
                                          is_enough, report);
    keep_ghosts_out(curve, scan, *frame.sampling, equations, fhd, options, report);
    tell_choice(curve, scan, f, options.regularisers, report);
    return curve;
}

void add_lambda_curve(Image& image, const LambdaCurve& curve) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    RecordTable table{lambda_curve_table, lambda_curve_columns(), {}};
    for (const LambdaPoint& point : curve.points) {
        const bool measured = curve.noise > 0;
        for (const double value :
             {point.lambda, std::sqrt(point.residual), std::sqrt(point.solution), point.curvature,
              measured ? point.residual / curve.noise : none,
              point.freedom > 0 ? point.freedom : none,
              point.freedom > 0 ? curve.cross_validation(point) / curve.data : none}) {
            table.values.push_back(value);
        }
    }
    image.tables.push_back(std::move(table));
    image.record.emplace_back("lambda_rule", curve.chosen.rule);
    if (curve.noise > 0) {
        image.numbers.emplace_back("lambda_discrepancy", curve.at_chosen().residual / curve.noise);
    }
}

} // namespace lsrecon
