#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/report.hpp"
#include "engines/backend.hpp"
#include "prepare/mixed_frames.hpp"
#include "prepare/placed_volumes.hpp"
#include "prepare/prepare_options.hpp"

namespace lsrecon {

/// The coil maps of a scan: its own, those of a file, or estimated ones, the latter two of one
/// place at a time (scan/place.hpp).
class ScanMaps {
public:
    /// All must outlive it.
    ScanMaps(Scan& scan, MixedFrames& frames, Backend& backend, Reporter& report);

    /// Of the scan's file: that of maps without a field of view of their own.
    const Grid& file_grid() const { return file_grid_; }

    /// Sets the scan's maps, those of the first place that can have any where places have maps of
    /// their own, and adds a remark. InputError when that cannot be done, UsageError for options
    /// that the scan has no use for. Where maps are not asked for and cannot be estimated, the scan
    /// has none, which a remark says.
    void make(const PrepareOptions& options);

    /// The first good frame, with maps once they are made.
    std::size_t first_good() const { return first_; }
    bool are_estimated() const { return method_ != nullptr; }
    /// Whether places have maps of their own.
    bool differ() const { return (method_ != nullptr || of_file_) && places_ > 1; }
    bool are_of(std::size_t frame) const { return !differ() || place_of_[frame] == place_; }
    /// Sets the scan's maps to those of the frame's place. InputError when they cannot be made.
    void move_to(std::size_t frame);

    std::size_t places() const { return places_; }
    /// The place of each frame.
    const std::vector<std::size_t>& place_of() const { return place_of_; }

private:
    void make_or_refuse(const PrepareOptions& options);
    void read(const std::string& file, const GeometryOptions& geometry);
    void require_maps_of_signals(const CoilRows& maps, const std::string& file);
    CoilRows taken(std::size_t frame); ///< from the file
    const Frame& first_of(std::size_t place) const;
    void move_to_first();
    Calibration calibration_of(std::size_t place, const CalibrationField& field);
    CoilRows estimate(std::size_t place);
    CoilRows estimated(std::size_t place); ///< its errors say what to know of the place

    Scan& scan_;
    Grid file_grid_; ///< before another one is asked for
    MixedFrames& frames_;
    Backend& backend_;
    Reporter& report_;
    std::vector<std::size_t> place_of_;
    std::size_t places_;
    std::size_t first_;
    const MapsMethod* method_ = nullptr; ///< of estimated maps
    MapsOptions how_;
    std::string file_; ///< of maps that are not estimated, and
    std::optional<PlacedVolumes> of_file_;
    std::size_t place_ = 0; ///< whose maps the scan has
    std::string matrix_; ///< of the last calibration, and
    std::size_t together_ = 1; ///< how many frames it took for one
    std::map<std::size_t, InputError> failed_; ///< places without maps
};

} // namespace lsrecon
