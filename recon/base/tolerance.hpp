// Bounds of errors: each says its formula, where it was measured and its source.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace lsrecon::tolerance {

/// Unit roundoff of single precision.
constexpr double eps = std::numeric_limits<float>::epsilon() / 2.0;

/// The rounding of a direct transform.
struct Rounding {
    /// Error of one term: its value, phase and trigonometry, in multiples of eps.
    double per_term = 0;
    /// Most terms that are summed in one float before the total in two floats takes the sum over.
    std::size_t longest_run = 0;
    double growth = 1; ///< growth of the error of a run, in multiples of eps sqrt(longest_run)
};

/// sin and cos are right to 4 ulp (OpenCL 1.2, table 7.4), the value is rounded once, and the phase
/// twice: in turns, and in radians.
constexpr double per_term = 4;

/// native_sin and native_cos are the vendor's: sin.approx of NVIDIA has an absolute error of
/// 2^-21.4 = 6.1 eps in [-pi, pi] (CUDA C++ programming guide, intrinsic functions). Sine and
/// cosine together: sqrt(2) times that.
constexpr double per_term_native = per_term + 9;

/// Relative L2 error of FHd, Q and F against the double reference, over many points.
///
///     eps (per_term + growth sqrt(longest_run))
///
/// The phase is reduced exactly (engines/split.hpp), so that a term is wrong by per_term eps
/// wherever it lies, and terms are wrong independently: half turns are taken off with a sign
/// (kernels/transform.h), so that the errors of many terms do not add up. A run of r terms in one
/// float is rounded r times, each time by eps of a partial sum, independently.
inline double direct_transform(const Rounding& rounding, std::size_t sources) {
    const auto run = static_cast<double>(std::min(rounding.longest_run, sources));
    return eps * (rounding.per_term + rounding.growth * std::sqrt(run));
}

/// Relative error of Q(0), a sum of terms of one sign whose phase is 0, by any variant: all
/// roundings of a sum in one float may go the same way, as they do when equal weights are added. A
/// sum that is wrong by a tenth is useless for any purpose.
inline double q_at_zero(std::size_t sources) {
    constexpr double useless = 0.1;
    return std::min(useless, eps * (per_term_native + static_cast<double>(sources)));
}

/// Relative L2 error of Mu, for certain: phi, w and d are rounded to floats and phi w is rounded,
/// 4 eps in all; a complex product is right to sqrt(5) eps (Brent, Percival and Zimmermann 2007,
/// Math. Comp. 76:1469). The rest covers terms of second order.
inline double mu() {
    return 6.25 * eps;
}

/// Relative L2 error of a product with F^H W F through Q, or through F and F^H. The rounding of Q
/// is spread over all differences as Q is over few, so a volume that is concentrated where the
/// operator is weak sees more of it than of Q.
inline double gram(double of_transform) {
    constexpr double c = 2; // measured as above: at most 0.4, for random volumes
    return c * of_transform;
}

/// The error that Mu, F^H d and T by such a transform, in arithmetic of this unit roundoff, make
/// together in the normal equations T x = F^H d, relative to F^H d.
inline double normal_equations(double of_transform, double epsilon) {
    return mu() * epsilon / eps + of_transform + gram(of_transform);
}

/// Relative L2 error of the solution of (T + lambda Q(0)) rho = F^H d against the same in double.
/// T and F^H d are each wrong by the bound above, and the condition number magnifies both:
///
///     c (1 + ||T|| / (lambda Q(0))) of_transform
///
/// c is 2 in the worst case, where all of the error meets the smallest eigenvalue. Measured as
/// above with lambda 0.1 and 0.01: at most 0.08.
///
/// `spread` is ||T|| / Q(0), 1 for Cartesian sampling and the largest density of samples over the
/// mean one for others. Infinite without lambda.
inline double solution(double of_transform, double lambda, double spread = 8) {
    constexpr double c = 0.5;
    return c * (1 + spread / lambda) * of_transform;
}

/// The likely error of a transform, from its bound: a sixteenth of it or so, and 1.5 eps at least.
inline double expected(double bound, double epsilon) {
    return std::min(bound, std::max(1.5 * epsilon, bound / 16));
}

/// The error of the image, relative, from errors of the size of a transform's bound, where lambda
/// is all that holds the directions that the scan did not measure:
///
///     expected error of the transform * ||F^H d|| / (lambda Q(0) ||rho||)
///
/// The last factor is at most ||T|| / (lambda Q(0)), and nearly that. Measured as the difference of
/// images in single and in double precision, on PoCL, 2 CPU cores, 2026-11, lambda 0.1 to 0.001, 10
/// scans: 10 and 300 samples on 1000 and 1024 voxels 0.6 to 0.8 of the estimate, spiral, radial and
/// measured scans 0.1 to 0.25 of it, less where the samples determine the image.
inline double image_error(double bound, double epsilon, double gain_over_lambda) {
    return expected(bound, epsilon) * gain_over_lambda;
}

/// Relative L2 distance of two images of the same few iterations of conjugate gradients, when
/// errors of the size of their bounds move such an image by `moved`: what random errors of that
/// size do, and room for others.
inline double few_iterations(double moved) {
    constexpr double c = 10;
    return c * moved;
}

/// The drift of the residual: the difference, relative to b, between the residual b - A x of a
/// solution and the one that conjugate gradients carry along. It is of the order of n eps after n
/// iterations (Greenbaum 1997, SIAM J. Matrix Anal. Appl. 18:535), in single precision. c leaves
/// room for the norm of A and of x.
inline double residual_drift(std::size_t iterations) {
    constexpr double c = 4;
    return c * eps * static_cast<double>(iterations + 1);
}

/// Relative L2 error of an FFT of `values` values, by the unit roundoff of its arithmetic: every
/// one of its stages rounds each value a few times, independently.
///
/// c is measured: PoCL, 2 CPU cores, 2026-11, 1 to 2820 values, lengths with prime factors up to
/// 47: FFTW and VkFFT 1.2.26 at most 0.3.
inline double fft(std::size_t values, double epsilon) {
    constexpr double c = 0.6;
    return epsilon * (1 + c * std::log2(1 + static_cast<double>(values)));
}

/// Relative L2 error of a product with the normal equations on the device against the same in
/// double precision, of the same Q: two FFTs on up to 2N a dimension, and the spectrum that a third
/// made.
inline double resident_product(std::size_t voxels, double epsilon) {
    constexpr double c = 2; // measured as above: at most 0.5, for random volumes
    return c * fft(8 * voxels, epsilon);
}

/// Relative L2 error of what the device solves to `tolerance`, which stops at a tenth of it,
/// against the solution in double precision, of the same Q and right-hand side. The condition
/// number magnifies what is left of the residual, and the error of the product:
///
///     c (1 + ||T|| / (lambda Q(0))) (tolerance / 10 + resident_product)
///
/// c is 1 in the worst case. Measured on spiral and radial scans of 64 x 64 with lambda 0.1 and
/// 0.01, machine and date as above: at most 0.06.
inline double resident_solution(std::size_t voxels, double epsilon, double tolerance, double lambda,
                                double spread = 8) {
    constexpr double c = 0.2;
    return c * (1 + spread / lambda) * (0.1 * tolerance + resident_product(voxels, epsilon));
}

/// Relative L2 error of a sum of `terms` by plain loops, which do not reduce the phase: a phase of
/// t turns is rounded by t times the unit roundoff of the loops, here double precision's.
inline double reference(double largest_turns, std::size_t terms,
                        double roundoff = std::numeric_limits<double>::epsilon() / 2) {
    constexpr double two_pi = 6.283185307179586;
    return roundoff *
           (per_term + 2 * two_pi * largest_turns + 1.5 * std::sqrt(static_cast<double>(terms)));
}

} // namespace lsrecon::tolerance
