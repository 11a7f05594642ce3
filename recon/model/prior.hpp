// The prior image of a scan, resampled to each of its slices.

#pragma once

#include <memory>
#include <string>

#include "model/slice_volumes.hpp"
#include "scan/prior_image.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// A prior image on the grid of a scan: of a volume each slice has its own.
class ScanPrior {
public:
    /// `shifted`: by --shift-mm. InputError when the image does not belong to the scan
    /// (SliceVolumes).
    ScanPrior(const std::string& file, StoredVolumes stored, const Scan& scan,
              const std::vector<Slice>& slices, bool shifted);

    /// InputError when it is only zeros where the image of the slice is.
    std::shared_ptr<const PriorImage> of(const Slice& slice);

private:
    std::string file_;
    SliceVolumes volumes_;
    std::shared_ptr<const PriorImage> only_; ///< prior image of a scan of one slice
};

} // namespace lsrecon
