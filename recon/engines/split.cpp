#include "engines/split.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

SplitScale::SplitScale(double extent_in_voxels, int n)
    : extent_(std::max(extent_in_voxels, 1.0)), n_(n) {
    const double largest_sum = n * 0.525 * extent_;
    bits_ = static_cast<int>(std::floor(24 - std::log2(largest_sum)));
    scale_ = std::ldexp(1.0, bits_);
}

double SplitScale::largest_rest() const {
    return std::ldexp(n_ * extent_, -(bits_ + 1));
}

SplitScale::Parts SplitScale::voxel(double in_voxels) {
    const double high = std::rint(in_voxels);
    return {static_cast<float>(high), static_cast<float>(in_voxels - high)};
}

} // namespace lsrecon
