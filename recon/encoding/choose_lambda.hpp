#pragma once

#include "base/report.hpp"
#include "encoding/formulation.hpp"
#include "encoding/lambda_curve.hpp"

namespace lsrecon {

/// The same, or none where products are dear and nobody asked for it.
RuleChoice where_cheap(const RuleChoice& rule, Products products);

/// Of what a rule chooses: from 1e-4 to 2, of most scans 1e-3 to 0.1.
constexpr double usual_lambda_of_rule = 0.01;
/// Of the solves that choose lambda, in most scans.
constexpr int usual_iterations_of_rule = 180;

/// With smallest_lambda for the curve of a rule and, where the rule is that of the default, `band`:
/// what was not measured is not made up from coil maps and noise.
SolveOptions solving_by(const RuleChoice& rule, SolveOptions asked);

/// Chooses lambda for all frames of a scan, as it is transformed, by frame f, and tells which and
/// why. The equations were made with smallest_lambda, `fhd` is the frame's. InputError when the
/// scan has no noise for the rule, or the rule finds none.
LambdaCurve choose_lambda(const RuleChoice& rule, const Scan& scan, std::size_t f,
                          const Frame& frame, NormalEquations& equations,
                          const std::vector<Volume>& fhd, const SolveOptions& options,
                          Reporter& report);

/// The curve and the rule, for the record.
void add_lambda_curve(Image& image, const LambdaCurve& curve);

} // namespace lsrecon
