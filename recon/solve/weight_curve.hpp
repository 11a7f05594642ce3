#pragma once

#include <string>
#include <vector>

#include "operators/regularisers.hpp"

namespace lsrecon {

/// A weight, and how well its image predicts samples that were held out.
struct WeightPoint {
    double weight = 0;
    double prediction = 0; ///< ||W^1/2 (F rho - d)|| / ||W^1/2 d|| of these samples
    template <typename Archive> void each(Archive& archive) { archive(weight, prediction); }
};

/// The weights of one candidate that were tried, the largest first.
struct WeightCurve {
    std::string name; ///< of the regulariser, or by_lambda
    std::vector<WeightPoint> points;
    template <typename Archive> void each(Archive& archive) { archive(name, points); }

    /// The least prediction error of the curve.
    const WeightPoint& lowest() const;
    /// The prediction error at a weight, interpolated over its logarithm; that of the nearest end
    /// beyond the curve.
    double prediction_at(double weight) const;
};
constexpr const char* by_lambda = "lambda"; ///< WeightCurve::name of least squares

/// The weight of the least prediction error: the lowest point of the parabola over the logarithm of
/// the weight through the best point and its neighbours, which are equally far apart. Where the
/// last point is the best, the largest weight that predicts hardly worse: small ones take long to
/// solve.
double best_weight(const WeightCurve& curve);

/// Whether a curve is past its lowest point: smaller weights would only be worse.
bool has_risen(const WeightCurve& curve);

/// What held-out samples have chosen for a scan.
struct ChosenSettings {
    std::vector<WeightCurve> curves; ///< one a candidate
    std::string best; ///< WeightCurve::name of the best candidate
    double weight = 0; ///< its weight or lambda
    Regularisers regularisers = {}; ///< those of the best candidate
    double lambda = 0;
    bool is_full = false; ///< whether samples fill k-space
    template <typename Archive> void each(Archive& archive) {
        archive(curves, best, weight, regularisers, lambda, is_full);
    }

    const WeightCurve& curve_of_best() const;
    /// How clear the choice was, in words; "" for a single weight.
    std::string in_words() const;
};

} // namespace lsrecon
