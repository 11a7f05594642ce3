#include "engines/nufft/spread.hpp"

#include <algorithm>
#include <type_traits>

#include "base/vector_clones.hpp"

namespace lsrecon {

template <typename Real> KernelTable<Real>::KernelTable(const SpreadingKernel& kernel)
    : width(kernel.width()), degree(kernel.degree()), points((degree + 1) * most, Real(0)),
      pairs(2 * points.size(), Real(0)) {
    for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t p = 0; p <= degree; ++p) {
            const std::size_t at = (degree - p) * most + j;
            points[at] = static_cast<Real>(kernel.coefficient(j, p));
            pairs[2 * at] = pairs[2 * at + 1] = points[at];
        }
    }
}

namespace {

/// Inlines a function into every clone.
#define LSRECON_INLINE inline __attribute__((always_inline))

/// Numbers that are computed with at once: compilers do not find these vectors in loops over a few
/// points.
template <typename Real> struct Vectors {
    static constexpr std::size_t length = 32 / sizeof(Real);
    typedef Real Vector __attribute__((vector_size(32)));
    typedef Real Anywhere __attribute__((vector_size(32), aligned(alignof(Real)), may_alias));
};
template <typename Real> using Vector = typename Vectors<Real>::Vector;

template <typename Real> LSRECON_INLINE auto& vector_at(Real* numbers, std::size_t index) {
    return reinterpret_cast<typename Vectors<Real>::Anywhere*>(numbers)[index];
}
template <typename Real>
LSRECON_INLINE const auto& vector_at(const Real* numbers, std::size_t index) {
    return reinterpret_cast<const typename Vectors<Real>::Anywhere*>(numbers)[index];
}

/// `count` vectors of polynomials whose coefficients are `step` numbers apart.
template <typename Real> LSRECON_INLINE void evaluate(const Real* coefficients, std::size_t step,
                                                      std::size_t degree, double offset,
                                                      std::size_t count, Real* out) {
    const Real t = static_cast<Real>(2 * offset - 1);
    for (std::size_t n = 0; n < count; ++n) {
        const Real* c = coefficients;
        Vector<Real> sum = vector_at(c, n);
        for (std::size_t p = 0; p < degree; ++p) {
            c += step;
            sum = sum * t + vector_at(c, n);
        }
        vector_at(out, n) = sum;
    }
}

/// The place of a sample's kernel in its tile, and the kernel's values along each dimension.
template <typename Real> struct Placed {
    static constexpr std::size_t most = KernelTable<Real>::most;
    alignas(32) Real x[2 * most]; ///< kernel values; each twice for one coil
    alignas(32) Real y[most];
    alignas(32) Real z[most];
    std::size_t first;

    LSRECON_INLINE Placed(const TileSamples<Real>& of, std::size_t vectors, std::size_t i) {
        const KernelTable<Real>& kernel = of.kernel;
        const std::size_t all = divide_up(kernel.width, Vectors<Real>::length);
        const Real* const points = kernel.points.data();
        const auto& offset = of.samples.offset;
        if (of.coils == 1) {
            evaluate(kernel.pairs.data(), 2 * most, kernel.degree, offset[0][i], vectors, x);
        } else {
            evaluate(points, most, kernel.degree, offset[0][i], all, x);
        }
        evaluate(points, most, kernel.degree, offset[1][i], all, y);
        z[0] = 1;
        if (of.depth > 1) {
            evaluate(points, most, kernel.degree, offset[2][i], all, z);
        }
        const auto& at = of.samples.first_point;
        first = ((at[2][i] * of.shape.rows + at[1][i]) * of.shape.row + at[0][i]) * 2 * of.coils;
    }
};
/// Calls visit(index of the first number, factor) for the rows of a kernel.
template <typename Real, typename Visit> LSRECON_INLINE void
for_each_row(const TileSamples<Real>& of, const Placed<Real>& at, const Visit& visit) {
    for (std::size_t z = 0; z < of.depth; ++z) {
        for (std::size_t y = 0; y < of.kernel.width; ++y) {
            visit(at.first + (z * of.shape.rows + y) * of.shape.row * 2 * of.coils,
                  at.z[z] * at.y[y]);
        }
    }
}

/// Vectors of a row of a kernel.
template <typename Real> std::size_t vectors_of(const TileSamples<Real>& of) {
    constexpr std::size_t length = Vectors<Real>::length;
    return divide_up(2 * of.kernel.width * of.coils, length);
}
template <typename Real> constexpr std::size_t most_vectors() {
    return 2 * KernelTable<Real>::most * most_coils / Vectors<Real>::length;
}

/// Rows of `Count` vectors, or of any number for 0.
template <typename Real, std::size_t Count>
LSRECON_FMA_CLONE void spread_rows(const TileSamples<Real>& of, const Real* values, Real* points) {
    const std::size_t count = Count > 0 ? Count : vectors_of(of);
    const std::size_t of_point = 2 * of.coils / Vectors<Real>::length; // vectors
    for (std::size_t i = 0; i < of.range.count; ++i) {
        const Placed<Real> at(of, count, of.range.first + i);
        const Real* const value = values + i * 2 * of.coils;
        Vector<Real> row[Count > 0 ? Count : most_vectors<Real>()];
        if (of.coils == 1) {
            Vector<Real> both{};
            for (std::size_t n = 0; n < Vectors<Real>::length; ++n) {
                both[n] = value[n % 2];
            }
            for (std::size_t n = 0; n < count; ++n) {
                row[n] = vector_at(at.x, n) * both;
            }
        } else {
            for (std::size_t n = 0; n < count; ++n) {
                row[n] = at.x[n / of_point] * vector_at(value, n % of_point);
            }
        }
        for_each_row(of, at, [&](std::size_t first, Real factor) {
            for (std::size_t n = 0; n < count; ++n) {
                vector_at(points + first, n) += factor * row[n];
            }
        });
    }
}

template <typename Real, std::size_t Count> LSRECON_FMA_CLONE void
interpolate_rows(const TileSamples<Real>& of, const Real* points, Real* values) {
    const std::size_t count = Count > 0 ? Count : vectors_of(of);
    const std::size_t of_point = 2 * of.coils / Vectors<Real>::length;
    for (std::size_t i = 0; i < of.range.count; ++i) {
        const Placed<Real> at(of, count, of.range.first + i);
        Vector<Real> row[Count > 0 ? Count : most_vectors<Real>()];
        for (std::size_t n = 0; n < count; ++n) {
            row[n] = Vector<Real>{};
        }
        for_each_row(of, at, [&](std::size_t first, Real factor) {
            for (std::size_t n = 0; n < count; ++n) {
                row[n] += factor * vector_at(points + first, n);
            }
        });
        Real* const value = values + i * 2 * of.coils;
        std::fill_n(value, 2 * of.coils, Real(0));
        if (of.coils == 1) {
            Vector<Real> both{};
            for (std::size_t n = 0; n < count; ++n) {
                both += vector_at(at.x, n) * row[n];
            }
            for (std::size_t n = 0; n < Vectors<Real>::length; ++n) {
                value[n % 2] += both[n];
            }
        } else {
            for (std::size_t n = 0; n < count; ++n) {
                vector_at(value, n % of_point) += at.x[n / of_point] * row[n];
            }
        }
    }
}

/// work(vectors of a row, a constant, or 0 where there are more than a few).
template <typename Work, std::size_t Count = 1>
void with_constant(std::size_t vectors, const Work& work) {
    constexpr std::size_t few = 8;
    if (vectors == Count) {
        work(std::integral_constant<std::size_t, Count>());
    } else if constexpr (Count < few) {
        with_constant<Work, Count + 1>(vectors, work);
    } else {
        work(std::integral_constant<std::size_t, 0>());
    }
}

} // namespace

template <typename Real>
void TileSamples<Real>::spread(const std::complex<Real>* values, std::complex<Real>* points) const {
    with_constant(vectors_of(*this), [&](auto count) {
        spread_rows<Real, count()>(*this, reinterpret_cast<const Real*>(values),
                                   reinterpret_cast<Real*>(points));
    });
}

template <typename Real> void TileSamples<Real>::interpolate(const std::complex<Real>* points,
                                                             std::complex<Real>* values) const {
    with_constant(vectors_of(*this), [&](auto count) {
        interpolate_rows<Real, count()>(*this, reinterpret_cast<const Real*>(points),
                                        reinterpret_cast<Real*>(values));
    });
}

template struct KernelTable<double>;
template struct KernelTable<float>;
template struct TileSamples<double>;
template struct TileSamples<float>;

} // namespace lsrecon
