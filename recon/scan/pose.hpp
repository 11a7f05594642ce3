#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// The place of samples in the patient (LPS), as far as it is known.
struct Pose {
    std::optional<Vec3> position; ///< position of the centre of their grid, in mm
    std::optional<std::array<Vec3, 3>> directions; ///< unit vectors of x, y and z
};

/// These whereabouts, or nothing when the header was never filled in and is zero everywhere.
inline Pose filled_in(const Pose& where) {
    const bool zeros = !where.directions && where.position == Vec3{0, 0, 0};
    return zeros ? Pose() : where;
}

/// The distance and the angle between two places; 0 where one of the two does not say.
struct PoseDifference {
    double mm = 0;
    double degrees = 0; ///< angle of the axis that is turned most

    /// Whether coil maps of one serve the other.
    bool share_maps() const;
    /// "30 mm away, turned by 20 degrees"; "" where they are at one place.
    std::string in_words() const;
};
PoseDifference apart(const Pose& a, const Pose& b);

} // namespace lsrecon
