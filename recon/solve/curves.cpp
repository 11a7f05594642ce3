// The discrepancy rule, and the best weight of a curve.

#include "solve/curves.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

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

} // namespace

const std::vector<LambdaRule>& lambda_rules() {
    static const std::vector<LambdaRule> table{
        {held_out, "the best prediction of samples that are held out", false, nullptr},
        {"discrepancy", "the largest whose residual stays within the measured noise", true,
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

bool is_solved(const LambdaPoint& point) {
    constexpr double solved_over_lambda = 0.01;
    return point.unsolved <= solved_over_lambda * point.lambda;
}

namespace {

std::size_t best_of(const WeightCurve& curve) {
    return static_cast<std::size_t>(&curve.lowest() - curve.points.data());
}

/// How much larger, in percent.
std::string percent_more(double prediction, double than) {
    return rounded(100 * std::max(0.0, prediction / than - 1));
}

/// "1.4 times better than by least squares"
std::string compared(const WeightCurve& other, const WeightCurve& best) {
    constexpr double hardly = 1.005;
    const double ratio = other.lowest().prediction / best.lowest().prediction;
    const std::string by = other.name == by_lambda ? "least squares" : other.name;
    const std::string percent = rounded(100 * (ratio - 1)) + " %";
    constexpr double far = 1.1;
    return (ratio < hardly ? "no better"
            : ratio < far  ? percent + " better"
                           : rounded(ratio) + " times better") +
           " than by " + by;
}

} // namespace

const WeightPoint& WeightCurve::lowest() const {
    return *std::min_element(
        points.begin(), points.end(),
        [](const WeightPoint& a, const WeightPoint& b) { return a.prediction < b.prediction; });
}

double WeightCurve::prediction_at(double weight) const {
    const auto below = std::find_if(points.begin(), points.end(), [&](const WeightPoint& point) {
        return point.weight <= weight;
    });
    if (below == points.begin() || below == points.end()) {
        return below == points.end() ? points.back().prediction : below->prediction;
    }
    const WeightPoint& above = *(below - 1);
    const double share = std::log(weight / above.weight) / std::log(below->weight / above.weight);
    return above.prediction + share * (below->prediction - above.prediction);
}

double best_weight(const WeightCurve& curve) {
    const std::size_t best = best_of(curve);
    const WeightPoint& lowest = curve.points[best];
    if (best == 0 || best + 1 == curve.points.size()) {
        constexpr double hardly_larger = 1.01;
        return std::find_if(curve.points.begin(), curve.points.end(),
                            [&](const WeightPoint& point) {
                                return point.prediction <= hardly_larger * lowest.prediction;
                            })
            ->weight;
    }
    const double before = curve.points[best - 1].prediction - lowest.prediction;
    const double after = curve.points[best + 1].prediction - lowest.prediction;
    const double at = before + after > 0 ? (before - after) / (2 * (before + after)) : 0;
    return lowest.weight * std::pow(curve.points[best + 1].weight / lowest.weight, at);
}

bool has_risen(const WeightCurve& curve) {
    constexpr double clearly = 1.005;
    constexpr double not_at_all = 1.0005;
    const std::size_t count = curve.points.size();
    const double last = curve.points.back().prediction;
    return last > clearly * curve.lowest().prediction ||
           (count > 2 && curve.points[count - 3].prediction < not_at_all * last);
}

const WeightCurve& ChosenSettings::curve_of_best() const {
    return *std::find_if(curves.begin(), curves.end(),
                         [&](const WeightCurve& curve) { return curve.name == best; });
}

std::string ChosenSettings::in_words() const {
    const WeightCurve& curve = curve_of_best();
    if (curve.points.size() < 2) {
        return "";
    }
    constexpr double flat = 1.002;
    const double error_at_weight = curve.prediction_at(weight);
    const double half = curve.prediction_at(weight / 2);
    const double twice = curve.prediction_at(2 * weight);
    std::string words;
    for (const WeightCurve& other : curves) {
        if (other.name != best) {
            words +=
                (words.empty() ? "held-out samples are predicted " : ", ") + compared(other, curve);
        }
    }
    return words + (words.empty() ? "" : "; ") +
           (std::max(half, twice) < flat * error_at_weight
                ? "the curve is flat: half and twice the weight predict as well"
                : text("half and twice the weight lose ", percent_more(half, error_at_weight),
                       " and ", percent_more(twice, error_at_weight), " %"));
}

} // namespace lsrecon
