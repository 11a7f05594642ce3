#pragma once

#include "base/report.hpp"
#include "encoding/lambda_curve.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// Measured on the brain of docs/real_scans.md, outermost slice: power at the rim of what was
/// sampled over that beyond 0.3 without, 1.0 with 0.1, 2.3 with 0.3, 7 with 1.
constexpr double weight_of_band = 0.3;

/// A lambda that is chosen lies between 1e-4 and 2, for most scans between 1e-3 and 0.1.
constexpr double usual_lambda_of_rule = 0.01;
/// A curve takes so many iterations in most scans.
constexpr int usual_iterations_of_curve = 75;

/// Chooses lambda for all frames of a scan, as it is transformed, by frame f, and tells which and
/// why. `fhd` is the frame's. InputError when the scan has no noise for the rule, or the rule finds
/// none.
LambdaCurve choose_lambda(const RuleChoice& rule, const Scan& scan, std::size_t f,
                          const Frame& frame, const NormalOperator& n, const RightHandSides& fhd,
                          const SolveOptions& options, Reporter& report);

/// The curve and the rule, for the record.
void add_lambda_curve(Image& image, const LambdaCurve& curve);

} // namespace lsrecon
