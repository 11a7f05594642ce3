#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scan/prior_image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Frames of one place that were sampled alike, by their indices in the scan.
struct SampledFrames {
    std::shared_ptr<const Sampling> sampling;
    std::vector<std::size_t> frames;
};

/// A slice, a volume or a stack of a scan, and what its frames share. Frames of one slice whose
/// positions differ by less than 2 mm share one place, since coil maps are smooth.
struct Place {
    std::size_t index = 0; ///< among the places of the scan
    Grid grid; ///< grid of the scan, where the first frame lies
    std::vector<SampledFrames> samplings; ///< samplings in the order in which they first occur

    std::size_t first_frame() const { return samplings.front().frames.front(); }
    std::vector<std::size_t> frames() const; ///< frames of one sampling after the other
};

/// The maps, field and prior image with which the images of one place are made; alive for the turn
/// of the place.
struct Model {
    std::shared_ptr<const CoilRows> coil_maps; ///< C x N, of no rows for none
    /// The divisor of the coil maps. An image made with them is this many times as large as one in
    /// the units of the scan.
    double maps_scale = 1;
    std::shared_ptr<const OffResonance> off_resonance; ///< null for none
    std::shared_ptr<const PriorImage> prior; ///< null for none
};

/// The places of a scan, in the order in which they first occur.
std::vector<Place> places_of(const Scan& scan);

/// The index of the place of each frame.
std::vector<std::size_t> place_of_frames(const std::vector<Place>& places);

/// Whether the two frames share a place.
bool at_one_place(const Frame& a, const Frame& b);

/// InputError when a scan has several places but part of a file, "coil maps of --maps FILE", serves
/// one; `otherwise` is the next step beside choosing a place.
void require_one_place(const Scan& scan, const std::string& what, const std::string& otherwise);

/// "slice 3" of the label "slice 3, repetition 1"; "" where the label names no slice.
std::string slice_in(const std::string& label);

} // namespace lsrecon
