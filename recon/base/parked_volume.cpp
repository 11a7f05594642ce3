#include "base/parked_volume.hpp"

#include "base/parallel.hpp"

namespace lsrecon {

ComplexVector scaled(ComplexVector values, int exponent) {
    if (exponent != 0) {
        const auto count = static_cast<std::size_t>(values.size());
        for_each_range_in_parallel(count, cores_for(count), [&](const Range& range) {
            for (std::size_t n = range.first; n < range.first + range.count; ++n) {
                Complex& value = values(static_cast<Eigen::Index>(n));
                value = ldexp(value, exponent);
            }
        });
    }
    return values;
}

ComplexVector ParkedVolume::scaled() const {
    return lsrecon::scaled(values, exponent);
}

} // namespace lsrecon
