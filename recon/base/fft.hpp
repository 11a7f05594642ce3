#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// The next product of 2, 3, 5 and 7, lengths at which every FFT is fast and accurate.
std::size_t fast_length(std::size_t least);

/// In-place complex transforms in up to three dimensions, x fastest, in double or float, of `batch`
/// arrays one after the other, by FFTW on every core. Neither direction is scaled: forward then
/// backward multiplies by the number of values of one array.
template <typename Real> class Fft {
public:
    explicit Fft(const std::array<std::size_t, 3>& extents, std::size_t batch = 1);
    ~Fft();
    Fft(const Fft&) = delete;
    Fft& operator=(const Fft&) = delete;

    struct Scratch;
    void forward(std::complex<Real>* values) const; ///< exp(-i 2 pi ...)
    void backward(std::complex<Real>* values) const; ///< exp(+i 2 pi ...)
    std::size_t count() const; ///< number of values of one array

    /// Real numbers, one a value of an array.
    struct Spectra {
        const Real* even;
        const Real* odd; ///< or null
    };
    /// Values [first, first + count) of an array, lines of its fastest dimension, from
    /// several threads at once.
    struct Lines {
        std::function<void(std::size_t first, std::size_t count, std::complex<Real>* to)> load;
        std::function<void(std::size_t first, std::size_t count, const std::complex<Real>* from)>
            store;
    };
    /// Stores of the array x, of two values or more, that is loaded,
    ///     backward(even * forward(x)) + conj(t) backward(odd * forward(t x)).
    /// L is the length of the slowest dimension that is longer than 1, and t = exp(-i pi n / L)
    /// along it: a circular convolution with period 2L there, whose spectrum is `even` at even
    /// frequencies and `odd` at odd ones. `workspace` is for one array. On every core, or, with
    /// the memory of a thread for its lines, on this one alone.
    void convolve(const Spectra& spectra, const Lines& lines, std::complex<Real>* workspace,
                  Scratch* alone) const;
    /// The memory in which a thread convolves again and again.
    std::shared_ptr<Scratch> scratch() const;

    static std::string version(); ///< version of the library: "fftw-3.3.10"

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

} // namespace lsrecon
