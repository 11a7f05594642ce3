#pragma once

#include <string>
#include <vector>

#include "operators/regularisers.hpp"

namespace lsrecon {

/// A weight of a regulariser, and how well its image predicts samples that were held out.
struct WeightPoint {
    double weight = 0;
    double prediction = 0; ///< ||W^1/2 (F rho - d)|| / ||W^1/2 d|| of these samples
    template <typename Archive> void each(Archive& archive) { archive(weight, prediction); }
};

/// The weights of one regulariser that were tried, the largest first.
struct WeightCurve {
    std::string regulariser;
    std::vector<WeightPoint> points;
    template <typename Archive> void each(Archive& archive) { archive(regulariser, points); }
};

/// The smallest weight whose prediction error is hardly larger than the smallest one, interpolated
/// over the logarithm of the weight. Where maps or motion leave errors that no weight removes, the
/// curve is flat towards large weights, and its lowest point smooths too much (docs/maths.md).
WeightPoint best_weight(const WeightCurve& curve);

/// Whether a curve is past its lowest point: smaller weights would only be worse.
bool has_risen(const WeightCurve& curve);

/// What cross-validation has chosen for a scan.
struct ChosenWeight {
    std::vector<WeightCurve> curves; ///< one a candidate
    double without = 0; ///< prediction error of the image without a regulariser
    double prediction = 0; ///< that of the best candidate
    Regularisers regularisers; ///< the best candidate with its weight; none where none helps
    template <typename Archive> void each(Archive& archive) {
        archive(curves, without, prediction, regularisers);
    }
};

} // namespace lsrecon
