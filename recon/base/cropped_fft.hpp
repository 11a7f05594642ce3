#pragma once

#include <functional>
#include <memory>

#include "base/types.hpp"

namespace lsrecon {

/// Complex transforms, in float or double, of which frequencies -K / 2 to (K - 1) / 2 alone, K =
/// kept[d] in each dimension, are not 0 before forward(), or wanted after backward(). Frequency f
/// is at f modulo the extent. No direction is scaled. Both run on every core.
template <typename Real> class CroppedFft {
public:
    using Value = std::complex<Real>;
    using Extents = std::array<std::size_t, 3>;
    /// Arrays in memory: value a at (x, y, z) is at
    ///     ((z padded[1] + y) padded[0] + x) arrays + a.
    struct Shape {
        Extents extents; ///< of the transform
        Extents kept;
        Extents padded; ///< of memory, which has more points along x and y where they are larger
        std::size_t arrays; ///< arrays that are transformed side by side: 1 to 8
    };

    explicit CroppedFft(const Shape& shape);
    ~CroppedFft();
    CroppedFft(const CroppedFft&) = delete;
    CroppedFft& operator=(const CroppedFft&) = delete;

    /// Row r of the frequencies of x is the one of y = r mod kept[1] and z = r / kept[1], whole:
    /// what load() does not write stays 0. Several threads call them.
    using Load = std::function<void(std::size_t array, std::size_t r, Value* row)>;
    using Store = std::function<void(std::size_t array, std::size_t r, const Value* row)>;
    void forward(const Load& load, Value* values) const; ///< exp(-i 2 pi ...)
    void backward(const Store& store, Value* values) const; ///< exp(+i 2 pi ...)

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

} // namespace lsrecon
