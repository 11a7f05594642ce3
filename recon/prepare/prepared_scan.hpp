#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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
    /// Whether maps are estimated for each place of a scan of several slices; else such a scan is
    /// an error.
    bool maps_of_places = false;
};

/// A scan as it is transformed: on the grid that is asked for, whitened, its coils compressed, with
/// maps. Nothing is changed where nothing is asked for and nothing is missing.
class PreparedScan {
public:
    /// Adds a remark on every step to the scan, and notes it. InputError when a step cannot be
    /// done; UsageError for options that the scan has no use for. All must outlive it; the source
    /// gives its scan away.
    PreparedScan(FrameSource& source, const PrepareOptions& options, Backend& backend,
                 Reporter& report);

    /// Its frames have C x 0 samples, C as after compression.
    const Scan& scan() const { return scan_; }
    /// The first frame that can be used.
    std::size_t first_good() const { return source_.first_good(); }
    /// A frame with its samples. The only frame of a scan can be taken once.
    Frame frame(std::size_t index);

    /// Whether places have maps of their own (scan/frame_places.hpp). The scan has those of one
    /// place at a time, at first of the first.
    bool maps_differ() const { return method_ != nullptr && places() > 1; }
    bool has_maps_of(std::size_t frame) const {
        return !maps_differ() || place_of_[frame] == place_;
    }
    /// Estimates the maps of the frame's place, which are then those of the scan. InputError when
    /// that cannot be done.
    void move_to(std::size_t frame);
    /// All frames, those of one place and of one sampling one after the other.
    std::vector<std::size_t> order() const;

private:
    void mix(const CoilMixing& mixing);
    void make_maps(const PrepareOptions& options);
    Calibration calibration_of(std::size_t place);
    CoilRows estimated(std::size_t place);
    std::size_t places() const;
    void read_maps_of(const std::string& file);
    void set_field_map(const std::string& wanted);
    Frame transformed(std::size_t index);
    /// The first frame that can be used, kept for what is found from its samples until it is taken.
    const Frame& first();

    FrameSource& source_;
    Backend& backend_;
    Reporter& report_;
    Scan scan_;
    std::vector<std::size_t> place_of_; ///< each frame
    const MapsMethod* method_ = nullptr; ///< of estimated maps
    MapsOptions estimate_;
    std::size_t place_ = 0; ///< whose maps the scan has
    std::string matrix_; ///< of the last calibration
    std::map<std::size_t, InputError> failed_; ///< places without maps
    std::optional<Geometry> geometry_;
    CoilMixing mixing_; ///< of no rows for none
    std::optional<Frame> first_; ///< as transformed so far
};

} // namespace lsrecon
