#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/linear_algebra.hpp"
#include "device/device.hpp"

namespace lsrecon {

/// The work of pad and crop (recon/device/device.hpp), some rows of x at a time, in the host's
/// memory: for boxes that begin at 0 and are no longer than their period. Maps may be in another
/// precision.
template <typename Real, typename Map> class BoxLines {
public:
    using Value = std::complex<Real>;

    /// `factors` are those of the box. A null map stands for 1. `memory` is for three rows of x of
    /// the only thread that calls; null where several do.
    BoxLines(const Box& box, const Value* factors, const std::complex<Map>* map,
             Value* memory = nullptr)
        : box_(box), factors_(factors), map_(map), memory_(memory),
          plain_(std::all_of(factors, factors + box.size[0] + box.size[1] + box.size[2],
                             [](const Value& factor) { return factor == Value(1); })) {}

    /// Points of the period: factors(n) map(n) in(n), and 0 where no value is.
    void pad(const Range& points, const Value* in, Value* out) const {
        for_each_row(points, [&](const Row& row, Value* turned, Value* of_map) {
            Value* const to = out + row.first;
            if (!row.inside) {
                std::fill_n(to, box_.extents[0], Value(0));
                return;
            }
            const Value* values = in + row.n;
            if (row.factors != nullptr) {
                Of::multiply(row.factors, values, turned, length());
                values = turned;
            }
            if (map_ != nullptr) {
                Of::multiply(map_from(row.n, of_map), values, to, length());
            } else {
                std::copy_n(values, length(), to);
            }
            std::fill(to + length(), to + box_.extents[0], Value(0));
        });
    }
    /// out(n) += conj(factors(n) map(n)) times the points of the period.
    void crop(const Range& points, const Value* in, Value* out) const {
        for_each_row(points, [&](const Row& row, Value* turned, Value* of_map) {
            if (!row.inside) {
                return;
            }
            const Value* values = in + row.first;
            if (row.factors != nullptr) {
                Of::multiply_conjugate(row.factors, values, turned, length());
                values = turned;
            }
            Value* const to = out + row.n;
            if (map_ != nullptr) {
                Of::add_conjugate_product(map_from(row.n, of_map), values, to, length());
            } else {
                std::transform(values, values + length(), to, to, std::plus<Value>());
            }
        });
    }

private:
    using Of = ComplexRows<Real>;
    struct Row {
        std::size_t first; ///< point, counted from those that are asked for
        bool inside; ///< the box
        std::size_t n; ///< its first value
        const Value* factors; ///< or null, for 1
    };

    std::size_t length() const { return box_.size[0]; }

    /// visit(row, memory for as many values, and for as many again)
    template <typename Visit> void for_each_row(const Range& points, const Visit& visit) const {
        std::vector<Value> own(memory_ == nullptr ? 3 * length() : 0);
        Value* const memory = memory_ == nullptr ? own.data() : memory_;
        Value* const factors = memory + 2 * length();
        std::optional<Value> known; // those of y and z in the factors
        for (std::size_t first = 0; first < points.count; first += box_.extents[0]) {
            const std::size_t yz = (points.first + first) / box_.extents[0];
            const std::size_t y = yz % box_.extents[1];
            const std::size_t z = yz / box_.extents[1];
            const bool inside = y < box_.size[1] && z < box_.size[2];
            if (inside && !plain_) {
                const Value of_yz =
                    product(factors_[length() + y], factors_[length() + box_.size[1] + z]);
                if (!known || of_yz != *known) {
                    std::transform(factors_, factors_ + length(), factors,
                                   [&](const Value& of_x) { return product(of_yz, of_x); });
                    known = of_yz;
                }
            }
            visit({first, inside, (z * box_.size[1] + y) * length(), plain_ ? nullptr : factors},
                  memory, memory + length());
        }
    }

    /// The map of a row, in the precision of the values.
    const Value* map_from(std::size_t n, Value* memory) const {
        if constexpr (std::is_same_v<Real, Map>) {
            return map_ + n;
        } else {
            std::copy_n(map_ + n, length(), memory);
            return memory;
        }
    }

    const Box& box_;
    const Value* factors_;
    const std::complex<Map>* map_;
    Value* const memory_;
    bool plain_; ///< all factors are 1
};

} // namespace lsrecon
