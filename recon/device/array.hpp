// Arrays of numbers in the memory of a device.

#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "base/types.hpp"

namespace lsrecon {

/// The type of the numbers of an array.
struct Element {
    bool complex = true;
    Precision precision = Precision::float64;

    std::size_t bytes() const { return (complex ? 2 : 1) * bytes_of(precision); }
};

/// Numbers in the memory of one device, contiguous. A handle: copies name the same numbers, which
/// live as long as one of them. A Device makes it, and it alone reads and writes the numbers.
class Array {
public:
    /// The memory that a device keeps the numbers in.
    struct Memory {
        virtual ~Memory() = default;
    };

    Array() = default; ///< no numbers
    Array(std::size_t count, Element element, std::shared_ptr<Memory> memory)
        : count_(count), element_(element), memory_(std::move(memory)) {}

    std::size_t count() const { return count_; }
    Element element() const { return element_; }
    bool empty() const { return count_ == 0; }
    std::size_t bytes() const { return count_ * element_.bytes(); }
    Memory* memory() const { return memory_.get(); }

private:
    std::size_t count_ = 0;
    Element element_;
    std::shared_ptr<Memory> memory_;
};

/// The memory of an array whose numbers the host reads and writes where they are.
struct HostNumbers : Array::Memory {
    /// The first number, when nothing else uses them any more. For the thread that owns the device.
    virtual void* begin() = 0;
};

/// The numbers of an array whose memory is HostNumbers.
template <typename Number> Number* numbers(const Array& array) {
    return static_cast<Number*>(static_cast<HostNumbers*>(array.memory())->begin());
}

template <typename Real> std::complex<Real>* values(const Array& array) {
    return numbers<std::complex<Real>>(array);
}

/// work(a number in the precision of the array), for its type.
template <typename Work> auto in_precision_of(const Array& array, const Work& work) {
    return array.element().precision == Precision::float64 ? work(double()) : work(float());
}

} // namespace lsrecon
