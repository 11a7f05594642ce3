#pragma once

#include <optional>

#include "encoding/normal_equations.hpp"
#include "solve/lambda_rules.hpp"

namespace lsrecon {

/// Of the curve, 8 a decade.
constexpr double smallest_lambda = 1e-6;
constexpr double largest_lambda = 10;

/// Residual and solution over lambda, of a frame whose equations were made with smallest_lambda:
/// one run of conjugate gradients and, where little is left, F rho once (docs/maths.md). `noise` is
/// the expected sum over the coils of |n|^2 of a sample, 0 where it was not measured. Points begin
/// where the precision of the transforms resolves lambda. The stage "lambda".
LambdaCurve make_lambda_curve(NormalEquations& equations, const Frame& frame,
                              const std::vector<Volume>& fhd, double noise,
                              const SolveOptions& options, Reporter& report);

/// Adds how many samples the images can follow, by another run on signs that were drawn (Hutchinson
/// 1990, Communications in Statistics 19:433).
void add_freedom(LambdaCurve& curve, NormalEquations& equations, const std::vector<Volume>& fhd,
                 const SolveOptions& options, Reporter& report);

constexpr int iterations_of_rounding = 75; ///< of amplification(), for a factor of two
/// LambdaPoint::amplification of equations whose lambda is that of the options, at this one, which
/// may have the weight of l2 beside it.
double amplification(NormalEquations& equations, double lambda, SolveOptions options,
                     Reporter& report);

/// Why a lambda was not kept.
struct Ghosts {
    double lambda = 0;
    double size = 0; ///< of its ghosts, relative to what they are ghosts of
    double limit = 0; ///< that the one in its place keeps
    double noise = 0; ///< of the energy of the image by that one; 0 where it is not known
};

/// Takes the largest lambda of the curve, at most the chosen one, by which objects have no ghosts
/// above 5 %, or hardly larger ones than by the smallest. A larger one leaves aliasing in the image
/// that the coils can tell apart, and a ghost is worse than noise. Nothing where the chosen one is
/// that. `f_h_d` shows where the object is.
std::optional<Ghosts> limit_ghosts(LambdaCurve& curve, const Grid& grid, NormalEquations& equations,
                                   const Volume& f_h_d, SolveOptions options, Reporter& report);

} // namespace lsrecon
