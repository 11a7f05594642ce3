#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/float_range.hpp"
#include "base/types.hpp"

namespace lsrecon {

using FileBytes = std::vector<char>;

/// Takes bytes of a file's values, in order.
using TakeBytes = std::function<void(const void* bytes, std::size_t size)>;
/// Gives the values of one of several parts, in as many pieces as it likes.
using PartValues = std::function<void(std::size_t part, const TakeBytes& take)>;

/// The values of a frame as a file holds them, complex numbers of floats or of doubles, while they
/// come in any order.
class FileValues {
public:
    FileValues(std::size_t count, Precision precision) : count_(count), precision_(precision) {}

    /// Values number `first` and those that follow. DeviceError when one is not finite,
    /// ToleranceError when one is beyond the precision's range.
    void put(std::size_t first, const ComplexVector& values);

    double largest_part() const { return largest_.value(); }
    FileBytes bytes() && { return std::move(bytes_); }

private:
    std::size_t count_;
    Precision precision_;
    FileBytes bytes_; ///< none before the first values come: it may be long until they do
    LargestPart largest_;
};

} // namespace lsrecon
