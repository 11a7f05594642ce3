#pragma once

#include <memory>
#include <string>

#include "model/placed_volumes.hpp"
#include "scan/prior_image.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// A prior image on the grid of a scan: of a volume each slice has its own.
class ScanPrior {
public:
    /// `shifted`: by --shift-mm. InputError when the image does not belong to the scan
    /// (PlacedVolumes).
    ScanPrior(const std::string& file, StoredPrior stored, const Scan& scan,
              const std::vector<Place>& places, bool shifted);

    /// InputError when it is only zeros where the image of the place is.
    std::shared_ptr<const PriorImage> of(const Place& place);

private:
    std::string file_;
    PlacedVolumes volumes_;
    std::shared_ptr<const PriorImage> only_; ///< prior image of a scan of one place
};

} // namespace lsrecon
