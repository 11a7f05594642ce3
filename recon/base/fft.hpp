// FFTs on the host, whole and of a few frequencies.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// The next product of 2, 3, 5 and 7, lengths at which every FFT is fast and accurate.
std::size_t fast_length(std::size_t least);

/// Cores for transforms of so many values.
std::size_t cores_for_fft(std::size_t values);

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
    ///     c(x) = backward(even * forward(x)) + conj(t) backward(odd * forward(t x)).
    /// L is the length of the slowest dimension that is longer than 1, and t = exp(-i pi n / L)
    /// along it: a circular convolution with period 2L there, whose spectrum is `even` at even
    /// frequencies and `odd` at odd ones. With `of_odd`, spectra of odd frequencies of the fastest
    /// of two dimensions or more, whose twist is u, it stores c(x) + conj(u) c'(u x).
    /// `workspace` is for one array, or two then. On every core, or, with the memory of a thread
    /// for its lines, on this one alone.
    void convolve(const Spectra& spectra, const Spectra* of_odd, const Lines& lines,
                  std::complex<Real>* workspace, Scratch* alone) const;
    /// The memory in which a thread convolves again and again.
    std::shared_ptr<Scratch> scratch() const;

    static std::string version(); ///< version of the library: "fftw-3.3.10"

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

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
