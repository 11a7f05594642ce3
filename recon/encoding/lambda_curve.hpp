#pragma once

#include <functional>
#include <optional>

#include "encoding/normal_equations.hpp"
#include "solve/lambda_rules.hpp"

namespace lsrecon {

/// Of the curve, 8 a decade.
constexpr double smallest_lambda = 1e-6;
constexpr double largest_lambda = 10;

constexpr int first_iterations_of_curve = 75; ///< of several problems

/// Whether a curve by so many iterations will do; it may set what is chosen on it. Asked again of
/// the same iterations once the residual is known better. True of the last that there can be.
using IsEnough = std::function<bool(LambdaCurve& curve, int iterations)>;

/// Residual and solution over lambda, of a frame whose equations were made with smallest_lambda:
/// one run of conjugate gradients and, where little is left, F rho once (docs/maths.md). `noise` is
/// the expected sum over the coils of |n|^2 of a sample, 0 where it was not measured. Points begin
/// where the precision of the transforms resolves lambda. `with_freedom`: and how many samples the
/// images can follow, by another run beside it on signs that were drawn (Hutchinson 1990,
/// Communications in Statistics 19:433). Both go on until it is enough, up to the iterations of the
/// options; without coil maps the run of each coil begins anew for more. In the precision of the
/// transforms where that does. The stage "lambda".
LambdaCurve make_lambda_curve(NormalEquations& equations, const Frame& frame,
                              const std::vector<Volume>& fhd, double noise, bool with_freedom,
                              const SolveOptions& options, const IsEnough& is_enough,
                              Reporter& report);

constexpr int iterations_of_rounding = 75; ///< of amplification(), for a factor of two
/// LambdaPoint::amplification of equations whose lambda is that of the options, at this one, which
/// may have the weight of l2 beside it.
double amplification(NormalEquations& equations, double lambda, const SolveOptions& options,
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
/// that. `f_h_d` shows where the object is. The stage "ghosts".
std::optional<Ghosts> limit_ghosts(LambdaCurve& curve, const Grid& grid, NormalEquations& equations,
                                   const Volume& f_h_d, SolveOptions options, Reporter& report);

} // namespace lsrecon
