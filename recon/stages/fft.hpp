#pragma once

#include <memory>

#include "base/types.hpp"

namespace lsrecon {

/// In-place complex transform in up to three dimensions, x fastest, double precision, by FFTW.
/// Neither direction is scaled: forward then backward multiplies by the number of values.
class Fft {
public:
    explicit Fft(const std::array<std::size_t, 3>& extents);
    ~Fft();
    Fft(const Fft&) = delete;
    Fft& operator=(const Fft&) = delete;

    void forward(ComplexVector& values) const; ///< exp(-i 2 pi ...)
    void backward(ComplexVector& values) const; ///< exp(+i 2 pi ...)
    std::size_t count() const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

} // namespace lsrecon
