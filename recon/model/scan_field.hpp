#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/placed_volumes.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// A field map that comes beside a scan, at its places: of a volume each slice has its own.
class ScanField {
public:
    /// The field is multiplied by `factor`. `file_grid` is that of the scan's file. InputError as
    /// of PlacedVolumes.
    ScanField(const std::string& file, StoredField stored, const Scan& scan,
              const std::vector<Place>& places, const Grid& file_grid, bool shifted, double factor);

    /// Whether places have field maps of their own.
    bool differ() const { return volumes_.differ(); }
    /// InputError as of PlacedVolumes::take.
    std::shared_ptr<const OffResonance> of(const Place& place);

private:
    PlacedVolumes volumes_; ///< the field, and R2* where there is one
    double factor_;
    std::shared_ptr<const OffResonance> only_; ///< field of a scan of one place
};

} // namespace lsrecon
