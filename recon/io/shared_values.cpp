// Keeps Q in a queue that drops the oldest beyond its bound, and volumes of the last file of each
// kind.

#include "io/shared_values.hpp"

#include <algorithm>

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

StoredVolumes SharedValues::volumes(const VolumesBeside& row, const std::string& file,
                                    const Grid& like) {
    const std::lock_guard<std::mutex> lock(volumes_mutex_);
    const auto found = known_.find(&row);
    // Volumes without a field of view get that of `like`.
    if (found != known_.end() && found->second.file == file &&
        found->second.like.same_lattice(like) && found->second.like.fov_mm == like.fov_mm) {
        return found->second.values;
    }
    known_.erase(&row); // an error leaves none
    return known_.emplace(&row, Known{file, like, read_volumes(row, file, like)})
        .first->second.values;
}

} // namespace lsrecon
