// Multiplies by the square of a phase and the conjugate of an image.

#include "operators/conjugate_symmetry.hpp"

#include <cmath>

namespace lsrecon {

TowardsReal::TowardsReal(Device& device, Precision precision, const Symmetry& symmetry)
    : device_(device), root_(std::sqrt(symmetry.share)),
      squares_(device.zeros(static_cast<std::size_t>(symmetry.squares.size()), {true, precision})),
      conjugate_(device.zeros(squares_.count(), {true, precision})) {
    device.upload(symmetry.squares, squares_);
}

void TowardsReal::apply(const Array& in, Array& out) {
    device_.combine(1, squares_, 0, conjugate_);
    device_.multiply_conjugate(in, 0, in.count(), conjugate_);
    device_.combine((1 + root_) / 2, in, 0, out);
    device_.combine(-(1 - root_) / 2, conjugate_, 1, out);
}

} // namespace lsrecon
