// The field in Hz of images that were taken at several echo times.

#pragma once

#include <vector>

#include "base/coil_rows.hpp"
#include "scan/echo_field.hpp"

namespace lsrecon {

/// Images of one object at several echo times. Coils of the scan, or one of combined images: what
/// multiplies each echo of a coil by the same factor cancels.
struct EchoImages {
    Grid grid;
    std::vector<double> times; ///< s, one an echo, all different
    std::vector<CoilRows> images; ///< C x N, one an echo
};

/// Unwraps the phase between the two nearest echoes along a spanning tree of reliable neighbours,
/// as ROMEO does (Dymerska et al. 2021, Magn. Reson. Med. 85:2294), and fits all echoes by a map
/// that is smooth but for edges, with curvatures of the cosine as Funai et al. 2008 have them (IEEE
/// Trans. Med. Imaging 27:1484). How smooth is chosen by an unbiased estimate of its error. The
/// noise is that of the phases: of several coils that of the sum over all.
EchoField field_from_echoes(const EchoImages& echoes);

} // namespace lsrecon
