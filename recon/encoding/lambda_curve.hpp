// Residual and solution over lambda, and the choice of lambda by them.

#pragma once

#include <functional>

#include "base/report.hpp"
#include "encoding/least_squares.hpp"
#include "scan/image.hpp"
#include "solve/curves.hpp"

namespace lsrecon {

/// The curve has 8 points a decade between these.
constexpr double smallest_lambda = 1e-6;
constexpr double largest_lambda = 10;

constexpr int first_iterations_of_curve = 75; ///< of several problems
constexpr int iterations_between_curves = 4;

/// Whether a curve by so many iterations will do; it may set what is chosen on it. Asked again of
/// the same iterations once the residual is known better. True of the last that there can be.
using IsEnough = std::function<bool(LambdaCurve& curve, int iterations)>;

/// Residual and solution over lambda, of a frame: one run of conjugate gradients and, where little
/// is left, F rho once (docs/maths.md). `noise` is the expected sum over the coils of |n|^2 of a
/// sample, 0 where it was not measured. Points begin where the precision of the transforms resolves
/// lambda. The run goes on until it is enough, up to the iterations of the options; without coil
/// maps the run of each coil begins anew for more. In the precision of the transforms where that
/// does. The stage "lambda".
LambdaCurve make_lambda_curve(const NormalOperator& n, const Frame& frame,
                              const RightHandSides& fhd, double noise, SolveOptions options,
                              const IsEnough& is_enough, Reporter& report);

constexpr int iterations_of_rounding = 75; ///< of amplification(), for a factor of two
/// The errors in rho of errors in F^H d that are equal in all directions: at most 1 / lambda,
/// relative to Q(0), with the lambda of the options. By a run on signs that were drawn (Hutchinson
/// 1990, Communications in Statistics 19:433).
double amplification(const NormalOperator& n, const SolveOptions& options, Reporter& report);

/// Measured on the brain of docs/real_scans.md, outermost slice: power at the rim of what was
/// sampled over that beyond 0.3 without, 1.0 with 0.1, 2.3 with 0.3, 7 with 1.
constexpr double weight_of_band = 0.3;

/// A lambda that is chosen lies between 1e-4 and 2, for most scans between 1e-3 and 0.1.
constexpr double usual_lambda_of_rule = 0.01;
/// A curve takes so many iterations in most scans.
constexpr int usual_iterations_of_curve = 75;

/// Chooses lambda for all frames of a scan, as it is transformed, by one frame, and reports which
/// and why. `fhd` is the frame's, and `chosen_from` says which frame it is, as for choose_weight().
/// InputError when the scan has no noise for the rule, or the rule finds none.
LambdaCurve choose_lambda(const RuleChoice& rule, const Scan& scan, const Frame& frame,
                          const NormalOperator& n, const RightHandSides& fhd,
                          const SolveOptions& options, const std::string& chosen_from,
                          Reporter& report);

/// The curve and the rule, for the record.
void add_lambda_curve(Image& image, const LambdaCurve& curve);

} // namespace lsrecon
