#pragma once

#include "model/prior.hpp"
#include "model/scan_field.hpp"
#include "model/scan_maps.hpp"

namespace lsrecon {

/// A scan as it is transformed: on the grid that is asked for, whitened, its coils compressed, with
/// maps. Nothing is changed where nothing is asked for and nothing is missing.
class PreparedScan {
public:
    /// Adds a remark on every step to the scan, and notes it. InputError when a step cannot be
    /// done; UsageError for options that the scan has no use for. All must outlive it; the source
    /// gives its scan away.
    PreparedScan(FrameSource& source, PrepareOptions options, Transforms& transforms,
                 Reporter& report);
    PreparedScan(const PreparedScan&) = delete;

    /// Its frames have C x 0 samples, C as after compression. Maps and field are of its places.
    const Scan& scan() const { return scan_; }
    const std::vector<Place>& places() const { return places_; }
    /// Made for the turn of the place. InputError when it cannot be.
    Model model_of(const Place& place);
    const Place& place_of(std::size_t frame) const { return places_[place_of_[frame]]; }

    /// Whether its coil maps come from a file, and not from its own samples.
    bool maps_are_stored() const { return maps_->are_stored(); }
    /// Whether there are coil maps.
    bool has_maps() const { return maps_->any(); }
    /// Coil maps of all places; none where these have their own.
    const std::optional<PlaceMaps>& maps_of_all() const { return maps_->of_all(); }
    /// The first frame that can be used, with maps where they can be made for some places alone.
    std::size_t first_good() const { return maps_->first_good(); }
    /// The first frame of a place that can be used; none where all are bad.
    std::optional<std::size_t> first_good_of(const Place& place) const {
        const std::vector<std::size_t> good = frames_.good_of(place);
        return good.empty() ? std::nullopt : std::optional(good.front());
    }
    /// Whether the samples of a frame cannot be used.
    bool is_bad(std::size_t frame) const { return frames_.is_bad(frame); }
    /// A frame with its samples. The only frame of a scan can be taken once.
    Frame frame(std::size_t index) { return frames_.take(index); }

private:
    void set_field(PrepareOptions& options);
    void leave_out_unlike_noise();
    void mix(const CoilMixing& mixing);
    void compress(const CoilCompression& wanted);
    std::optional<Eigen::MatrixXcd> gram_of(const Place& place);
    [[noreturn]] void refuse_silence() const;
    void set_coils(std::size_t coils);

    Scan scan_;
    Grid file_grid_; ///< before another one is asked for
    MixedFrames frames_;
    std::vector<Place> places_;
    std::vector<std::size_t> place_of_; ///< each frame
    std::optional<ScanField> field_; ///< that comes beside the scan
    std::optional<ScanMaps> maps_;
    std::optional<ScanPrior> prior_;
};

} // namespace lsrecon
