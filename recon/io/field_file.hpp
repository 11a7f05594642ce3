// Field maps of echoes in a file of their own, as `field_map` takes them.

#pragma once

#include <string>

#include "base/report.hpp"
#include "io/image/stored.hpp"
#include "io/record.hpp"
#include "scan/echo_field.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

class Hdf5Reader;

/// The field in Hz as it is read from a file: slices are a volume. InputError when they are not
/// evenly spaced.
StoredVolumes stacked(const EchoFieldMap& map);

/// Writes NIfTI-1 where the path ends so, with NaN beyond the mask; else HDF5 with /field_map,
/// /mask and /deviation [(Z,) Y, X], and the record of how they were made. Written beside and
/// renamed into place.
void write_field_map(const std::string& path, const EchoFieldMap& map, const Record& record,
                     Reporter& report);
/// Whether an HDF5 file is such a map, and that map as an image of real numbers.
bool holds_field_alone(const Hdf5Reader& file);
StoredImage open_field_as_image(const std::string& path);
/// Whether the path ends as NIfTI does.
bool is_nifti_name(const std::string& path);

} // namespace lsrecon
