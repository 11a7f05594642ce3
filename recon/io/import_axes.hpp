// The axes of an array, and how those of samples belong to those of a trajectory.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/arrays.hpp"

namespace lsrecon {

struct ArrayAxis {
    std::size_t size;
    std::size_t stride; ///< values from one index to the next
};
/// The slowest first.
using ArrayAxes = std::vector<ArrayAxis>;

/// The axes of more than one value.
ArrayAxes axes_of(const StoredArray& array);
std::vector<std::size_t> sizes_of(const ArrayAxes& axes);
std::size_t count_of(const ArrayAxes& axes);
/// The offset of every value of these axes, the last one fastest.
std::vector<std::size_t> offsets_of(const ArrayAxes& axes);

/// The values of an array, complex ones from two parts where it has these as an axis of 2.
struct ComplexArray {
    CoilRows values; ///< one row
    ArrayAxes axes; ///< but for that of the parts
    std::optional<std::size_t> part; ///< stride of the imaginary part, of real numbers
    std::string said; ///< how the parts were found, "" where the numbers are complex

    Complex at(std::size_t offset) const {
        const Complex value = values(0, offset);
        return part ? Complex(value.real(), values(0, offset + *part).real()) : value;
    }
};
/// InputError for real numbers without an axis of 2 at its end or its begin.
ComplexArray complex_array(const StoredArray& array);

/// Axes of samples by what they are.
struct SampleAxes {
    ArrayAxes frames;
    ArrayAxes coils;
    ArrayAxes points; ///< in the order of the trajectory
    std::string said; ///< what is other than [frame, coil, sample]
};

/// The axes of an array of BART by its dimensions: points in the first three, coils in the fourth,
/// frames in all others.
SampleAxes axes_of_bart(const StoredArray& array);

/// Finds the points of a trajectory, whose axes have these sizes, among the axes of samples. Null
/// when they are not there.
std::optional<SampleAxes> find_points(const ArrayAxes& samples,
                                      const std::vector<std::size_t>& points);

} // namespace lsrecon
