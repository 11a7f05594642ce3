#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace lsrecon {

/// The image of one lambda: what it leaves of the samples, and how large it is.
struct LambdaPoint {
    double lambda = 0;
    double residual = 0; ///< ||W^1/2 (F rho - d)||^2
    double solution = 0; ///< ||rho||^2
    /// tr H and tr H^2 of what maps samples W^1/2 d to those of the image: how many it can follow.
    double freedom = 0;
    double freedom_squared = 0;
    /// Of errors in F^H d that are alike in all directions, in rho: at most 1 / lambda, relative to
    /// Q(0); 0 where it is not known.
    double amplification = 0;
    double curvature = 0; ///< of (log residual, log solution) over lambda
    double unsolved = 0; ///< relative residual of the normal equations
    template <typename Archive> void each(Archive& archive) {
        archive(lambda, residual, solution, freedom, freedom_squared, amplification, curvature,
                unsolved);
    }
};

constexpr const char* by_cross_validation = "gcv"; ///< ChosenLambda::rule

/// One of them.
struct ChosenLambda {
    std::size_t index = 0;
    std::string rule{}; ///< "gcv", "l-curve", "discrepancy"
    std::string why{}; ///< in words
    template <typename Archive> void each(Archive& archive) { archive(index, rule, why); }
};

/// Of one frame.
struct LambdaCurve {
    std::vector<LambdaPoint> points; ///< by lambda, the smallest first
    std::size_t frame = 0; ///< of the scan
    double data = 0; ///< ||W^1/2 d||^2
    double noise = 0; ///< the expected ||W^1/2 n||^2; 0 where it was not measured
    double samples = 0; ///< of all coils, of weight above 0
    ChosenLambda chosen;
    template <typename Archive> void each(Archive& archive) {
        archive(points, frame, data, noise, samples, chosen);
    }

    const LambdaPoint& at_chosen() const { return points[chosen.index]; }
    /// Robust generalised cross-validation (Lukas 2006, Inverse Problems 22:1883): with H what maps
    /// samples to those of the image, and means over the samples,
    ///     R / (1 - tr H)^2 (robustness + (1 - robustness) tr H^2)
    /// The first factor is the error in predicting a sample from the others. It is nearly as small
    /// at far too small a lambda where errors of neighbouring samples are alike, as those of a
    /// model that is not exact; the second factor prefers images that follow less.
    double cross_validation(const LambdaPoint& point) const;
};

/// Below it scans of SNR 1000 gain nothing.
constexpr double smallest_by_prediction = 1e-4;

/// A way to choose lambda, a word after --lambda.
struct LambdaRule {
    std::string name;
    std::string summary;
    bool needs_noise; ///< measured
    bool needs_freedom; ///< LambdaPoint::freedom
    /// InputError, about this scan file, when no point is the one.
    ChosenLambda (*choose)(const LambdaCurve& curve, const std::string& scan);
};

/// When the lambda of a rule no longer moves, on curves by more and more iterations of one run.
class SettledLambda {
public:
    /// Of a curve by so many iterations: more than of the last, or as many if it is made again.
    void add(int iterations, double lambda);
    /// Whether the last three curves agree, and the last has enough iterations to mean something.
    bool is_settled() const;

private:
    int iterations_ = 0; ///< of the last
    int agreeing_ = 0; ///< curves, the last among them
    double lambda_ = 0;
};
constexpr int iterations_between_curves = 4;

/// What chooses lambda.
struct RuleChoice {
    std::string word = {}; ///< after --lambda; "" where lambda is given
    bool asked_for = true; ///< or the default, for which nobody should wait long
};

/// The table: a row each.
const std::vector<LambdaRule>& lambda_rules();

/// The rule of a word; null where it is none.
const LambdaRule* lambda_rule(const std::string& word);

/// Whether the image of a point is that of lambda and not of the number of iterations, which
/// regularises as well and makes a corner of its own.
bool is_solved(const LambdaPoint& point);

} // namespace lsrecon
