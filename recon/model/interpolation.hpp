#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

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

/// Two neighbours on an axis between which a place lies, and the share of the upper one.
struct Between {
    std::size_t below = 0;
    std::size_t above = 0;
    float share = 0;
};

/// Of a place in voxels from the first one of an axis. Beyond the outermost voxels their values
/// continue to the edge of the field of view, and half a voxel on; beyond that is nothing.
inline std::optional<Between> between(double at, std::size_t size) {
    const auto last = static_cast<double>(size - 1);
    if (!(at >= -1 && at <= last + 1)) {
        return std::nullopt;
    }
    const double inside = std::min(std::max(at, 0.0), last);
    const double below = std::min(std::floor(inside), std::max(0.0, last - 1));
    const auto index = static_cast<std::size_t>(below);
    return Between{index, std::min(index + 1, size - 1), static_cast<float>(inside - below)};
}

/// Linear interpolation from one axis to another, to.size x from.size; 0 where there is nothing.
inline Eigen::MatrixXf linear_interpolation(const Axis& to, const Axis& from) {
    Eigen::MatrixXf result = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(to.size),
                                                   static_cast<Eigen::Index>(from.size));
    const double voxel = from.fov / static_cast<double>(from.size);
    for (std::size_t n = 0; n < to.size; ++n) {
        const auto place = between((to.position(n) - from.position(0)) / voxel, from.size);
        if (place) {
            const auto row = static_cast<Eigen::Index>(n);
            result(row, static_cast<Eigen::Index>(place->below)) += 1 - place->share;
            result(row, static_cast<Eigen::Index>(place->above)) += place->share;
        }
    }
    return result;
}

} // namespace lsrecon
