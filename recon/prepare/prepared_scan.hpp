#pragma once

#include "prepare/scan_field.hpp"
#include "prepare/scan_maps.hpp"

namespace lsrecon {

/// A scan as it is transformed: on the grid that is asked for, whitened, its coils compressed, with
/// maps. Nothing is changed where nothing is asked for and nothing is missing.
class PreparedScan {
public:
    /// Adds a remark on every step to the scan, and notes it. InputError when a step cannot be
    /// done; UsageError for options that the scan has no use for. All must outlive it; the source
    /// gives its scan away.
    PreparedScan(FrameSource& source, const PrepareOptions& options, Backend& backend,
                 Reporter& report);
    PreparedScan(const PreparedScan&) = delete;

    /// Whether its coil maps come from a file, and not from its own samples.
    bool maps_are_stored() const { return !scan_.coil_maps.empty() && !maps_.are_estimated(); }
    /// Its frames have C x 0 samples, C as after compression.
    const Scan& scan() const { return scan_; }
    /// The first frame that can be used, with maps where they can be made for some places alone.
    std::size_t first_good() const { return maps_.first_good(); }
    /// Whether the samples of a frame cannot be used.
    bool is_bad(std::size_t frame) const { return frames_.is_bad(frame); }
    /// A frame with its samples. The only frame of a scan can be taken once.
    Frame frame(std::size_t index) { return frames_.take(index); }

    /// Whether places have coil maps of their own (scan/place.hpp). The scan has those of
    /// one place at a time, at first of the first.
    bool maps_differ() const { return maps_.differ(); }
    /// Whether places have coil maps or a field map of their own.
    bool places_differ() const { return maps_.differ() || (field_ && field_->differ()); }
    std::size_t place_of(std::size_t frame) const { return maps_.place_of()[frame]; }
    bool is_at_place_of(std::size_t frame) const;
    /// Coil maps and field map of the frame's place become those of the scan. InputError when they
    /// cannot be made.
    void move_to(std::size_t frame);
    /// All frames, those of one sampling one after the other, within those of one place where
    /// that is asked for.
    std::vector<std::size_t> order(bool by_places) const;

private:
    void set_field_map(const std::string& wanted, bool shifted, double factor);
    void leave_out_unlike_noise();
    void mix(const CoilMixing& mixing);
    void compress(const CoilCompression& wanted);
    std::optional<Eigen::MatrixXcd> gram_of_place(std::size_t place);
    [[noreturn]] void refuse_silence() const;
    void set_coils(std::size_t coils);

    Scan scan_;
    MixedFrames frames_;
    ScanMaps maps_;
    std::optional<ScanField> field_; ///< of a file
};

} // namespace lsrecon
