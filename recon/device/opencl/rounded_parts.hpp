#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/float_range.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "base/types.hpp"

namespace lsrecon::opencl {

/// Calls write(part, range) with values times 2^exponent, rounded to Real, a part at a time: all of
/// them as they are where nothing changes.
template <typename Real, typename Value, typename Write> void
for_each_rounded_part(const Value* values, std::size_t count, int exponent, const Write& write) {
    constexpr std::size_t values_at_a_time = std::size_t(1) << 20;
    constexpr bool complex = Eigen::NumTraits<Value>::IsComplex;
    using Stored = std::conditional_t<complex, std::complex<Real>, Real>;
    if constexpr (std::is_same_v<Value, Stored>) {
        if (exponent == 0) {
            return write(values, Range{0, count});
        }
    }
    const PowerOfTwo scale(exponent);
    std::vector<Stored> some(std::min(count, values_at_a_time));
    for (const Range& range : split_into_ranges(count, values_at_a_time)) {
        for_each_range_in_parallel(range.count, cores_for(range.count), [&](const Range& part) {
            const Value* from = values + range.first + part.first;
            std::transform(from, from + part.count, some.begin() + static_cast<long>(part.first),
                           [&](const Value& value) { return scaled_to<Stored>(value, scale); });
        });
        write(some.data(), range);
    }
}

} // namespace lsrecon::opencl
