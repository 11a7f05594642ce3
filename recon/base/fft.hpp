#pragma once

#include <memory>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// In-place complex transform in up to three dimensions, x fastest, in double or float, by FFTW on
/// every core. Neither direction is scaled: forward then backward multiplies by the number of
/// values.
template <typename Real> class Fft {
public:
    explicit Fft(const std::array<std::size_t, 3>& extents);
    ~Fft();
    Fft(const Fft&) = delete;
    Fft& operator=(const Fft&) = delete;

    void forward(std::complex<Real>* values) const; ///< exp(-i 2 pi ...)
    void backward(std::complex<Real>* values) const; ///< exp(+i 2 pi ...)
    std::size_t count() const;

    static std::string version(); ///< of the library: "fftw-3.3.10"

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

} // namespace lsrecon
