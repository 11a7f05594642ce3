// The multiples of 1 / echo distance by which fields of slices differ.

#pragma once

#include "scan/echo_field.hpp"

namespace lsrecon {

/// Adds multiples of the period to the fields of slices, so that neighbours agree where both have
/// signal: the median of their difference is the nearest 0. Slices are neighbours by their
/// positions along the line through these, or by their order without. The slice with the most
/// voxels stays. Slices whose multiple cannot be known are `unsure`: few voxels in common with the
/// next, or about half a period between them.
void agree_on_periods(EchoFieldMap& map);

} // namespace lsrecon
