#include "engines/nufft/spread.hpp"

#include <algorithm>
#include <cmath>

#include "base/vector_clones.hpp"

namespace lsrecon {

template <typename Real> KernelTable<Real>::KernelTable(const SpreadingKernel& kernel)
    : width(kernel.width()), degree(kernel.degree()), coefficients((degree + 1) * most, Real(0)) {
    for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t p = 0; p <= degree; ++p) {
            coefficients[(degree - p) * most + j] = static_cast<Real>(kernel.coefficient(j, p));
        }
    }
}

namespace {

/// Points of a kernel, in `Width` of them.
template <typename Real, std::size_t Width>
inline void kernel_at(const KernelTable<Real>& kernel, Real offset, Real* points) {
    const Real t = 2 * offset - 1;
    const Real* c = kernel.coefficients.data();
    for (std::size_t j = 0; j < Width; ++j) {
        points[j] = c[j];
    }
    for (std::size_t p = 0; p < kernel.degree; ++p) {
        c += KernelTable<Real>::most;
        for (std::size_t j = 0; j < Width; ++j) {
            points[j] = points[j] * t + c[j];
        }
    }
}

/// Where a sample's kernel stands in its tile, and its values along each dimension.
template <typename Real, std::size_t Width> struct Placed {
    Real x[Width];
    Real y[Width];
    Real z[Width];
    std::size_t first;

    Placed(const KernelTable<Real>& kernel, const NufftSamples& samples, const TileShape& shape,
           std::size_t depth, std::size_t i) {
        kernel_at<Real, Width>(kernel, static_cast<Real>(samples.offset[0][i]), x);
        kernel_at<Real, Width>(kernel, static_cast<Real>(samples.offset[1][i]), y);
        if (depth > 1) {
            kernel_at<Real, Width>(kernel, static_cast<Real>(samples.offset[2][i]), z);
        } else {
            z[0] = 1;
        }
        first = (samples.first_point[2][i] * shape.rows + samples.first_point[1][i]) * shape.row +
                samples.first_point[0][i];
    }
};

template <typename Real, std::size_t Width>
LSRECON_AVX2_CLONE void spread_samples(const KernelTable<Real>& kernel, const NufftSamples& samples,
                                       const Range& range, const TileShape& shape,
                                       std::size_t depth, const std::complex<Real>* values,
                                       std::complex<Real>* points) {
    for (std::size_t i = 0; i < range.count; ++i) {
        const Placed<Real, Width> at(kernel, samples, shape, depth, range.first + i);
        Real row_of_values[2 * Width];
        for (std::size_t j = 0; j < Width; ++j) {
            row_of_values[2 * j] = at.x[j] * values[i].real();
            row_of_values[2 * j + 1] = at.x[j] * values[i].imag();
        }
        for (std::size_t z = 0; z < depth; ++z) {
            for (std::size_t y = 0; y < kernel.width; ++y) {
                const Real factor = at.z[z] * at.y[y];
                Real* const row =
                    reinterpret_cast<Real*>(points + at.first + (z * shape.rows + y) * shape.row);
                for (std::size_t j = 0; j < 2 * Width; ++j) {
                    row[j] += factor * row_of_values[j];
                }
            }
        }
    }
}

template <typename Real, std::size_t Width> LSRECON_AVX2_CLONE void
interpolate_samples(const KernelTable<Real>& kernel, const NufftSamples& samples,
                    const Range& range, const TileShape& shape, std::size_t depth,
                    const std::complex<Real>* points, std::complex<Real>* values) {
    for (std::size_t i = 0; i < range.count; ++i) {
        const Placed<Real, Width> at(kernel, samples, shape, depth, range.first + i);
        Real sums[2 * Width] = {};
        for (std::size_t z = 0; z < depth; ++z) {
            for (std::size_t y = 0; y < kernel.width; ++y) {
                const Real factor = at.z[z] * at.y[y];
                const Real* const row = reinterpret_cast<const Real*>(
                    points + at.first + (z * shape.rows + y) * shape.row);
                for (std::size_t j = 0; j < 2 * Width; ++j) {
                    sums[j] += factor * row[j];
                }
            }
        }
        std::complex<Real> sum = 0;
        for (std::size_t j = 0; j < Width; ++j) {
            sum += at.x[j] * std::complex<Real>(sums[2 * j], sums[2 * j + 1]);
        }
        values[i] = sum;
    }
}

constexpr std::size_t narrow = 8;

} // namespace

template <typename Real>
void TileSamples<Real>::spread(const std::complex<Real>* values, std::complex<Real>* points) const {
    constexpr std::size_t wide = KernelTable<Real>::most;
    if (kernel_.width <= narrow) {
        spread_samples<Real, narrow>(kernel_, samples_, range_, shape_, depth_, values, points);
    } else {
        spread_samples<Real, wide>(kernel_, samples_, range_, shape_, depth_, values, points);
    }
}

template <typename Real> void TileSamples<Real>::interpolate(const std::complex<Real>* points,
                                                             std::complex<Real>* values) const {
    constexpr std::size_t wide = KernelTable<Real>::most;
    if (kernel_.width <= narrow) {
        interpolate_samples<Real, narrow>(kernel_, samples_, range_, shape_, depth_, points,
                                          values);
    } else {
        interpolate_samples<Real, wide>(kernel_, samples_, range_, shape_, depth_, points, values);
    }
}

template struct KernelTable<double>;
template struct KernelTable<float>;
template class TileSamples<double>;
template class TileSamples<float>;

} // namespace lsrecon
