#pragma once

#include "base/report.hpp"
#include "solve/lambda_curve.hpp"

namespace lsrecon {

/// Chooses lambda for all frames of a scan, as it is transformed, by one frame and a word after
/// --lambda, and tells which and why. The equations were made with smallest_lambda, `fhd` is the
/// frame's. InputError when the scan has no noise for the rule, or the rule finds none.
LambdaCurve choose_lambda(const std::string& word, const Scan& scan, const Frame& frame,
                          NormalEquations& equations, const std::vector<Volume>& fhd,
                          const SolveOptions& options, Reporter& report);

/// The curve and the rule, for the record.
void add_lambda_curve(Image& image, const LambdaCurve& curve);

} // namespace lsrecon
