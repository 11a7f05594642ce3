#include "reconstruct_lambda.hpp"

#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "io/image_about.hpp"
#include "prepare/replica_noise.hpp"

namespace lsrecon {

namespace {

/// A curve costs as many iterations as its smallest lambda that matters; most need few.
constexpr int first_iterations = 75;

template <typename CurveOf>
LambdaCurve with_enough_iterations(SolveOptions options, const CurveOf& curve_of) {
    const int most = options.iterations;
    for (options.iterations = first_iterations; options.iterations < most;
         options.iterations *= 2) {
        try {
            LambdaCurve curve = curve_of(options);
            if (is_solved(curve.at_chosen())) {
                return curve;
            }
        } catch (const RunError&) {
            throw;
        } catch (const InputError&) { // the rule finds none, perhaps with more
        }
    }
    options.iterations = most;
    return curve_of(options);
}

void require_points(const LambdaCurve& curve, const Scan& scan) {
    if (curve.points.empty()) {
        throw InputError({scan.file, "automatic lambda", "no image but zeros in the first frame",
                          "a frame with an object, in a precision that resolves it",
                          "pass a number, or choose other frames with --frames"});
    }
}

void tell(const LambdaCurve& curve, const Scan& scan, Reporter& report) {
    constexpr double unexplained = 2; // times the noise, in energy
    std::string words =
        text("lambda ", curve.at_chosen().lambda, ": ", lambda_rule(curve.rule, curve).summary);
    words += scan.frames.size() > 1 ? ", chosen from the first frame for all frames" : "";
    const double share = curve.noise > 0 ? curve.at_chosen().residual / curve.noise : 0;
    if (share > 0) {
        words += text("; the residual has ", rounded(share), " of the noise's energy");
    }
    if (share > unexplained) {
        report.note(words + ": the model does not explain the rest; coil maps, field map or "
                            "trajectory may be wrong");
    } else {
        report.tell(words);
    }
}

} // namespace

LambdaCurve choose_lambda(const std::string& word, const Scan& scan, const Frame& frame,
                          NormalEquations& equations, const std::vector<Volume>& fhd,
                          const SolveOptions& options, Reporter& report) {
    const bool measured = !scan.noise.empty();
    if (!measured && word != "auto" && lambda_rule(word, {}).needs_noise) {
        throw InputError({scan.file, scan.name_of("noise"), "it is missing",
                          "samples of noise, which --lambda " + word + " needs",
                          "pass --lambda l-curve, or a number"});
    }
    std::optional<ReplicaNoise> noise;
    if (measured) {
        noise.emplace(scan);
    }
    const double of_sample = energy_of_noise(scan.noise);
    std::vector<Volume> of_noise;
    const auto curve_of = [&](const SolveOptions& how) {
        LambdaCurve curve = make_lambda_curve(equations, frame, fhd, of_sample, how, report);
        require_points(curve, scan);
        const LambdaRule& rule = lambda_rule(word, curve);
        if (rule.needs_fitted) {
            if (of_noise.empty()) {
                of_noise = equations.fhd(
                    noise->draw(0, frame.sampling->samples(), frame.samples.precision()), report);
            }
            add_fitted(curve, equations, of_noise, how, report);
        }
        curve.rule = rule.name;
        curve.chosen = rule.choose(curve, scan.file);
        return curve;
    };
    const LambdaCurve curve = with_enough_iterations(options, curve_of);
    tell(curve, scan, report);
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
              point.fitted > 0 ? curve.risk(point) / curve.noise : none}) {
            table.values.push_back(value);
        }
    }
    image.tables.push_back(std::move(table));
    image.record.emplace_back("lambda_rule", curve.rule);
    if (curve.noise > 0) {
        image.numbers.emplace_back("lambda_discrepancy", curve.at_chosen().residual / curve.noise);
    }
}

} // namespace lsrecon
