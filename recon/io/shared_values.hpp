#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "operators/q.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// What scans of one process have in common: Qs by their keys, the last ones within a bound, and
/// the coil maps of the last file that was named. In the memory of the host, so that a device has
/// as much room as for a scan alone. Threads may use it at the same time.
class SharedValues {
public:
    /// `most_bytes` of Qs; a larger one is not kept.
    explicit SharedValues(double most_bytes) : most_bytes_(most_bytes) {}

    /// The same bits as were kept, on this device where they were on one.
    std::optional<Q> q(const std::string& key, Device& device) const;
    void keep(const std::string& key, const Q& q);
    /// Read once (read_maps). The file is not expected to change.
    StoredMaps maps(const std::string& file, const Grid& like);
    /// Before scans with other options.
    void forget_qs();

private:
    struct ParkedQ {
        std::string key;
        Grid grid;
        ParkedVolume half;
        double error;
        double bytes() const { return static_cast<double>(half.values.size() * sizeof(Complex)); }
    };

    const double most_bytes_;
    mutable std::mutex mutex_;
    std::deque<ParkedQ> qs_; ///< the oldest first
    double bytes_ = 0; ///< of them
    std::mutex maps_mutex_; ///< reading them takes long
    std::string maps_of_; ///< their file, "" where there are none
    Grid maps_like_;
    StoredMaps maps_;
};

} // namespace lsrecon
