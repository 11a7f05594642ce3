// The slices of a scan, what their frames share, and the calibration lines that serve them.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scan/prior_image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Frames of one slice and one trajectory, by their indices in the scan.
struct SampledFrames {
    std::shared_ptr<const Trajectory> trajectory;
    std::vector<std::size_t> frames;
};

/// A slice, a volume or a stack of a scan, and what its frames share. Frames of one slice whose
/// positions differ by less than 2 mm share one slice, since coil maps are smooth.
struct Slice {
    std::size_t index = 0; ///< among the slices of the scan
    Grid grid; ///< grid of the scan, where the first frame lies
    std::vector<SampledFrames>
        trajectories; ///< trajectories in the order in which they first occur

    std::size_t first_frame() const { return trajectories.front().frames.front(); }
    std::vector<std::size_t> frames() const; ///< frames of one trajectory after the other
};

/// The maps, field and prior image with which the images of one slice are made; alive while
/// the slice is reconstructed.
struct Model {
    std::shared_ptr<const CoilRows> coil_maps; ///< C x N, of no rows for none
    /// The divisor of the coil maps. An image made with them is this many times as large as one in
    /// the units of the scan.
    double maps_scale = 1;
    std::shared_ptr<const OffResonance> off_resonance; ///< null for none
    std::shared_ptr<const PriorImage> prior; ///< null for none
};

/// The slices of a scan, in the order in which they first occur.
std::vector<Slice> slices_of(const Scan& scan);

/// The index of the slice of each frame.
std::vector<std::size_t> slice_of_frames(const std::vector<Slice>& slices);

/// Whether the two frames share a slice.
bool at_one_slice(const Frame& a, const Frame& b);

/// InputError when a scan has several slices but part of a file, "coil maps of --maps FILE", serves
/// one; `otherwise` is the next step beside choosing a slice.
void require_one_slice(const Scan& scan, const std::string& what, const std::string& otherwise);

/// "slice 3" of the label "slice 3, repetition 1"; "" where the label names no slice.
std::string slice_in(const std::string& label);

/// The nearest calibration of the frame's slice whose coil maps serve the frame; those with the
/// frame's own counters come first. Null when there is none.
const Frame* calibration_samples_of(const Scan& scan, const Frame& frame);

/// Why calibration lines of a frame's slice do not serve it: "lie elsewhere: 30 mm away"; "" when
/// there are none, or some that do.
std::string why_no_calibration(const Scan& scan, const Frame& frame);

/// The first coil whose values, of a calibration or of coil maps, are only zeros while its samples
/// in a frame are not: the values were not written. None where all coils have only zeros.
std::optional<std::size_t> silent_in_these_alone(const CoilRows& of_coils, const CoilRows& samples);
/// Moves a calibration to those that serve no frame, and adds a finding.
void leave_out_calibration(Scan& scan, const Frame* calibration, std::size_t silent_coil);

} // namespace lsrecon
