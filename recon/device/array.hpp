#pragma once

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

} // namespace lsrecon
