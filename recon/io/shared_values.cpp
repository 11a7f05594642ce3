#include "io/shared_values.hpp"

#include <algorithm>

#include "io/maps_file.hpp"

namespace lsrecon {

std::optional<Q> SharedValues::q(const std::string& key, Device& device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(qs_.begin(), qs_.end(),
                                    [&](const ParkedQ& parked) { return parked.key == key; });
    if (found == qs_.end()) {
        return std::nullopt;
    }
    return Q{found->grid, Volume(device, found->half), found->error};
}

void SharedValues::keep(const std::string& key, const Q& q) {
    ParkedQ parked{key, q.grid, q.half.parked(), q.error};
    if (parked.bytes() > most_bytes_) {
        return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += parked.bytes();
    qs_.push_back(std::move(parked));
    while (bytes_ > most_bytes_) {
        bytes_ -= qs_.front().bytes();
        qs_.pop_front();
    }
}

StoredMaps SharedValues::maps(const std::string& file, const Grid& like) {
    const std::lock_guard<std::mutex> lock(maps_mutex_);
    // Maps without a field of view get that of `like`.
    if (maps_of_ != file || !maps_like_.same_lattice(like) || maps_like_.fov_mm != like.fov_mm) {
        maps_of_.clear(); // an error leaves none
        maps_ = read_maps(file, like);
        maps_of_ = file;
        maps_like_ = like;
    }
    return maps_;
}

void SharedValues::forget_qs() {
    const std::lock_guard<std::mutex> lock(mutex_);
    qs_.clear();
    bytes_ = 0;
}

} // namespace lsrecon
