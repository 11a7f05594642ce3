// The plans of FFTW for a few lines of an array at a time, from which base/fft.cpp builds its FFTs.

#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <fftw3.h>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "base/ranges.hpp"

namespace lsrecon {

/// FFTW has one set of functions a precision.
template <typename Real> struct Fftw;

template <> struct Fftw<double> {
    using Plan = fftw_plan;
    using Value = fftw_complex;
    static constexpr auto plan = &fftw_plan_many_dft;
    static constexpr auto execute = &fftw_execute_dft;
    static constexpr auto destroy = &fftw_destroy_plan;
    static constexpr auto allocate = &fftw_malloc;
    static constexpr auto release = &fftw_free;
    static constexpr auto alignment = &fftw_alignment_of;
    static std::string version() { return fftw_version; }
};

template <> struct Fftw<float> {
    using Plan = fftwf_plan;
    using Value = fftwf_complex;
    static constexpr auto plan = &fftwf_plan_many_dft;
    static constexpr auto execute = &fftwf_execute_dft;
    static constexpr auto destroy = &fftwf_destroy_plan;
    static constexpr auto allocate = &fftwf_malloc;
    static constexpr auto release = &fftwf_free;
    static constexpr auto alignment = &fftwf_alignment_of;
    static std::string version() { return fftwf_version; }
};

/// Lines that are transformed together, one after the other in memory of their own: as many doubles
/// as two lines of a cache. FFTW's own way over columns, when it does not measure, takes 3 to 20
/// times as long (256 x 256), in place 1.6 times, and what it chooses when it measures differs from
/// run to run.
constexpr std::size_t together = 8;

/// Whether memory is aligned as FFTW's own is.
template <typename Real> bool is_aligned(const std::complex<Real>* values) {
    return Fftw<Real>::alignment(
               reinterpret_cast<Real*>(const_cast<std::complex<Real>*>(values))) == 0;
}

/// A line of an array: its values are `step` apart.
struct LineShape {
    std::size_t length;
    std::size_t step;

    /// The distance from one line to the next in LineBlock. Gathered lines are padded by one line
    /// of the cache: at a distance of a power of two they would all fall into the same sets of it.
    template <typename Real> std::size_t distance() const {
        return step == 1 ? length : length + 64 / sizeof(std::complex<Real>);
    }
};

/// `together` lines, one after the other, aligned for FFTW.
template <typename Real> class LineBlock {
public:
    using Value = std::complex<Real>;
    explicit LineBlock(const LineShape& shape)
        : shape_(shape), distance_(shape.template distance<Real>()),
          values_(static_cast<Value*>(Fftw<Real>::allocate(together * distance_ * sizeof(Value)))) {
        if (!values_) {
            throw std::bad_alloc();
        }
        std::fill_n(values_.get(), together * distance_, Value(0));
    }

    /// `count` lines from an array: beside each other there, or one after the other where their
    /// step is 1.
    void gather(const Value* from, std::size_t count) { gather(from, count, all()); }
    void scatter(Value* to, std::size_t count) const { scatter(to, count, all()); }
    /// Gathers or scatters these values of each line alone.
    void gather(const Value* from, std::size_t count, const Range& part) {
        visit(from, count, part, [](Value& value, const Value& there) { copy(there, value); });
    }
    void scatter(Value* to, std::size_t count, const Range& part) const {
        visit(to, count, part, [](const Value& value, Value& there) { copy(value, there); });
    }
    /// Multiplies them by real numbers that stand as they do in their array.
    void multiply_by_spectrum(const Real* spectrum, std::size_t count) {
        visit(spectrum, count, all(), [](Value& value, Real f) { value *= f; });
    }
    Value* line(std::size_t index) { return values_.get() + index * distance_; }
    Value* data() { return values_.get(); }

private:
    /// Copies both parts at once, where a compiler would move the real and the imaginary part.
    static void copy(const Value& from, Value& to) { std::memcpy(&to, &from, sizeof(Value)); }

    Range all() const { return {0, shape_.length}; }

    /// Calls use(value of the block, value at the same position in `array`) for the values `part`
    /// of each line. Contiguous lines (step 1) ignore `part`.
    template <typename Other, typename Use>
    void visit(Other* array, std::size_t count, const Range& part, const Use& use) const {
        if (shape_.step == 1) {
            visit_rows(array, 1, {0, count * shape_.length},
                       std::integral_constant<std::size_t, 1>(), use);
        } else if (count == together) { // a constant, of which compilers make vectors
            visit_rows(array, shape_.step, part, std::integral_constant<std::size_t, together>(),
                       use);
        } else {
            visit_rows(array, shape_.step, part, count, use);
        }
    }
    /// Asks for the values of the next lines, too, where all are more than a cache holds: what is
    /// far apart is not foreseen by processors.
    template <typename Other, typename Count, typename Use>
    void visit_rows(Other* __restrict array, std::size_t step, const Range& rows, const Count count,
                    const Use& use) const {
        constexpr std::size_t in_cache = std::size_t(1) << 20; // bytes
        constexpr std::size_t of_cache_line = 64 / sizeof(Other);
        Value* __restrict const values = values_.get();
        const std::size_t distance = distance_;
        const std::size_t next = step * rows.count * sizeof(Other) > in_cache ? count : 0;
        for (std::size_t n = rows.first; n < rows.first + rows.count; ++n) {
            for (std::size_t i = 0; i < next; i += of_cache_line) {
                prefetch(array + n * step + next + i);
            }
            for (std::size_t line = 0; line < count; ++line) {
                use(values[line * distance + n], array[n * step + line]);
            }
        }
    }
    static void prefetch(const void* address) {
#ifdef __GNUC__
        __builtin_prefetch(address);
#else
        static_cast<void>(address);
#endif
    }

    struct Release {
        void operator()(Value* values) const { Fftw<Real>::release(values); }
    };
    LineShape shape_;
    std::size_t distance_;
    std::unique_ptr<Value, Release> values_;
};

enum class Direction { forward, backward };

/// FFTW's plans for `together` lines.
template <typename Real> class LinePlans {
public:
    /// DeviceError when there is no plan.
    explicit LinePlans(const LineShape& shape);

    /// From lines that stand as in LineBlock to others that do: aligned as it is.
    void transform(Direction direction, std::complex<Real>* from, std::complex<Real>* to) const {
        using Raw = typename Fftw<Real>::Value;
        Fftw<Real>::execute((direction == Direction::forward ? forward_ : backward_).get(),
                            reinterpret_cast<Raw*>(from), reinterpret_cast<Raw*>(to));
    }

private:
    using Plan = typename Fftw<Real>::Plan;
    struct Destroy {
        void operator()(std::remove_pointer_t<Plan>* plan) const;
    };
    using Owned = std::unique_ptr<std::remove_pointer_t<Plan>, Destroy>;
    Owned forward_;
    Owned backward_;
};

} // namespace lsrecon
