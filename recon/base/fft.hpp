#pragma once

#include <memory>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// In-place complex transforms in up to three dimensions, x fastest, in double or float, of `batch`
/// arrays one after the other, by FFTW on every core. Neither direction is scaled: forward then
/// backward multiplies by the number of values of one array.
template <typename Real> class Fft {
public:
    explicit Fft(const std::array<std::size_t, 3>& extents, std::size_t batch = 1);
    ~Fft();
    Fft(const Fft&) = delete;
    Fft& operator=(const Fft&) = delete;

    void forward(std::complex<Real>* values) const; ///< exp(-i 2 pi ...)
    void backward(std::complex<Real>* values) const; ///< exp(+i 2 pi ...)
    std::size_t count() const; ///< of one array

    static std::string version(); ///< of the library: "fftw-3.3.10"

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

} // namespace lsrecon
