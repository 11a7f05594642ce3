// Resamples the prior image to each slice, and refuses one that is zero where the image of the
// slice is.

#include "model/prior.hpp"

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr const char* next_step =
    "name an image of the same object and pose, or leave `prior` and its `reg` out";

} // namespace

ScanPrior::ScanPrior(const std::string& file, StoredVolumes stored, const Scan& scan,
                     const std::vector<Slice>& slices, bool shifted)
    : file_(file), volumes_(std::move(stored.values), stored.grid, scan, slices, scan.grid,
                            Resampled{file, "prior image", next_step, shifted}) {
    if (!volumes_.differ()) {
        only_ = of(slices.front());
    }
}

std::shared_ptr<const PriorImage> ScanPrior::of(const Slice& slice) {
    if (only_) {
        return only_;
    }
    const CoilRows there = volumes_.take(slice);
    if (there.largest_part() == 0) {
        throw InputError({file_, "prior image", "only zeros where the image of the scan is",
                          "an image of the same pose", next_step});
    }
    return std::make_shared<const PriorImage>(
        PriorImage{file_, ComplexVector(there.to_doubles().row(0).transpose())});
}

} // namespace lsrecon
