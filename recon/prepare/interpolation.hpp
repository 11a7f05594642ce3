#pragma once

#include <cmath>

#include "base/types.hpp"

namespace lsrecon {

/// Voxels along one dimension: n is at offset + (n - floor(size/2)) / size of the field of view.
struct Axis {
    std::size_t size = 1;
    double fov = 1; ///< in any unit, the same for both axes of an interpolation
    double offset = 0; ///< of its centre

    double position(std::size_t n) const {
        return offset + fov * (static_cast<double>(n) - static_cast<double>(size / 2)) /
                            static_cast<double>(size);
    }
};

/// Linear interpolation from one axis to another, to.size x from.size. Beyond the outermost voxels
/// their values continue to the edge of the field of view, and half a voxel on; beyond that is 0.
inline Eigen::MatrixXf linear_interpolation(const Axis& to, const Axis& from) {
    Eigen::MatrixXf result = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(to.size),
                                                   static_cast<Eigen::Index>(from.size));
    const double voxel = from.fov / static_cast<double>(from.size);
    const auto last = static_cast<double>(from.size - 1);
    for (std::size_t n = 0; n < to.size; ++n) {
        const double at = (to.position(n) - from.position(0)) / voxel;
        if (at < -1 || at > last + 1) {
            continue;
        }
        const double inside = std::min(std::max(at, 0.0), last);
        const double below = std::min(std::floor(inside), std::max(0.0, last - 1));
        const auto share = static_cast<float>(inside - below);
        const auto row = static_cast<Eigen::Index>(n);
        const auto column = static_cast<Eigen::Index>(below);
        result(row, column) = 1 - share;
        if (from.size > 1) {
            result(row, column + 1) = share;
        }
    }
    return result;
}

} // namespace lsrecon
