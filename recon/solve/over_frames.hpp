#pragma once

#include <complex>

#include "base/types.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Images of F frames on one grid in their order, N x F: a column each.
template <typename Real> using FrameStack =
    Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;

/// A term over all frames of a place, by the proximal map of `length` times it. Two runs give the
/// same bits.
struct OverFrames {
    FrameStack<float> (*of_floats)(const Grid&, const FrameStack<float>&, double length);
    FrameStack<double> (*of_doubles)(const Grid&, const FrameStack<double>&, double length);
    /// How far that shortens what is penalised, for a length of 1.
    double (*shortening)(const Grid& grid, std::size_t frames);

    FrameStack<float> shortened(const Grid& grid, const FrameStack<float>& frames,
                                double length) const {
        return of_floats(grid, frames, length);
    }
    FrameStack<double> shortened(const Grid& grid, const FrameStack<double>& frames,
                                 double length) const {
        return of_doubles(grid, frames, length);
    }
};

} // namespace lsrecon
