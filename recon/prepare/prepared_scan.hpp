#pragma once

#include <optional>
#include <string>

#include "io/frame_source.hpp"
#include "prepare/coil_mixing.hpp"
#include "prepare/estimated_maps.hpp"
#include "prepare/geometry.hpp"

namespace lsrecon {

struct PrepareOptions {
    GeometryOptions geometry;
    bool whiten = true; ///< where the scan has noise
    CoilCompression compression;
    /// "espirit", "walsh" or another row of maps_methods(); "none"; the name of a file; "" for the
    /// scan's own, or for espirit where several coils have none.
    std::string maps;
    MapsOptions estimate;
    /// The name of a file with a field map; "none"; "" for the scan's own.
    std::string field_map;
    bool field_map_of_file() const { return !field_map.empty() && field_map != "none"; }
};

/// A scan as it is transformed: on the grid that is asked for, whitened, its coils compressed, with
/// maps. Nothing is changed where nothing is asked for and nothing is missing.
class PreparedScan {
public:
    /// Adds a remark on every step to the scan, and notes it. InputError when a step cannot be
    /// done; UsageError for options that the scan has no use for. The source must outlive it, and
    /// gives its scan away.
    PreparedScan(FrameSource& source, const PrepareOptions& options, Backend& backend,
                 Reporter& report);

    /// Its frames have C x 0 samples, C as after compression.
    const Scan& scan() const { return scan_; }
    /// A frame with its samples. The only frame of a scan can be taken once.
    Frame frame(std::size_t index);

private:
    void mix(const CoilMixing& mixing);
    void make_maps(const PrepareOptions& options, Backend& backend, Reporter& report);
    void read_maps_of(const std::string& file);
    void set_field_map(const std::string& wanted);
    Frame transformed(std::size_t index);
    /// The first frame that can be used, kept for what is found from its samples until it is taken.
    const Frame& first();

    FrameSource& source_;
    Scan scan_;
    std::optional<Geometry> geometry_;
    CoilMixing mixing_; ///< of no rows for none
    std::optional<Frame> first_; ///< as transformed so far
};

} // namespace lsrecon
