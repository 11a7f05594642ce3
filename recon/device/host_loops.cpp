// The inner loops of combinations and dot products, for vector units; sums have the same bits at
// any width.

#include "device/host_loops.hpp"

#include <type_traits>

#include "base/parallel.hpp"

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

template struct HostRows<float>;
template struct HostRows<double>;

} // namespace lsrecon
