// The coil maps of a scan: its own, read from a file, or estimated for each slice.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/report.hpp"
#include "engines/transforms.hpp"
#include "model/prepare_options.hpp"
#include "model/prepared_frames.hpp"
#include "model/slice_volumes.hpp"

namespace lsrecon {

/// Coil maps of one slice, or of all.
struct SliceMaps {
    std::shared_ptr<const CoilRows> values; ///< C x N, of no rows for none
    double scale = 1; ///< divisor of the values
};

/// The coil maps of a scan: its own, those that come beside it, or estimated ones, the latter two
/// for each slice.
class ScanMaps {
public:
    /// `file_grid` is that of the scan's file, of maps without a field of view of their own. Makes
    /// those of the first slice that can have any and adds a finding. Takes the scan's own maps,
    /// and those of the options, out of them. InputError when that cannot be done, UsageError for
    /// options that the scan has no use for. Where no maps are asked for, and they cannot be
    /// estimated, the scan has none, which a finding says. All must outlive it.
    ScanMaps(Scan& scan, const std::vector<Slice>& slices, const Grid& file_grid,
             PreparedFrames& frames, PrepareOptions& options, Transforms& transforms,
             Reporter& report);

    /// The first good frame, with maps where they can be made for some slices alone.
    std::size_t first_good() const { return first_; }
    /// Whether there are maps that were not estimated from the scan's samples.
    bool are_stored() const {
        return volumes_ || (method_ == nullptr && of_all_->values->rows() > 0);
    }
    /// Whether there are any maps.
    bool any() const { return !of_all_ || of_all_->values->rows() > 0; }
    /// Whether slices have maps of their own.
    bool differ() const { return (method_ != nullptr || volumes_) && slices_.size() > 1; }
    /// The maps of a slice, once. Where the
    /// mean of sum |S|^2 over voxels with maps is not within 0.5 to 2 they are divided by a number
    /// that brings it there, which is reported. InputError when they cannot be made.
    SliceMaps of(const Slice& slice, Transforms& transforms);
    /// The maps of all slices; none where slices have their own.
    const std::optional<SliceMaps>& of_all() const { return of_all_; }

private:
    void make(PrepareOptions& options, Transforms& transforms);
    void take_stored(const std::string& file, StoredVolumes stored, const GeometryOptions& geometry,
                     Transforms& transforms);
    void remark_beyond_field(Transforms& transforms);
    void add_facts();
    void require_maps_of_signals(const CoilRows& maps, const std::string& file);
    CoilRows taken(const Slice& slice); ///< maps that came beside the scan, for this slice
    void make_first(Transforms& transforms);
    /// Field of view in which its coils are calibrated.
    CalibrationField field_of(const Slice& slice);
    Calibration calibration_of(const Slice& slice, const CalibrationField& field,
                               Transforms& transforms);
    CoilRows estimate(const Slice& slice, Transforms& transforms);
    /// The same, with errors that say what to know of the slice.
    CoilRows estimated(const Slice& slice, Transforms& transforms);
    CoilRows of_wider_field(const CoilRows& maps, const Grid& grid) const;
    SliceMaps scaled(CoilRows maps);

    Scan& scan_;
    const std::vector<Slice>& slices_;
    Grid file_grid_;
    PreparedFrames& frames_;
    Reporter& report_;
    std::size_t first_;
    const MapsMethod* method_ = nullptr; ///< method of estimated maps
    MapsOptions estimate_options_;
    std::string file_; ///< file of maps that are not estimated
    std::optional<SliceVolumes> volumes_;
    std::optional<SliceMaps> of_all_;
    std::map<std::size_t, SliceMaps> kept_; ///< made before their slices
    bool is_scale_reported_ = false;
    std::string matrix_; ///< matrix of the last calibration
    std::size_t twice_ = 0; ///< voxels with two maps in it
    std::size_t together_ = 1; ///< number of frames joined into one by it
    double unexplained_ = 0; ///< share of its samples' energy that it left
    std::map<std::size_t, InputError> failed_; ///< slices without maps
};

} // namespace lsrecon
