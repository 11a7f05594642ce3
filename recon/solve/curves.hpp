// The curves by which lambda or a weight is chosen, and the rules that choose on them.

#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "operators/regularisers.hpp"

namespace lsrecon {

/// The image of one lambda: what it leaves of the samples, and how large it is.
struct LambdaPoint {
    double lambda = 0;
    double residual = 0; ///< ||W^1/2 (F rho - d)||^2
    double solution = 0; ///< ||rho||^2
    double unsolved = 0; ///< relative residual of the normal equations
    template <typename Archive> void each(Archive& archive) {
        archive(lambda, residual, solution, unsolved);
    }
};

/// One of them.
struct ChosenLambda {
    std::size_t index = 0;
    std::string rule{}; ///< "discrepancy"
    std::string why{}; ///< in words
    template <typename Archive> void each(Archive& archive) { archive(index, rule, why); }
};

/// Residual and solution over lambda, of one frame.
struct LambdaCurve {
    std::vector<LambdaPoint> points; ///< by lambda, the smallest first
    std::size_t frame = 0; ///< of the scan
    double data = 0; ///< ||W^1/2 d||^2
    double noise = 0; ///< the expected ||W^1/2 n||^2; 0 where it was not measured
    ChosenLambda chosen;
    template <typename Archive> void each(Archive& archive) {
        archive(points, frame, data, noise, chosen);
    }

    const LambdaPoint& at_chosen() const { return points[chosen.index]; }
};

/// A way to choose lambda, a word after --lambda.
struct LambdaRule {
    std::string name;
    std::string summary;
    bool needs_noise; ///< measured
    /// InputError, about this scan file, when no point is the one. Null for held_out, which has
    /// curves of its own (encoding/choose_weight.hpp).
    ChosenLambda (*choose)(const LambdaCurve& curve, const std::string& scan);
};
constexpr const char* held_out = "auto"; ///< LambdaRule::name of a choice by held-out samples

/// What chooses lambda.
struct RuleChoice {
    std::string word = {}; ///< after --lambda; "" where lambda is given
    bool is_requested = true; ///< or the default
    std::string number = {}; ///< lambda as it was given, where a word gave it
};

/// The table: a row each.
const std::vector<LambdaRule>& lambda_rules();

/// The rule of a word; null where it is none.
const LambdaRule* lambda_rule(const std::string& word);

/// Whether the image of a point is that of lambda and not of the number of iterations, which
/// regularises as well.
bool is_solved(const LambdaPoint& point);

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
