#pragma once

#include <string>

#include "scan/coil_mixing.hpp"
#include "prepare/estimated_maps.hpp"
#include "prepare/geometry.hpp"

namespace lsrecon {

struct ReadOptions;

struct PrepareOptions {
    GeometryOptions geometry;
    bool whiten = true; ///< where the scan has noise
    CoilCompression compression;
    /// "espirit", "walsh" or another row of maps_methods(); "none"; the name of a file; "" for the
    /// scan's own, or for espirit where several coils have none.
    std::string maps;
    bool maps_of_file() const;
    MapsOptions estimate;
    /// The name of a file with a field map; "none"; "" for the scan's own.
    std::string field_map;
    double field_scale = 1; ///< by which the field map is multiplied
    bool field_map_of_file() const { return !field_map.empty() && field_map != "none"; }
    /// Whether coil maps are made for each place of a scan of several slices; else such a scan is
    /// an error.
    bool maps_of_places = false;

    /// Sets what reading a scan must know of them.
    void tell(ReadOptions& read) const;
};

} // namespace lsrecon
