// Computes finite differences on any device, and finds which of them lie within coil maps.

#include "operators/differences.hpp"

#include "device/host_loops.hpp"
#include "device/kernel.hpp"

namespace lsrecon {

namespace {

/// out(start + n) = f(start + n) (in(n + 1) - in(n)) along dimension d, 0 at its end; f = 1 for
/// null.
template <typename Real> void difference_loops(const std::complex<Real>* in, const GridSize& size,
                                               std::size_t d, const Real* factors,
                                               std::size_t start, std::complex<Real>* out) {
    const Slabs slabs(size, d);
    for_each_block(slabs, [&](std::size_t first, const Range& range) {
        const std::size_t begin = first + range.first * slabs.step;
        const std::size_t at_end = range.first + range.count == slabs.length ? slabs.step : 0;
        const std::size_t count = range.count * slabs.step - at_end;
        const std::complex<Real>* const here = in + begin;
        const std::complex<Real>* const next = here + slabs.step;
        std::complex<Real>* const to = out + start + begin;
        if (factors == nullptr) {
            for_each_in_a_row(count, [=](std::size_t i) { to[i] = next[i] - here[i]; });
        } else {
            const Real* const f = factors + start + begin;
            for_each_in_a_row(count, [=](std::size_t i) { to[i] = (next[i] - here[i]) * f[i]; });
        }
        std::fill_n(to + count, at_end, std::complex<Real>(0));
    });
}

/// out(n) += y(n - 1) - y(n) across slabs, where the first has no y(n - 1) and the last no y(n).
template <typename Value, typename Y> void add_adjoint(const Slabs& slabs, const Y& y, Value* out) {
    if (slabs.length == 1) {
        return;
    }
    const std::size_t step = slabs.step;
    const auto of_first = [=](std::size_t n) { return -y(n); };
    const auto of_inner = [=](std::size_t n) { return y(n - step) - y(n); };
    const auto of_last = [=](std::size_t n) { return y(n - step); };
    const auto add = [=](const auto& change, std::size_t first, std::size_t count) {
        for_each_in_a_row(count, [=](std::size_t i) { out[first + i] += change(first + i); });
    };
    for_each_block(slabs, [&](std::size_t first, const Range& range) {
        const std::size_t end = range.first + range.count;
        const std::size_t begin = std::max<std::size_t>(range.first, 1);
        const std::size_t last = std::min(end, slabs.length - 1);
        if (range.first == 0) {
            add(of_first, first, step);
        }
        if (begin < last) {
            add(of_inner, first + begin * step, (last - begin) * step);
        }
        if (end == slabs.length) {
            add(of_last, first + last * step, step);
        }
    });
}

template <typename Real> void add_difference_adjoint_loops(const std::complex<Real>* in,
                                                           std::size_t start, const GridSize& size,
                                                           std::size_t d, const Real* factors,
                                                           std::complex<Real>* out) {
    const Slabs slabs(size, d);
    const auto plain = [=](std::size_t n) { return in[start + n]; };
    const auto weighted = [=](std::size_t n) { return factors[start + n] * in[start + n]; };
    factors == nullptr ? add_adjoint(slabs, plain, out) : add_adjoint(slabs, weighted, out);
}

constexpr Kernel difference{"differences.cl", "difference", &difference_loops<float>,
                            &difference_loops<double>};
constexpr Kernel difference_adjoint{"differences.cl", "add_difference_adjoint",
                                    &add_difference_adjoint_loops<float>,
                                    &add_difference_adjoint_loops<double>};

} // namespace

void Differences::apply(const Array& in, Array& out) {
    for (std::size_t d = 0; d < components(); ++d) {
        difference.run(device_, grid_.size, in, grid_.size, d, factors_, d * inputs(), out);
    }
}

void Differences::adjoint(const Array& in, Array& out) {
    device_.combine(0, out, 0, out);
    for (std::size_t d = 0; d < components(); ++d) {
        difference_adjoint.run(device_, grid_.size, in, d * inputs(), grid_.size, d, factors_, out);
    }
}

RealVector differences_within(const RealVector& seen, const Grid& grid) {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    RealVector factors = RealVector::Zero(grid.dimensions * voxels);
    Eigen::Index stride = 1;
    for (Eigen::Index d = 0; d < grid.dimensions; ++d) {
        const Eigen::Index steps = voxels - stride; // some go on at the next row: those are 0
        factors.segment(d * voxels, steps) = seen.head(steps).cwiseProduct(seen.tail(steps));
        stride *= static_cast<Eigen::Index>(grid.size[static_cast<std::size_t>(d)]);
    }
    return factors;
}

} // namespace lsrecon
