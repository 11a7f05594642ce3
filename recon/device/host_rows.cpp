#include "device/host_rows.hpp"

#include <type_traits>

#include "base/vector_clones.hpp"

namespace lsrecon {

namespace {

/// Sums that are added up side by side: vectors of any width give the same bits.
constexpr std::size_t lanes = 8;

/// Knuth, TAOCP 2, 4.2.2, TwoSum.
inline void add_to(double& high, double& low, double part) {
    const double sum = high + part;
    const double back = sum - high;
    low += (high - (sum - back)) + (part - back);
    high = sum;
}

} // namespace

double total(const std::vector<TwoPartSum>& sums) {
    TwoPartSum all;
    for (const TwoPartSum& sum : sums) {
        add_to(all.first, all.second, sum.first);
        all.second += sum.second;
    }
    return all.first + all.second;
}

template <typename Real> LSRECON_AVX2_CLONE void
HostRows<Real>::combine(Real a, const Real* x, Real b, Real* y, std::size_t count) {
    if (b == 0) {
        for (std::size_t i = 0; i < count; ++i) {
            y[i] = a * x[i];
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = a * x[i] + b * y[i];
    }
}

// Products of floats are exact in double precision, where their sums round far less than they did
// when they were made.
template <typename Real>
LSRECON_AVX2_CLONE TwoPartSum HostRows<Real>::dot(const Real* x, const Real* y, std::size_t count) {
    double high[lanes] = {};
    double low[lanes] = {};
    const auto add = [&](std::size_t lane, std::size_t i) {
        const double product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
        if constexpr (std::is_same_v<Real, float>) {
            high[lane] += product;
        } else {
            add_to(high[lane], low[lane], product);
        }
    };
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) {
            add(l, i + l);
        }
    }
    for (; i < count; ++i) {
        add(i % lanes, i);
    }
    TwoPartSum all;
    for (std::size_t l = 0; l < lanes; ++l) {
        add_to(all.first, all.second, high[l]);
        all.second += low[l];
    }
    return all;
}

template <typename Real> LSRECON_AVX2_CLONE void
HostRows<Real>::difference(const Real* a, const Real* b, Real* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = a[i] - b[i];
    }
}

template <typename Real>
LSRECON_AVX2_CLONE void HostRows<Real>::add_difference(const Real* a, const Real* b,
                                                       Real* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] += a[i] - b[i];
    }
}

template <typename Real>
LSRECON_AVX2_CLONE void HostRows<Real>::sum_of_rows(const Coefficients& a, const Rows& x,
                                                    Real* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = a[0] * x[0][i] + a[1] * x[1][i] + a[2] * x[2][i] + a[3] * x[3][i];
    }
}

template <typename Real>
LSRECON_AVX2_CLONE void HostRows<Real>::add_sum_of_rows(const Coefficients& a, const Rows& x,
                                                        Real* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] += a[0] * x[0][i] + a[1] * x[1][i] + a[2] * x[2][i] + a[3] * x[3][i];
    }
}

template <typename Real> LSRECON_AVX2_CLONE void
HostRows<Real>::add_squares(const Real* y, double* __restrict squares, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        const double real = y[2 * n];
        const double imaginary = y[2 * n + 1];
        squares[n] += real * real + imaginary * imaginary;
    }
}

template <typename Real> template <typename Factor> LSRECON_AVX2_CLONE void
HostRows<Real>::multiply(const Factor* f, Real* __restrict y, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        y[2 * n] *= static_cast<Real>(f[n]);
        y[2 * n + 1] *= static_cast<Real>(f[n]);
    }
}

template <typename Real>
LSRECON_AVX2_CLONE void HostRows<Real>::add_product(Real sign, const Real* f, const Real* y,
                                                    Real* __restrict out, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        out[2 * n] += sign * f[n] * y[2 * n];
        out[2 * n + 1] += sign * f[n] * y[2 * n + 1];
    }
}

template <typename Real> LSRECON_AVX2_CLONE void
HostRows<Real>::add_difference_of_products(const Real* f, const Real* a, const Real* g,
                                           const Real* b, Real* __restrict out, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        out[2 * n] += f[n] * a[2 * n] - g[n] * b[2 * n];
        out[2 * n + 1] += f[n] * a[2 * n + 1] - g[n] * b[2 * n + 1];
    }
}

template struct HostRows<float>;
template struct HostRows<double>;
template void HostRows<float>::multiply(const float*, float*, std::size_t);
template void HostRows<float>::multiply(const double*, float*, std::size_t);
template void HostRows<double>::multiply(const double*, double*, std::size_t);

} // namespace lsrecon
