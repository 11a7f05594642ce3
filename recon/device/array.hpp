#pragma once

#include <cstddef>
#include <memory>

#include "base/precision.hpp"

namespace lsrecon {

/// What one number of an array is.
struct Element {
    bool complex = true;
    Precision precision = Precision::float64;

    std::size_t bytes() const { return (complex ? 2 : 1) * bytes_of(precision); }
};

/// Numbers in the memory of one device, contiguous. A handle: copies name the same numbers, which
/// live as long as one of them. A Device makes it, and it alone reads and writes the numbers.
class Array {
public:
    /// What a device keeps the numbers in.
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

/// As many numbers of an array as whoever takes them says: the component of this index, of
/// components one after the other.
struct Component {
    Array array;
    std::size_t index = 0;
};

} // namespace lsrecon
