#include "prepare/prepare_options.hpp"

#include <algorithm>

#include "io/scan_file.hpp"

namespace lsrecon {

bool PrepareOptions::maps_of_file() const {
    const std::vector<MapsMethod>& methods = maps_methods();
    return !maps.empty() && maps != "none" &&
           std::none_of(methods.begin(), methods.end(),
                        [&](const MapsMethod& method) { return method.name == maps; });
}

void PrepareOptions::tell(ReadOptions& read) const {
    read.with_times = field_map_of_file();
    read.maps_file = maps_of_file() ? maps : "";
    read.field_map_file = field_map_of_file() ? field_map : "";
    read.whitens = whiten;
    read.one_place = geometry.shift_to_position;
    read.middle_x_mm = geometry.shift_mm.empty() ? 0 : -geometry.shift_mm[0];
    read.fov_x_mm = geometry.fov_mm.empty() ? 0 : geometry.fov_mm[0];
    read.matrix = geometry.matrix;
    read.other_grid = geometry.other_grid();
    read.regularised = geometry.regularised;
    read.mirrored = geometry.conjugate;
}

} // namespace lsrecon
