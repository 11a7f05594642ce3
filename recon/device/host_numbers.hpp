#pragma once

#include <complex>

#include "device/array.hpp"

namespace lsrecon {

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
