#include "base/parked_volume.hpp"

namespace lsrecon {

ComplexVector scaled(ComplexVector values, int exponent) {
    if (exponent != 0) {
        for (Complex& value : values) {
            value = ldexp(value, exponent);
        }
    }
    return values;
}

ComplexVector ParkedVolume::scaled() const {
    return lsrecon::scaled(values, exponent);
}

} // namespace lsrecon
