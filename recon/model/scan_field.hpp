// The field map of a scan, resampled to each of its slices.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/slice_volumes.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// The field of 1 x N values, or of 2 x N with R2*.
OffResonance off_resonance_in(const CoilRows& values);

/// A field map that comes beside a scan, at its slices: of a volume each slice has its own.
class ScanField {
public:
    /// The field is multiplied by `factor`. `file_grid` is that of the scan's file. InputError as
    /// of SliceVolumes.
    ScanField(const std::string& file, StoredVolumes stored, const Scan& scan,
              const std::vector<Slice>& slices, const Grid& file_grid, bool shifted, double factor);

    /// Whether slices have field maps of their own.
    bool differ() const { return volumes_.differ(); }
    /// InputError as of SliceVolumes::take.
    std::shared_ptr<const OffResonance> of(const Slice& slice);

private:
    SliceVolumes volumes_; ///< the field, and R2* where there is one
    double factor_;
    std::shared_ptr<const OffResonance> only_; ///< field of a scan of one slice
};

} // namespace lsrecon
