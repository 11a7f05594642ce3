#pragma once

#include <array>
#include <cmath>

#include "base/types.hpp"

// Tolerances within which numbers of headers are the same. They are floats, computed anew for each
// acquisition or typed by hand with three decimals or more.

namespace lsrecon {

constexpr double same_position_mm = 1e-2;
constexpr double same_direction = 1e-3; ///< between the tips of unit vectors
constexpr double same_degrees = same_direction * 180 / pi;
constexpr double same_length = 1e-3; ///< relative, of fields of view
constexpr double same_dwell = 1e-4; ///< relative

inline double distance(const Vec3& a, const Vec3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// The distance between the two directions of the axis for which it is largest.
inline double distance(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    return std::fmax(distance(a[0], b[0]), std::fmax(distance(a[1], b[1]), distance(a[2], b[2])));
}

inline bool are_same_position(const Vec3& a, const Vec3& b) {
    return distance(a, b) < same_position_mm;
}
inline bool are_same_directions(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    return distance(a, b) < same_direction;
}
inline bool are_same_length(double a, double b) {
    return std::abs(a - b) <= same_length * b;
}
inline bool are_same_dwell(double a, double b) {
    return std::abs(a - b) <= same_dwell * b;
}

inline bool is_finite(const Vec3& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}
inline bool is_finite(const std::array<Vec3, 3>& directions) {
    return is_finite(directions[0]) && is_finite(directions[1]) && is_finite(directions[2]);
}

} // namespace lsrecon
