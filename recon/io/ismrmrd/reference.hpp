// A reference scan, of another encoding than the image, as calibration of the image's coils.

#pragma once

#include <optional>
#include <string>

#include "io/formats.hpp"
#include "io/ismrmrd/contents.hpp"

namespace lsrecon {

/// The options by which the reference scan for the chosen encoding is read; none without one.
std::optional<ReadOptions> options_of_reference(const IsmrmrdContents& contents, std::size_t chosen,
                                                const ReadOptions& options);

/// Adds the first frame of each slice of a reference scan, which was read by `options`, to the
/// calibrations of a scan, in cycles per the scan's field of view. Returns whether any serves: it
/// has the scan's coils, lies with frames of its slice, covers their field of view and reaches as
/// far as maps need.
bool add_reference(const StoredScan& reference, const ReadOptions& options, Scan& scan);

} // namespace lsrecon
