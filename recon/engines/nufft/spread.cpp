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

template <typename Real, std::size_t Width, std::size_t Coils>
LSRECON_AVX2_CLONE void spread_samples(const KernelTable<Real>& kernel, const NufftSamples& samples,
                                       const Range& range, const TileShape& shape,
                                       std::size_t depth, const Real* values, Real* points) {
    constexpr std::size_t numbers = 2 * Coils; // of a point
    for (std::size_t i = 0; i < range.count; ++i) {
        const Placed<Real, Width> at(kernel, samples, shape, depth, range.first + i);
        Real row_of_values[Width * numbers];
        for (std::size_t j = 0; j < Width; ++j) {
            for (std::size_t n = 0; n < numbers; ++n) {
                row_of_values[j * numbers + n] = at.x[j] * values[i * numbers + n];
            }
        }
        for (std::size_t z = 0; z < depth; ++z) {
            for (std::size_t y = 0; y < kernel.width; ++y) {
                const Real factor = at.z[z] * at.y[y];
                Real* const row =
                    points + (at.first + (z * shape.rows + y) * shape.row) * numbers;
                for (std::size_t j = 0; j < Width * numbers; ++j) {
                    row[j] += factor * row_of_values[j];
                }
            }
        }
    }
}

template <typename Real, std::size_t Width, std::size_t Coils> LSRECON_AVX2_CLONE void
interpolate_samples(const KernelTable<Real>& kernel, const NufftSamples& samples,
                    const Range& range, const TileShape& shape, std::size_t depth, Real* values,
                    const Real* points) {
    constexpr std::size_t numbers = 2 * Coils;
    for (std::size_t i = 0; i < range.count; ++i) {
        const Placed<Real, Width> at(kernel, samples, shape, depth, range.first + i);
        Real sums[Width * numbers] = {};
        for (std::size_t z = 0; z < depth; ++z) {
            for (std::size_t y = 0; y < kernel.width; ++y) {
                const Real factor = at.z[z] * at.y[y];
                const Real* const row =
                    points + (at.first + (z * shape.rows + y) * shape.row) * numbers;
                for (std::size_t j = 0; j < Width * numbers; ++j) {
                    sums[j] += factor * row[j];
                }
            }
        }
        Real* const sum = values + i * numbers;
        std::fill_n(sum, numbers, Real(0));
        for (std::size_t j = 0; j < Width; ++j) {
            for (std::size_t n = 0; n < numbers; ++n) {
                sum[n] += at.x[j] * sums[j * numbers + n];
            }
        }
    }
}

template <std::size_t Value> using Constant = std::integral_constant<std::size_t, Value>;

/// work(width, coils), constants: the next even width, whose loops fill vectors.
template <std::size_t Width = 2, typename Work>
void with_constants(std::size_t width, std::size_t coils, const Work& work) {
    if constexpr (Width < KernelTable<float>::most) {
        if (width > Width) {
            with_constants<Width + 2>(width, coils, work);
            return;
        }
    }
    if (coils == 1) {
        work(Constant<Width>(), Constant<1>());
    } else {
        work(Constant<Width>(), Constant<most_coils>());
    }
}

} // namespace

template <typename Real>
void TileSamples<Real>::spread(const std::complex<Real>* values, std::complex<Real>* points) const {
    with_constants(kernel_.width, coils_, [&](auto width, auto coils) {
        spread_samples<Real, width(), coils()>(kernel_, samples_, range_, shape_, depth_,
                                               reinterpret_cast<const Real*>(values),
                                               reinterpret_cast<Real*>(points));
    });
}

template <typename Real> void TileSamples<Real>::interpolate(const std::complex<Real>* points,
                                                             std::complex<Real>* values) const {
    with_constants(kernel_.width, coils_, [&](auto width, auto coils) {
        interpolate_samples<Real, width(), coils()>(kernel_, samples_, range_, shape_, depth_,
                                                    reinterpret_cast<Real*>(values),
                                                    reinterpret_cast<const Real*>(points));
    });
}

template struct KernelTable<double>;
template struct KernelTable<float>;
template class TileSamples<double>;
template class TileSamples<float>;

} // namespace lsrecon
