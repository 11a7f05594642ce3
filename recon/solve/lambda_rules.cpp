#include "solve/lambda_rules.hpp"

#include <algorithm>

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
/// known (docs/performance.md#lambda-by-a-rule). A scan of hardly any noise has none.
constexpr double smallest_corner = 0.01;

[[noreturn]] void refuse(const std::string& scan, const std::string& found,
                         const std::string& expected) {
    throw InputError({scan, "automatic lambda", found, expected,
                      "pass a number, such as --lambda 0.01, and compare images"});
}

void require_signal(const LambdaCurve& curve, const std::string& scan) {
    if (!(curve.data > curve.noise)) {
        refuse(scan,
               text("samples with ", rounded(curve.data / curve.noise),
                    " of the energy that the measured noise has"),
               "more energy than noise, in the same unit");
    }
}

/// The largest lambda whose residual is not above the noise (Morozov 1966), with a factor of 1 and
/// no degrees of freedom taken off (docs/maths.md).
ChosenLambda by_discrepancy(const LambdaCurve& curve, const std::string& scan) {
    require_signal(curve, scan);
    const auto& points = curve.points;
    const auto above = std::find_if(points.begin(), points.end(), [&](const LambdaPoint& point) {
        return point.residual > curve.noise;
    });
    if (above == points.begin()) {
        refuse(scan,
               text("a residual of ", rounded(above->residual / curve.noise),
                    " times the energy of the measured noise at the smallest lambda, ",
                    above->lambda),
               "a model that explains the samples: coil maps, field map, trajectory; --lambda risk "
               "needs less");
    }
    if (above == points.end()) {
        refuse(scan,
               text("a residual below the measured noise at the largest lambda, ",
                    points.back().lambda),
               "more signal than noise");
    }
    return {static_cast<std::size_t>(above - points.begin()) - 1};
}

/// The largest lambda whose residual is not above that of the smallest and what the image fits
/// there of the noise: discrepancy where maps, field or trajectory are not exact, with a noise that
/// stands for their errors, too.
ChosenLambda by_scaled_noise(const LambdaCurve& curve, const std::string& scan) {
    constexpr double most_of_noise =
        0.9; // that an image can fit and the rest still say how much it is
    require_signal(curve, scan);
    const auto& points = curve.points;
    const LambdaPoint& smallest = points.front();
    const double fitted = std::min(smallest.fitted / curve.noise, most_of_noise);
    const double noise = smallest.residual / (1 - fitted);
    const auto above =
        std::find_if(points.begin() + 1, points.end(),
                     [&](const LambdaPoint& point) { return point.residual > noise; });
    if (above == points.end()) {
        refuse(scan,
               text("a residual that noise explains at every lambda up to ", points.back().lambda),
               "more signal than noise");
    }
    return {static_cast<std::size_t>(above - points.begin()) - 1};
}

/// The smallest error that the noise predicts: the expectation of the residual is the error in
/// k-space and the noise that the image does not fit (Mallows 1973).
ChosenLambda by_risk(const LambdaCurve& curve, const std::string& scan) {
    require_signal(curve, scan);
    const auto& points = curve.points;
    const auto best = std::min_element(
        points.begin(), points.end(),
        [&](const LambdaPoint& a, const LambdaPoint& b) { return curve.risk(a) < curve.risk(b); });
    if (best + 1 == points.end()) {
        refuse(scan, text("the smallest predicted error at the largest lambda, ", best->lambda),
               "more signal than noise");
    }
    return {static_cast<std::size_t>(best - points.begin())};
}

/// The smallest robust generalised cross-validation.
ChosenLambda by_cross_validation(const LambdaCurve& curve, const std::string& scan) {
    constexpr double most_followed = 0.95; // with samples left to predict
    const auto& points = curve.points;
    const auto first = std::find_if(points.begin(), points.end() - 1, [](const LambdaPoint& point) {
        return point.lambda >= smallest_by_prediction;
    });
    const double followed = first->freedom / curve.samples;
    if (!(followed < most_followed)) {
        refuse(scan,
               text("an image that follows ", std::round(100 * followed), " % of the samples at ",
                    first->lambda, ", which leaves nothing to predict"),
               "more samples than voxels, of all coils together");
    }
    const auto best =
        std::min_element(first, points.end(), [&](const LambdaPoint& a, const LambdaPoint& b) {
            return curve.cross_validation(a) < curve.cross_validation(b);
        });
    if (best + 1 == points.end()) {
        refuse(scan, text("the best prediction at the largest lambda, ", best->lambda),
               "more signal than noise");
    }
    return {static_cast<std::size_t>(best - points.begin())};
}

/// The largest curvature (Hansen 1998, section 7.5) above smallest_corner. Where the curve has no
/// corner among the points that are solved: smallest_corner, or the largest lambda below it that is
/// not most of the residual.
ChosenLambda by_corner(const LambdaCurve& curve, const std::string&) {
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
    return {static_cast<std::size_t>((is_corner ? best : without_corner) - points.begin()),
            is_corner ? "the corner of the L-curve"
                      : text("at most ", smallest_corner, ", because the L-curve has no corner")};
}

const LambdaRule& row(const std::string& name) {
    const auto& rules = lambda_rules();
    return *std::find_if(rules.begin(), rules.end(),
                         [&](const LambdaRule& rule) { return rule.name == name; });
}

} // namespace

const std::vector<LambdaRule>& lambda_rules() {
    static const std::vector<LambdaRule> table{
        {"gcv", "the best prediction of samples from the others (generalised cross-validation)",
         false, false, true, &by_cross_validation},
        {"discrepancy", "the largest whose residual is not above the measured noise", true, false,
         false, &by_discrepancy},
        {"risk", "the smallest error in k-space that the measured noise predicts", true, true,
         false, &by_risk},
        {"scaled", "discrepancy with the noise scaled to what the smallest lambda leaves", true,
         true, false, &by_scaled_noise},
        {"l-curve", text("the corner of the L-curve, or at most ", smallest_corner, " without one"),
         false, false, false, &by_corner},
    };
    return table;
}

bool is_lambda_rule(const std::string& word) {
    const auto& rules = lambda_rules();
    return word == "auto" || std::any_of(rules.begin(), rules.end(),
                                         [&](const LambdaRule& rule) { return rule.name == word; });
}

const LambdaRule& lambda_rule(const std::string& word) {
    return row(word == "auto" ? "gcv" : word);
}

const LambdaRule& rule_of_last_resort() {
    return row("l-curve");
}

bool is_solved(const LambdaPoint& point) {
    constexpr double solved_over_lambda = 0.01;
    return point.unsolved <= solved_over_lambda * point.lambda;
}

} // namespace lsrecon
