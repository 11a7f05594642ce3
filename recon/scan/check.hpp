#pragma once

#include "scan/scan.hpp"

namespace lsrecon {

/// The strict contract on values and sizes, whatever format a scan came from: finite numbers,
/// sizes that agree, |k| <= 1.05 N/2, voxels within 10 fields of view, weights >= 0, at least one
/// sample that is not zero.
/// InputError with the first violation.
void check(const Scan& scan);

/// InputError when the scan has a trajectory but no samples: enough for Q, not for an image.
void require_samples(const Scan& scan);

} // namespace lsrecon
