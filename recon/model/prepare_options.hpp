#pragma once

#include <optional>
#include <string>

#include "model/estimated_maps.hpp"
#include "model/geometry.hpp"
#include "scan/coil_mixing.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

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

    // What comes beside the scan, where it is named above:
    std::optional<StoredMaps> stored_maps = {};
    std::optional<StoredField> stored_field = {};
    std::string prior = {}; ///< what messages call the image that regularisers compare with
    std::optional<StoredPrior> stored_prior = {};
};

} // namespace lsrecon
