// The verbs of HostDevice on a grid.

#include <cmath>
#include <limits>

#include "device/host_device.hpp"
#include "device/host_fft.hpp"
#include "device/host_grid.hpp"
#include "device/host_numbers.hpp"

namespace lsrecon {

namespace {

template <typename Real>
std::complex<Real>* values_at(const Component& component, const GridSize& size) {
    return values<Real>(component.array) + component.index * size[0] * size[1] * size[2];
}

/// Null for none.
template <typename Real> const Real* factors_from(const Array& factors, std::size_t first) {
    return factors.empty() ? nullptr : numbers<Real>(factors) + first;
}

/// Their signs alternate, and their order is reversed.
template <typename Coefficients> Coefficients high_pass_of(const Coefficients& low) {
    return {low[3], -low[2], low[1], -low[0]};
}

template <typename Real> typename HostRows<Real>::Coefficients rounded(const Taps& taps) {
    typename HostRows<Real>::Coefficients result;
    std::transform(taps.begin(), taps.end(), result.begin(),
                   [](double tap) { return static_cast<Real>(tap); });
    return result;
}

} // namespace

void HostDevice::difference(const GridSize& size, std::size_t d, const Array& factors,
                            const Array& in, std::size_t component, Array& out) {
    in_precision_of(in, [&](auto real) {
        using Real = decltype(real);
        const std::size_t first = component * in.count();
        lsrecon::difference<Real>(Slabs(size, d), factors_from<Real>(factors, first),
                                  values<Real>(in), values<Real>(out) + first);
    });
}

void HostDevice::add_difference_adjoint(const GridSize& size, std::size_t d, const Array& factors,
                                        std::size_t component, const Array& in, Array& out) {
    in_precision_of(in, [&](auto real) {
        using Real = decltype(real);
        const std::size_t first = component * out.count();
        lsrecon::add_difference_adjoint<Real>(Slabs(size, d), factors_from<Real>(factors, first),
                                              values<Real>(in) + first, values<Real>(out));
    });
}

void HostDevice::filter(const GridSize& size, std::size_t d, std::size_t step, const Taps& taps,
                        const Component& in, const Component& low, const Component& high) {
    in_precision_of(in.array, [&](auto real) {
        using Real = decltype(real);
        const auto low_pass = rounded<Real>(taps);
        const Slabs slabs(size, d);
        const std::complex<Real>* const from = values_at<Real>(in, size);
        const long steps = static_cast<long>(step);
        add_up_filters<Real>(slabs, steps, {{low_pass, from}}, values_at<Real>(low, size));
        add_up_filters<Real>(slabs, steps, {{high_pass_of(low_pass), from}},
                             values_at<Real>(high, size));
    });
}

void HostDevice::filter_adjoint(const GridSize& size, std::size_t d, std::size_t step,
                                const Taps& taps, const Component& low, const Component& high,
                                const Component& out) {
    in_precision_of(out.array, [&](auto real) {
        using Real = decltype(real);
        const auto low_pass = rounded<Real>(taps);
        add_up_filters<Real>(Slabs(size, d), -static_cast<long>(step),
                             {{low_pass, values_at<Real>(low, size)},
                              {high_pass_of(low_pass), values_at<Real>(high, size)}},
                             values_at<Real>(out, size));
    });
}

void HostDevice::interleave(const GridSize& size, const Array& in, Array& out) {
    in_precision_of(in, [&](auto real) {
        const auto* const from = values<decltype(real)>(in);
        auto* const to = values<decltype(real)>(out);
        for_each_interleaved_voxel(size,
                                   [&](std::size_t n, std::size_t place) { to[place] = from[n]; });
    });
}

void HostDevice::deinterleave(const GridSize& size, const Array& in, Array& out) {
    in_precision_of(in, [&](auto real) {
        const auto* const from = values<decltype(real)>(in);
        auto* const to = values<decltype(real)>(out);
        for_each_interleaved_voxel(size,
                                   [&](std::size_t n, std::size_t place) { to[n] = from[place]; });
    });
}

void HostDevice::multiply_in_cosines(const GridSize& size, const Array& phase_factors,
                                     const Array& f, Array& y) {
    in_precision_of(y, [&](auto real) {
        using Real = decltype(real);
        using Value = std::complex<Real>;
        const Real half_root = std::sqrt(Real(0.5));
        const auto times_i = [](const Value& a) { return Value(-a.imag(), a.real()); };
        const auto in_each_dimension = [&](const auto& visit) {
            const Value* w = values<Real>(phase_factors);
            for (std::size_t d = 0; d < 3; w += size[d++]) {
                for_each_pair_in_slabs(Slabs(size, d), w, values<Real>(y), visit);
            }
        };
        in_each_dimension([&](const Value& w, Value& a, Value& b) {
            const Value p = product(w, a);
            const Value q = product(std::conj(w), b);
            a = half_root * (p + q);
            b = half_root * times_i(p - q);
        });
        multiply(f, 0, f.count(), y);
        in_each_dimension([&](const Value& w, Value& a, Value& b) {
            const Value p = a;
            const Value q = times_i(b);
            a = half_root * product(std::conj(w), p - q);
            b = half_root * product(w, p + q);
        });
    });
}

// In doubles: roots of floats that are taken several at a time are not right to the last bit.
void HostDevice::shrink(std::size_t first, std::size_t count, std::size_t parts, double length,
                        Array& y) {
    constexpr std::size_t at_a_time = 1024;
    in_precision_of(y, [&](auto real) {
        using Real = decltype(real);
        Real* const begin = numbers<Real>(y) + 2 * first;
        const auto shorten = [&](const Range& range, Eigen::ArrayXd& factors) {
            const auto part = [&](std::size_t i) { return begin + 2 * (i * count + range.first); };
            factors.setZero(static_cast<Eigen::Index>(range.count));
            for (std::size_t i = 0; i < parts; ++i) {
                HostRows<Real>::add_squares(part(i), factors.data(), range.count);
            }
            // Of vectors of length 0 any will do, but no quotient 0 / 0.
            constexpr double smallest = std::numeric_limits<double>::min();
            factors = (1 - length / factors.sqrt().max(smallest)).max(0.0);
            for (std::size_t i = 0; i < parts; ++i) {
                HostRows<Real>::multiply(factors.data(), part(i), range.count);
            }
        };
        for_each_range_in_parallel(count, cores_for(parts * count), [&](const Range& some) {
            Eigen::ArrayXd factors;
            for (const Range& range : split_into_ranges(some.count, at_a_time)) {
                shorten({some.first + range.first, range.count}, factors);
            }
        });
    });
}

std::unique_ptr<FftPlan> HostDevice::plan_fft(const GridSize& extents, std::size_t batch,
                                              Precision precision) {
    return make_host_fft(*this, extents, batch, precision);
}

} // namespace lsrecon
