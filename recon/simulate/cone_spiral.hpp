#pragma once

#include <vector>

#include "base/types.hpp"

namespace lsrecon {

/// Interleaved Archimedean spirals from the centre of k-space outwards, on a cone around kz; a
/// plane is the cone of 90 degrees. Lengths are in cycles per field of view.
struct ConeSpiral {
    double polar = 1.57079632679489661923; ///< angle between the cone and kz, radians
    double radius = 0; ///< radius at which the arms end
    double pitch = 1; ///< between neighbouring turns, of all interleaves together, along the cone
    std::size_t interleaves = 1;
    /// Number of samples of one arm; 0: at most 0.7 cycles per field of view apart.
    std::size_t samples = 0;
    double first_azimuth = 0; ///< angle at which the first arm starts, radians

    std::size_t samples_per_arm() const;
    double total_samples() const;
};

/// Appends the arms, evenly spaced along their length, as positions in the unit ball.
void append_spiral(const ConeSpiral& spiral, std::vector<Vec3>& unit);

} // namespace lsrecon
