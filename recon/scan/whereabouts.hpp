#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// Where samples were taken in the patient (LPS), as far as it is known.
struct Whereabouts {
    std::optional<Vec3> position; ///< of the centre of their grid, in mm
    std::optional<std::array<Vec3, 3>> directions; ///< unit vectors of x, y and z
};

/// Nothing of a header that was never filled in, which is zero everywhere.
inline Whereabouts filled_in(const Whereabouts& where) {
    const bool zeros = !where.directions && where.position == Vec3{0, 0, 0};
    return zeros ? Whereabouts() : where;
}

/// How far apart that is; 0 where one of the two does not say.
struct Apart {
    double mm = 0;
    double degrees = 0; ///< by which the axis is turned that is turned most

    /// Whether coil maps of one serve the other.
    bool share_maps() const;
    /// "30 mm away, turned by 20 degrees"; "" where they are at one place.
    std::string in_words() const;
};
Apart apart(const Whereabouts& a, const Whereabouts& b);

} // namespace lsrecon
