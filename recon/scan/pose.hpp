// Vectors, directions and poses: where samples and images lie in the patient.

#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double length(const Vec3& a) {
    return std::sqrt(dot(a, a));
}
inline Vec3 minus(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double distance(const Vec3& a, const Vec3& b) {
    return length(minus(a, b));
}
/// The distance between the two directions of the axis for which it is largest.
inline double distance(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    return std::fmax(distance(a[0], b[0]), std::fmax(distance(a[1], b[1]), distance(a[2], b[2])));
}

/// Whether the directions of x, y and z are unit vectors at right angles, to the precision of a
/// header of floats typed by hand.
inline bool orthonormal(const std::array<Vec3, 3>& directions) {
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = i; j < 3; ++j) {
            const double expected = i == j ? 1 : 0;
            if (!(std::abs(dot(directions[i], directions[j]) - expected) < 1e-3)) {
                return false;
            }
        }
    }
    return true;
}

/// The letter of the patient's side that an axis mainly leads to, from its direction in LPS: L, R,
/// P, A, H or F.
inline std::string towards(const Vec3& direction) {
    constexpr const char* letters[3][2] = {{"L", "R"}, {"P", "A"}, {"H", "F"}};
    std::size_t main = 0;
    for (std::size_t d = 1; d < 3; ++d) {
        main = std::abs(direction[d]) > std::abs(direction[main]) ? d : main;
    }
    return letters[main][direction[main] < 0 ? 1 : 0];
}

// Tolerances within which numbers of headers are the same. They are floats, computed anew for each
// acquisition or typed by hand with three decimals or more.
constexpr double same_position_mm = 1e-2;
constexpr double same_direction = 1e-3; ///< between the tips of unit vectors
constexpr double same_degrees = same_direction * 180 / pi;
constexpr double same_length = 1e-3; ///< relative, of fields of view
constexpr double same_dwell = 1e-4; ///< relative

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

/// The position and orientation of samples in the patient (LPS), as far as they are known.
struct Pose {
    std::optional<Vec3> position; ///< position of the centre of their grid, in mm
    std::optional<std::array<Vec3, 3>> directions; ///< unit vectors of x, y and z
};

/// The pose, or none when the header was never filled in and is zero everywhere.
inline Pose filled_in(const Pose& pose) {
    const bool zeros = !pose.directions && pose.position == Vec3{0, 0, 0};
    return zeros ? Pose() : pose;
}

/// The distance and the angle between two poses; 0 where one of the two does not say.
struct PoseDifference {
    double mm = 0;
    double degrees = 0; ///< angle of the axis that is turned most

    /// Whether coil maps of one serve the other.
    bool share_maps() const;
    /// "30 mm away, turned by 20 degrees"; "" where the poses are the same.
    std::string in_words() const;
};
PoseDifference apart(const Pose& a, const Pose& b);

} // namespace lsrecon
