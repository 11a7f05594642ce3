#pragma once

#include <string>

#include "scan/prior_image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The image of a file on the scan's grid: same_field and resampled (prepare/resampled.hpp).
/// InputError when it does not belong to the scan: another number of dimensions, another field of
/// view or place, or zeros alone where the scan's image is. `shifted`: by --shift-mm.
PriorImage prior_on_grid(const std::string& file, const Scan& scan, bool shifted);

} // namespace lsrecon
