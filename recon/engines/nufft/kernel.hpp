// The spreading kernel of the NUFFT, fitted by polynomials, and the fine grid that is chosen for an
// accuracy.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "base/computation.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// The spreading of a sample onto the fine grid of a NUFFT, in each dimension: a polynomial for
/// each of the points that it has, next to exp(beta (sqrt(1 - z^2) - 1)) at z = 2 x / width, x
/// points from it (Barnett, Magland and af Klinteberg 2019, SIAM J. Sci. Comput. 41:C479).
class SpreadingKernel {
public:
    /// A kernel of 2 to 16 points, with the best beta.
    SpreadingKernel(std::size_t width, double oversampling);
    /// A kernel with this beta, in units of pi width (1 - 1 / (2 oversampling)).
    SpreadingKernel(std::size_t width, double oversampling, double beta);

    std::size_t width() const { return width_; } ///< points that a sample has
    /// The degree of the polynomials: higher ones leave the kernel's error as it is. That of two
    /// points needs 3.
    std::size_t degree() const { return std::max<std::size_t>(3, width_); }
    /// The coefficient of the polynomial of point j, in t = 2 offset - 1, where the offset, 0 to 1,
    /// is the distance of the first point from the kernel's beginning.
    double coefficient(std::size_t j, std::size_t power) const {
        return coefficients_[j * (degree() + 1) + power];
    }
    double value(double x) const;
    /// The Fourier transform of the kernel at `frequency`, in cycles a point.
    double transform(double frequency) const;
    /// The largest relative error of the kernel in the term of a sample, in one dimension
    /// (docs/maths.md).
    double error() const { return error_; }
    /// The factor by which rounding on the fine grid grows, relative, when it is divided by the
    /// transform, in one dimension: rounding is the same for all frequencies, and the transform is
    /// not.
    double amplification() const { return amplification_; }

private:
    void fit(double beta);
    double amplification_of_fit() const;
    /// The error of the fit at so many frequencies and points.
    double error_of_fit(int frequencies, int points) const;

    std::size_t width_;
    double oversampling_;
    std::vector<double> coefficients_;
    std::vector<std::pair<double, double>> nodes_; ///< weighted nodes of the transform's quadrature
    double error_ = 0;
    double amplification_ = 1;
};

/// Seconds of a coil: for a sample by the kernel's width, and for each step of the FFT on each
/// point, with the passes through memory.
struct NufftRates {
    std::function<double(std::size_t width)> of_sample;
    double of_butterfly;
};

/// One dimension of a fine grid.
struct NufftLine {
    std::size_t points;
    double period; ///< the number of points
    double last; ///< the next smaller number
    double half; ///< half of a kernel, in points

    /// The beginning, in points, of the kernel of a sample with so many turns a voxel.
    double beginning(double turns) const {
        const double at = (turns - std::floor(turns)) * period - half;
        return std::min(at < 0 ? at + period : at, last);
    }
    /// The first point of a kernel: the next whole one.
    std::size_t first_point(double beginning) const {
        const auto first = static_cast<std::size_t>(std::ceil(beginning));
        return first < points ? first : first - points;
    }
};

/// A fine grid and a kernel.
struct NufftGrid {
    SpreadingKernel kernel;
    std::array<std::size_t, 3> fine{1, 1, 1};
    double error = 0; ///< bound of the relative L2 error, with rounding
    double butterflies = 0; ///< butterflies of its FFT

    /// The time of a coil with so many samples.
    double seconds(std::size_t samples, const NufftRates& rates) const {
        return rates.of_sample(kernel.width()) * static_cast<double>(samples) +
               rates.of_butterfly * butterflies;
    }

    NufftLine line(std::size_t d) const;
    /// Sets Cost::fft_bytes, of FFTs that leave out what is 0 or not wanted, and multiply_adds.
    void set_limits(const std::array<std::size_t, 3>& size, std::size_t samples,
                    Precision precision, Cost& cost) const;
};

/// The cheapest grid for frequencies of this `size`, so many samples and an error below `accuracy`,
/// else the cheapest that is nearly as exact as any. The fine grid's points are whole `multiples`
/// of these.
NufftGrid choose_nufft_grid(const std::array<std::size_t, 3>& size, std::size_t samples,
                            double accuracy, Precision precision, const NufftRates& rates,
                            const std::array<std::size_t, 3>& multiples = {1, 1, 1});

} // namespace lsrecon
