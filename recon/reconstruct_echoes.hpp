// The field map of a scan by images of its echoes.

#pragma once

#include <functional>
#include <vector>

#include "base/report.hpp"
#include "engines/transforms.hpp"
#include "plan/options.hpp"
#include "scan/echo_field.hpp"
#include "scan/scan.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// A map as `field_map` takes it (io/field_file.hpp).
using AsStored = std::function<StoredVolumes(const EchoFieldMap&)>;

/// Reconstructs the echoes of one scan, or of several on one grid, with the same coil maps and
/// without a field map, and fits the field of each slice (model/field_from_echoes.hpp); once more
/// with that field, where samples have times within which it blurs the images. `times` in s are
/// those of the frames of each slice; none for those that the scans say. The first scan is given
/// away. InputError as of EchoFrames, and when no image has signal.
EchoFieldMap field_map_of(const std::vector<FrameSource*>& scans, const std::vector<double>& times,
                          Transforms& transforms, ReconstructOptions options,
                          const AsStored& as_stored, Reporter& report);

/// Adds what a user should know of the map: its pieces. InputError, which names the file, when no
/// voxel has signal.
void consider_pieces(const EchoFieldMap& map, const std::string& file, Reporter& report);

} // namespace lsrecon
