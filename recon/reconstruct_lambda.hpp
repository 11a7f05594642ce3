#pragma once

#include "base/report.hpp"
#include "plan/plan.hpp"
#include "solve/lambda_curve.hpp"

namespace lsrecon {

/// The same, or none where products are dear and nobody asked for it.
RuleChoice where_cheap(const RuleChoice& rule, Products products);

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
