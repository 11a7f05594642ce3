#include "solve/weight_curve.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

namespace {

std::size_t best_of(const WeightCurve& curve) {
    const auto best = std::min_element(
        curve.points.begin(), curve.points.end(),
        [](const WeightPoint& a, const WeightPoint& b) { return a.prediction < b.prediction; });
    return static_cast<std::size_t>(best - curve.points.begin());
}

/// The lowest point of the parabola over the logarithm of the weight through the best point and its
/// neighbours, which are equally far apart; the best point at an end.
WeightPoint lowest_of(const WeightCurve& curve) {
    const std::size_t best = best_of(curve);
    const WeightPoint& lowest = curve.points[best];
    if (best == 0 || best + 1 == curve.points.size()) {
        return lowest;
    }
    const double before = curve.points[best - 1].prediction - lowest.prediction;
    const double after = curve.points[best + 1].prediction - lowest.prediction;
    const double bend = before + after;
    if (!(bend > 0)) {
        return lowest;
    }
    const double at = (before - after) / (2 * bend);
    return {lowest.weight * std::pow(curve.points[best + 1].weight / lowest.weight, at),
            lowest.prediction - (before - after) * (before - after) / (8 * bend)};
}

} // namespace

WeightPoint best_weight(const WeightCurve& curve) {
    constexpr double hardly_larger = 1.004;
    const WeightPoint lowest = lowest_of(curve);
    const double enough = hardly_larger * lowest.prediction;
    std::size_t at = best_of(curve);
    while (at + 1 < curve.points.size() && curve.points[at + 1].prediction <= enough) {
        ++at;
    }
    const WeightPoint& here = curve.points[at];
    if (at + 1 == curve.points.size() || here.prediction > enough) {
        return lowest;
    }
    const WeightPoint& next = curve.points[at + 1];
    const double share = (enough - here.prediction) / (next.prediction - here.prediction);
    const double weight = here.weight * std::pow(next.weight / here.weight, share);
    return {std::min(weight, lowest.weight), lowest.prediction};
}

bool has_risen(const WeightCurve& curve) {
    constexpr double clearly = 1.02;
    const std::size_t best = best_of(curve);
    return best + 2 < curve.points.size() &&
           curve.points.back().prediction > clearly * curve.points[best].prediction;
}

} // namespace lsrecon
