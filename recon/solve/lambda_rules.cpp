#include "solve/lambda_rules.hpp"

#include <algorithm>
#include <optional>

#include "base/numbers.hpp"

namespace lsrecon {

double LambdaCurve::cross_validation(const LambdaPoint& point) const {
    constexpr double robustness = 0.3; // 1 is not robust
    const double left = 1 - point.freedom / samples;
    const double squares = point.freedom_squared / samples;
    return std::max(0.0, point.residual) / (left * left) *
           (robustness + (1 - robustness) * squares);
}

namespace {

/// Corners below it leave more noise than a larger lambda would blur, where the best lambda is
/// known (scripts/study_lambda.py). A scan of hardly any noise has none.
constexpr double smallest_corner = 0.01;

[[noreturn]] void refuse(const std::string& scan, const std::string& found,
                         const std::string& expected) {
    throw InputError({scan, "automatic lambda", found, expected,
                      "pass a number, such as `lambda` 0.01, and compare images"});
}

/// The largest lambda whose residual is not above the noise (Morozov 1966), with a factor of 1 and
/// no degrees of freedom taken off (docs/maths.md).
ChosenLambda by_discrepancy(const LambdaCurve& curve, const std::string& scan) {
    if (!(curve.data > curve.noise)) {
        refuse(scan,
               text("samples with ", rounded(curve.data / curve.noise),
                    " of the energy that the measured noise has"),
               "more energy than noise, in the same unit");
    }
    const auto& points = curve.points;
    const auto above = std::find_if(points.begin(), points.end(), [&](const LambdaPoint& point) {
        return point.residual > curve.noise;
    });
    if (above == points.begin()) {
        refuse(scan,
               text("a residual of ", rounded(above->residual / curve.noise),
                    " times the energy of the measured noise at the smallest lambda, ",
                    above->lambda),
               "a model that explains the samples: coil maps, field map, trajectory");
    }
    if (above == points.end()) {
        refuse(scan,
               text("a residual below the measured noise at the largest lambda, ",
                    points.back().lambda),
               "more signal than noise");
    }
    return {static_cast<std::size_t>(above - points.begin()) - 1, "discrepancy",
            "the largest whose residual stays within the measured noise"};
}

/// The smallest robust generalised cross-validation. None where images follow nearly all samples,
/// which leaves nothing to predict, or where the largest lambda is the best.
std::optional<std::size_t> best_prediction(const LambdaCurve& curve) {
    constexpr double most_followed = 0.95;
    const auto& points = curve.points;
    const auto first = std::find_if(points.begin(), points.end() - 1, [](const LambdaPoint& point) {
        return point.lambda >= smallest_by_prediction;
    });
    if (!(first->freedom / curve.samples < most_followed)) {
        return std::nullopt;
    }
    const auto best =
        std::min_element(first, points.end(), [&](const LambdaPoint& a, const LambdaPoint& b) {
            return curve.cross_validation(a) < curve.cross_validation(b);
        });
    if (best + 1 == points.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(best - points.begin());
}

/// The largest curvature (Hansen 1998, section 7.5) above smallest_corner. Where the curve has no
/// corner among the points that are solved: smallest_corner, or the largest lambda below it that is
/// not most of the residual.
ChosenLambda by_corner(const LambdaCurve& curve) {
    constexpr double of_smallest = 10;
    const auto& points = curve.points;
    const auto first = std::find_if(points.begin(), points.end() - 1, [](const LambdaPoint& point) {
        return point.lambda >= smallest_corner;
    });
    const double most = of_smallest * std::max(0.0, points.front().residual);
    const auto above = std::find_if(
        points.begin(), first + 1, [&](const LambdaPoint& point) { return point.residual > most; });
    const auto without_corner = above == points.begin() ? above : above - 1;
    const auto solved = std::find_if(first, points.end(), &is_solved);
    const auto best =
        std::max_element(solved, points.end(), [](const LambdaPoint& a, const LambdaPoint& b) {
            return a.curvature < b.curvature;
        });
    const bool is_corner =
        best != points.end() && best != solved && best + 1 != points.end() && best->curvature > 0;
    return {
        static_cast<std::size_t>((is_corner ? best : without_corner) - points.begin()), "l-curve",
        is_corner ? "the corner of the L-curve, because cross-validation has no minimum"
                  : text("a fallback of at most ", smallest_corner,
                         ", because cross-validation has no minimum and the L-curve no corner")};
}

ChosenLambda by_prediction(const LambdaCurve& curve, const std::string&) {
    if (const std::optional<std::size_t> best = best_prediction(curve)) {
        return {*best, by_cross_validation,
                "the best prediction of samples from the others (generalised cross-validation)"};
    }
    return by_corner(curve);
}

} // namespace

const std::vector<LambdaRule>& lambda_rules() {
    static const std::vector<LambdaRule> table{
        {"auto", "generalised cross-validation (GCV), or the L-curve if GCV has no minimum", false,
         true, &by_prediction},
        {"discrepancy", "the largest whose residual stays within the measured noise", true, false,
         &by_discrepancy},
    };
    return table;
}

const LambdaRule* lambda_rule(const std::string& word) {
    const auto& rules = lambda_rules();
    const auto found = std::find_if(rules.begin(), rules.end(),
                                    [&](const LambdaRule& rule) { return rule.name == word; });
    return found == rules.end() ? nullptr : &*found;
}

void SettledLambda::add(int iterations, double lambda) {
    if (iterations < iterations_ || lambda != lambda_) {
        agreeing_ = 0;
    }
    if (iterations != iterations_ || agreeing_ == 0) {
        ++agreeing_;
    }
    iterations_ = iterations;
    lambda_ = lambda;
}

// Within an eighth of a decade of the choice after 75 iterations on the scans of
// scripts/study_lambda.py.
bool SettledLambda::is_settled() const {
    constexpr int fewest_iterations = 12;
    constexpr int fewest_curves = 3;
    return iterations_ >= fewest_iterations && agreeing_ >= fewest_curves;
}

bool is_solved(const LambdaPoint& point) {
    constexpr double solved_over_lambda = 0.01;
    return point.unsolved <= solved_over_lambda * point.lambda;
}

} // namespace lsrecon
