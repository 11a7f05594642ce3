// Fits a smooth correction of a field map together with the image of a frame.

#pragma once

#include "encoding/encoding.hpp"
#include "encoding/parameter_fit.hpp"

namespace lsrecon {

struct FieldFitOptions {
    double deviation = 50; ///< Hz, of each number before the samples are seen
    /// Nothing is fitted where the first step would lower what is left by less than so many times
    /// the noise of a sample.
    double least = 0;
    /// What the image leaves of the curvature by the field, as a fit of fewer numbers found it; 0
    /// to compute that of each number.
    double share = 0;
    int steps = 6; ///< at most
    SolveOptions images{1e-4, 30, 1e-3};
    SolveOptions columns{1e-4, 16, 1e-2};
};

struct FieldFit {
    /// The numbers, in Hz: with what is left where all are 0, and where they are these.
    /// `covariance` is that of the numbers once the samples are seen.
    ParameterFit numbers;
    RealVector magnitude; ///< N, of the image, or of those of all coils
    double share = 0; ///< FieldFitOptions::share
};

/// The least of ||W^1/2 (A(f + sum_p v_p b_p) rho - d)||^2 + sigma^2 ||v||^2 / deviation^2 over rho
/// and v, where f is the field of a grid and the rows of `basis` are b_p, P x N. By Gauss-Newton
/// with variable projection from `start`: P numbers, or none for 0.
FieldFit fit_field(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                   const Frame& frame, const OffResonance& field, const Eigen::MatrixXd& basis,
                   const RealVector& start, const FieldFitOptions& options = {});

/// What a change of the field by `by` Hz, N, does to the samples of images: -2 pi i t A(by rho).
CoilMatrix derivative_by_field(const Encoding& encoding, const std::vector<ComplexVector>& images,
                               const RealVector& by);

} // namespace lsrecon
