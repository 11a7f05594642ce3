// Fits a few numbers of a scan, such as delays and phases of its readouts, together with its image.

#pragma once

#include <vector>

#include "engines/transforms.hpp"
#include "scan/sample_parameters.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// A frame with samples, and how each parameter changes them.
struct FrameOfFit {
    Frame frame;
    std::vector<SampleParameter> parameters; ///< P
};

struct ParameterFitOptions {
    RealVector start; ///< P, or empty for 0; 0 is the start where that leaves less
    int steps = 8; ///< at most
    SolveOptions solve{1e-4, 40, 1e-4};
};

/// The least of ||W^1/2 (A(k + sum_i p_i shift_i) rho - D(-sum_i p_i phase_i) d)||^2 over rho and
/// p. The noise of a sample is that which the fit leaves.
struct ParameterFit {
    RealVector values; ///< P
    /// P x P: the joint Cramer-Rao bound. Numbers that the image can make up for have an infinite
    /// variance.
    Eigen::MatrixXd covariance;
    double energy = 0; ///< ||W^1/2 d||^2, a.u.^2
    double left_before = 0; ///< part of it that is left where all numbers are 0
    double left = 0; ///< part of it that is left
    double freedom = 0; ///< real numbers in what is left, without those that the image takes up

    double deviation(std::size_t parameter) const;
    /// The variance of the real and of the imaginary part of a sample by what is left.
    double noise() const { return left / freedom; }
    /// A bound of the probability that noise alone lowers what is left so far, by Chernoff's bound
    /// of the distribution of chi squared.
    double chance() const;
};

/// By Gauss-Newton with variable projection, from where `options` start: each frame has an image of
/// its own, or one a coil where `maps` (C x N on the grid) are empty. The parameters of all frames
/// are the same numbers. Steps that do not lower what is left are halved.
ParameterFit fit_parameters(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                            const std::vector<FrameOfFit>& frames,
                            const ParameterFitOptions& options = {});

} // namespace lsrecon
