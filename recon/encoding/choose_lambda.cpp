#include "encoding/choose_lambda.hpp"

#include <cmath>

#include "base/numbers.hpp"
#include "scan/coil_transform.hpp"

namespace lsrecon {

namespace {

void require_points(const LambdaCurve& curve, const Scan& scan) {
    if (curve.points.empty()) {
        throw InputError({scan.file, "automatic lambda", "no image but zeros in the frame",
                          "a frame with an object, in a precision that resolves it",
                          "pass a number, or choose other frames with `frames`"});
    }
}

/// The options that make the same image again.
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
    report.tell(text(words, ". Its residual is ", rounded(chosen.residual / curve.noise),
                     " times the noise's energy"));
}

} // namespace

LambdaCurve choose_lambda(const RuleChoice& wanted, const Scan& scan, std::size_t f,
                          const Frame& frame, const NormalOperator& n, const RightHandSides& fhd,
                          const SolveOptions& options, Reporter& report) {
    const LambdaRule& rule = *lambda_rule(wanted.word);
    const double of_sample = energy_of_noise(scan.noise);
    if (rule.needs_noise && !(of_sample > 0)) {
        throw InputError({scan.file, scan.name_of("noise"),
                          scan.noise.empty() ? "it is missing" : "only zeros",
                          "samples of noise, which `lambda` " + rule.name + " needs",
                          "pass `lambda` auto, or a number"});
    }
    const auto is_enough = [&](LambdaCurve& curve, int iterations) {
        const bool is_last = iterations >= options.iterations;
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
        return is_last || (iterations >= first_iterations_of_curve && is_solved(curve.at_chosen()));
    };
    LambdaCurve curve = make_lambda_curve(n, frame, fhd, of_sample, options, is_enough, report);
    tell_choice(curve, scan, f, options.regularisers, report);
    return curve;
}

void add_lambda_curve(Image& image, const LambdaCurve& curve) {
    RecordTable table{lambda_curve_table, lambda_curve_columns(), {}};
    for (const LambdaPoint& point : curve.points) {
        for (const double value : {point.lambda, std::sqrt(point.residual),
                                   std::sqrt(point.solution), point.residual / curve.noise}) {
            table.values.push_back(value);
        }
    }
    image.tables.push_back(std::move(table));
    image.record.emplace_back("lambda_rule", curve.chosen.rule);
    image.numbers.emplace_back("lambda_discrepancy", curve.at_chosen().residual / curve.noise);
}

} // namespace lsrecon
