#pragma once

#include <optional>

#include "base/precision.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// A volume's numbers in the memory of the host, of which the same volume (device/volume.hpp) is
/// made again, bit for bit.
struct ParkedVolume {
    ComplexVector values; ///< stored values; each stands for it times 2^exponent
    std::optional<Precision> of_array = {}; ///< none for values on the host
    int exponent = 0;

    ComplexVector scaled() const;
};

/// values times 2^exponent
ComplexVector scaled(ComplexVector values, int exponent);

} // namespace lsrecon
