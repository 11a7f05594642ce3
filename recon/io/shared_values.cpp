#include "io/shared_values.hpp"

#include <algorithm>

#include "io/maps_file.hpp"

namespace lsrecon {

namespace {

double bytes_of(const StoredQ& q) {
    return static_cast<double>(q.half.values.size() * sizeof(Complex));
}

} // namespace

std::optional<StoredQ> SharedValues::q(const std::string& key) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found =
        std::find_if(qs_.begin(), qs_.end(), [&](const auto& known) { return known.first == key; });
    return found != qs_.end() ? std::optional(found->second) : std::nullopt;
}

void SharedValues::keep(const std::string& key, const StoredQ& q) {
    if (bytes_of(q) > most_bytes_) {
        return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += bytes_of(q);
    qs_.emplace_back(key, q);
    while (bytes_ > most_bytes_) {
        bytes_ -= bytes_of(qs_.front().second);
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

} // namespace lsrecon
