#pragma once

#include <optional>
#include <string>

#include "prepare/placed_volumes.hpp"
#include "scan/prior_image.hpp"

namespace lsrecon {

/// The image of a file on the grid of a scan: of a volume each slice has its own, one at a time
/// (scan/place.hpp).
class ScanPrior {
public:
    /// Takes that of the only place; with several move_to() does. The scan must outlive it.
    /// `shifted`: by --shift-mm. InputError when the image does not belong to the scan
    /// (PlacedVolumes, move_to).
    ScanPrior(const std::string& file, const Scan& scan, bool shifted);

    /// Whether places have images of their own.
    bool differ() const { return volumes_->differ(); }
    bool is_of(std::size_t frame) const { return volumes_->place_of(frame) == place_; }
    /// InputError when the image is zeros alone where that of the frame is.
    void move_to(std::size_t frame);

    const std::string& sha256() const { return image_.sha256; } ///< of the file
    const PriorImage& image() const { return image_; } ///< of the place, once there is one

private:
    PriorImage image_;
    std::optional<PlacedVolumes> volumes_;
    std::optional<std::size_t> place_;
};

} // namespace lsrecon
