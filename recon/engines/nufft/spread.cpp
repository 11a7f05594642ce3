// Spreads samples onto the fine grid and interpolates them from it, in vectors of fixed length that
// give the same bits on every processor.

#include "engines/nufft/spread.hpp"

#include <algorithm>
#include <type_traits>

#include "base/parallel.hpp"

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
/// points. Where a processor has only shorter ones, they are several of these, with the same bits.
template <typename Real, std::size_t Bytes> struct Vectors {
    static constexpr std::size_t length = Bytes / sizeof(Real);
    typedef Real Vector __attribute__((vector_size(Bytes)));
    typedef Real Anywhere __attribute__((vector_size(Bytes), aligned(alignof(Real)), may_alias));
};
template <typename Real, std::size_t Bytes> using Vector = typename Vectors<Real, Bytes>::Vector;
constexpr std::size_t vector_bytes = 64; ///< of the widest

template <std::size_t Bytes, typename Real>
LSRECON_INLINE auto& vector_at(Real* numbers, std::size_t index) {
    return reinterpret_cast<typename Vectors<Real, Bytes>::Anywhere*>(numbers)[index];
}
template <std::size_t Bytes, typename Real>
LSRECON_INLINE const auto& vector_at(const Real* numbers, std::size_t index) {
    return reinterpret_cast<const typename Vectors<Real, Bytes>::Anywhere*>(numbers)[index];
}

/// The values of polynomials whose coefficients are `step` numbers apart, in whole vectors.
template <typename Real> LSRECON_INLINE void evaluate(const Real* coefficients, std::size_t step,
                                                      std::size_t degree, Real t, std::size_t count,
                                                      Real* out) {
    for (std::size_t n = 0; n < divide_up(count, Vectors<Real, vector_bytes>::length); ++n) {
        const Real* c = coefficients;
        Vector<Real, vector_bytes> sum = vector_at<vector_bytes>(c, n);
        for (std::size_t p = 0; p < degree; ++p) {
            c += step;
            sum = sum * t + vector_at<vector_bytes>(c, n);
        }
        vector_at<vector_bytes>(out, n) = sum;
    }
}

/// The position of a sample's kernel in its tile, and the kernel's values along each dimension.
template <typename Real> struct TilePosition {
    static constexpr std::size_t most = KernelTable<Real>::most;
    alignas(vector_bytes) Real x[2 * most]; ///< kernel values; each twice for one coil
    alignas(vector_bytes) Real y[most];
    alignas(vector_bytes) Real z[most];
    std::size_t first;

    LSRECON_INLINE TilePosition(const TileSamples<Real>& of, std::size_t i) {
        const KernelTable<Real>& kernel = of.kernel;
        const std::size_t all = kernel.width;
        const Real* const points = kernel.points.data();
        const auto& t = of.samples.t;
        if (of.coils == 1) {
            evaluate(kernel.pairs.data(), 2 * most, kernel.degree, t[0][i], 2 * all, x);
        } else {
            evaluate(points, most, kernel.degree, t[0][i], all, x);
        }
        evaluate(points, most, kernel.degree, t[1][i], all, y);
        z[0] = 1;
        if (of.depth > 1) {
            evaluate(points, most, kernel.degree, t[2][i], all, z);
        }
        const auto& at = of.samples.first_point;
        const std::size_t plane = of.depth > 1 ? at[2][i] : 0;
        first = ((plane * of.shape.rows + at[1][i]) * of.shape.row + at[0][i]) * 2 * of.coils;
    }
};
/// Calls visit(index of the first number, factor) for the rows of a kernel.
template <typename Real, typename Visit> LSRECON_INLINE void
for_each_row(const TileSamples<Real>& of, const TilePosition<Real>& at, const Visit& visit) {
    for (std::size_t z = 0; z < of.depth; ++z) {
        for (std::size_t y = 0; y < of.kernel.width; ++y) {
            visit(at.first + (z * of.shape.rows + y) * of.shape.row * 2 * of.coils,
                  at.z[z] * at.y[y]);
        }
    }
}

/// Vectors of a row of a kernel.
template <typename Real, std::size_t Bytes> std::size_t vectors_of(const TileSamples<Real>& of) {
    return divide_up(2 * of.kernel.width * of.coils, Vectors<Real, Bytes>::length);
}
/// The most of them: of several coils, or of one, which has its numbers in pairs.
template <typename Real, std::size_t Bytes> constexpr std::size_t most_vectors(std::size_t coils) {
    return 2 * KernelTable<Real>::most * coils / Vectors<Real, Bytes>::length;
}

/// Rows of `Count` vectors, or of any number for 0.
template <typename Real, std::size_t Bytes, std::size_t Count>
LSRECON_WIDE_CLONE void spread_rows(const TileSamples<Real>& of, const Real* values, Real* points) {
    using Row = Vector<Real, Bytes>;
    constexpr std::size_t length = Vectors<Real, Bytes>::length;
    const std::size_t count = Count > 0 ? Count : vectors_of<Real, Bytes>(of);
    const std::size_t of_point = 2 * of.coils / length; // vectors
    for (std::size_t i = 0; i < of.range.count; ++i) {
        const TilePosition<Real> at(of, of.range.first + i);
        const Real* const value = values + i * 2 * of.coils;
        Row row[Count > 0 ? Count : most_vectors<Real, Bytes>(most_coils)];
        if (of.coils == 1 && Count <= most_vectors<Real, Bytes>(1)) {
            Row both{};
            for (std::size_t n = 0; n < length; ++n) {
                both[n] = value[n % 2];
            }
            for (std::size_t n = 0; n < count; ++n) {
                row[n] = vector_at<Bytes>(at.x, n) * both;
            }
        } else {
            for (std::size_t n = 0; n < count; ++n) {
                row[n] = at.x[n / of_point] * vector_at<Bytes>(value, n % of_point);
            }
        }
        for_each_row(of, at, [&](std::size_t first, Real factor) {
            for (std::size_t n = 0; n < count; ++n) {
                vector_at<Bytes>(points + first, n) += factor * row[n];
            }
        });
    }
}

template <typename Real, std::size_t Bytes, std::size_t Count> LSRECON_WIDE_CLONE void
interpolate_rows(const TileSamples<Real>& of, const Real* points, Real* values) {
    using Row = Vector<Real, Bytes>;
    constexpr std::size_t length = Vectors<Real, Bytes>::length;
    const std::size_t count = Count > 0 ? Count : vectors_of<Real, Bytes>(of);
    const std::size_t of_point = 2 * of.coils / length;
    for (std::size_t i = 0; i < of.range.count; ++i) {
        const TilePosition<Real> at(of, of.range.first + i);
        Row row[Count > 0 ? Count : most_vectors<Real, Bytes>(most_coils)];
        for (std::size_t n = 0; n < count; ++n) {
            row[n] = Row{};
        }
        for_each_row(of, at, [&](std::size_t first, Real factor) {
            for (std::size_t n = 0; n < count; ++n) {
                row[n] += factor * vector_at<Bytes>(points + first, n);
            }
        });
        Real* const value = values + i * 2 * of.coils;
        std::fill_n(value, 2 * of.coils, Real(0));
        if (of.coils == 1 && Count <= most_vectors<Real, Bytes>(1)) {
            Row both{};
            for (std::size_t n = 0; n < count; ++n) {
                both += vector_at<Bytes>(at.x, n) * row[n];
            }
            for (std::size_t n = 0; n < length; ++n) {
                value[n % 2] += both[n];
            }
        } else {
            for (std::size_t n = 0; n < count; ++n) {
                vector_at<Bytes>(value, n % of_point) += at.x[n / of_point] * row[n];
            }
        }
    }
}

/// work(bytes of a vector, vectors of a row) as constants; 0 where there are more than a few.
template <typename Real, std::size_t Bytes, std::size_t Count = 1, typename Work>
void with_count(std::size_t vectors, const Work& work) {
    constexpr std::size_t few = 12; // each takes compilers a while
    if (vectors == Count) {
        work(std::integral_constant<std::size_t, Bytes>(),
             std::integral_constant<std::size_t, Count>());
    } else if constexpr (Count < few) {
        with_count<Real, Bytes, Count + 1>(vectors, work);
    } else {
        work(std::integral_constant<std::size_t, Bytes>(),
             std::integral_constant<std::size_t, 0>());
    }
}
/// Long vectors where short ones do not hold a row of one coil, or a point of several does not fit:
/// hardly any row of doubles is so short.
template <typename Real, typename Work>
void with_constants(const TileSamples<Real>& of, const Work& work) {
    constexpr std::size_t half = vector_bytes / 2;
    const std::size_t at_once = 2 * sizeof(Real) * (of.coils == 1 ? of.kernel.width : of.coils);
    if constexpr (std::is_same_v<Real, float>) {
        if (at_once <= half) {
            return with_count<Real, half>(vectors_of<Real, half>(of), work);
        }
    }
    with_count<Real, vector_bytes>(vectors_of<Real, vector_bytes>(of), work);
}

} // namespace

template <typename Real>
void TileSamples<Real>::spread(const std::complex<Real>* values, std::complex<Real>* points) const {
    with_constants(*this, [&](auto bytes, auto count) {
        spread_rows<Real, bytes(), count()>(*this, reinterpret_cast<const Real*>(values),
                                            reinterpret_cast<Real*>(points));
    });
}

template <typename Real> void TileSamples<Real>::interpolate(const std::complex<Real>* points,
                                                             std::complex<Real>* values) const {
    with_constants(*this, [&](auto bytes, auto count) {
        interpolate_rows<Real, bytes(), count()>(*this, reinterpret_cast<const Real*>(points),
                                                 reinterpret_cast<Real*>(values));
    });
}

template struct KernelTable<double>;
template struct KernelTable<float>;
template struct TileSamples<double>;
template struct TileSamples<float>;

} // namespace lsrecon
