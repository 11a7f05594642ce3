#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// The place of each frame, counted from 0 in the order of the frames: frames of one slice whose
/// positions differ by less than 2 mm share one, since coil maps are smooth.
std::vector<std::size_t> places_of(const Scan& scan);
/// Whether the two share one.
bool at_one_place(const Frame& a, const Frame& b);
/// How many they are.
std::size_t count_places(const std::vector<std::size_t>& place_of);

/// The grid of the scan where a frame lies.
Grid grid_of(const Scan& scan, const Frame& frame);

/// The frames of each place, those of one sampling one after the other.
std::vector<std::vector<std::size_t>> stacks_of(const Scan& scan);

/// InputError when a scan is one of several places: what of a file, "coil maps of --maps FILE", is
/// that of one; `otherwise` is the next step beside choosing a place.
void require_one_place(const Scan& scan, const std::string& what, const std::string& otherwise);

/// "slice 3" of the label "slice 3, repetition 1"; "" where the label names no slice.
std::string slice_in(const std::string& label);

} // namespace lsrecon
