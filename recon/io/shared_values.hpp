// Values that scans of one process share: each Q and each volume is read or computed once.

#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "io/beside.hpp"
#include "scan/stored_q.hpp"

namespace lsrecon {

/// Values that the scans of one process share: Qs by their keys, the last ones within a bound, and
/// the volumes of the last file that was named of each kind. They are in the memory of the host, so
/// that a device has as much room as for a scan alone. Threads may use it at the same time.
class SharedValues {
public:
    /// `most_bytes` is the limit of all Qs together; a larger Q is not kept.
    explicit SharedValues(double most_bytes) : most_bytes_(most_bytes) {}

    std::optional<StoredQ> q(const std::string& key) const;
    void keep(const std::string& key, const StoredQ& q);
    /// Read once (read_volumes). The file is not expected to change.
    StoredVolumes volumes(const VolumesBeside& row, const std::string& file, const Grid& like);

private:
    const double most_bytes_;
    mutable std::mutex mutex_;
    std::deque<std::pair<std::string, StoredQ>> qs_; ///< the oldest first
    double bytes_ = 0; ///< bytes of the Qs
    struct Known {
        std::string file;
        Grid like;
        StoredVolumes values;
    };
    std::mutex volumes_mutex_; ///< reading them takes long
    std::map<const VolumesBeside*, Known> known_;
};

/// The shared values and options of one scan among others: Q depends on their options, too.
struct SharedByScans {
    SharedValues* values = nullptr; ///< null for a scan alone
    std::string options = {};
};

} // namespace lsrecon
