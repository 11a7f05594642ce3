#pragma once

#include <optional>

#include "scan/grid.hpp"

namespace lsrecon {

inline void to_floats(const Vec3& from, float (&to)[3]) {
    for (std::size_t d = 0; d < 3; ++d) {
        to[d] = static_cast<float>(from[d]);
    }
}

/// Where an acquisition or an image lies, as far as it is known: both headers of ISMRMRD have these
/// fields.
template <typename Header>
void set_place(Header& header, const Grid& grid, const std::optional<Vec3>& position_of_frame) {
    if (position_of_frame || grid.position) {
        to_floats(position_of_frame ? *position_of_frame : *grid.position, header.position);
    }
    if (grid.directions) {
        to_floats((*grid.directions)[0], header.read_dir);
        to_floats((*grid.directions)[1], header.phase_dir);
        to_floats((*grid.directions)[2], header.slice_dir);
    }
}

} // namespace lsrecon
