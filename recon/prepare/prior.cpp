#include "prepare/prior.hpp"

#include "base/error.hpp"
#include "io/prior_file.hpp"

namespace lsrecon {

namespace {

constexpr const char* next_step =
    "name an image of the same object and place, or leave --prior and its --reg out";

} // namespace

ScanPrior::ScanPrior(const std::string& file, const Scan& scan, bool shifted) {
    StoredPrior stored = read_prior(file);
    image_ = {file, stored.sha256, {}};
    volumes_.emplace(std::move(stored.values), stored.grid, scan, scan.grid,
                     Resampled{file, "prior image", next_step, shifted});
    if (!differ()) {
        move_to(0);
    }
}

void ScanPrior::move_to(std::size_t frame) {
    const CoilRows there = volumes_->take(frame);
    if (there.largest_part() == 0) {
        throw InputError({image_.file, "prior image", "zeros alone where the image of the scan is",
                          "an image of the same place", next_step});
    }
    image_.values = ComplexVector(there.to_doubles().row(0).transpose());
    place_ = volumes_->place_of(frame);
}

} // namespace lsrecon
