// The port through which a run takes Q from a store and gives it to one; io/ implements it.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/computation.hpp"
#include "scan/stored_q.hpp"

namespace lsrecon {

/// The largest error that Q of a trajectory may have.
using LargestQError = std::function<double(const Trajectory& trajectory, const Grid& grid)>;

/// The Q that a run needs.
struct WantedQ {
    const Trajectory& trajectory;
    const Grid& grid;
    std::string key; ///< q_key of both
    QMaking making; ///< what would make it
    double largest_error;
};

/// A store of Qs from other runs and other scans.
class QStore {
public:
    virtual ~QStore() = default;
    /// Whether the user brings Q, which the scan must then be able to use.
    virtual bool is_given() const { return false; }
    /// InputError when a Q that the user brings is missing or wrong, so that nothing is after hours
    /// of work.
    virtual void require(const Scan& scan, const LargestQError& largest_error) = 0;
    /// The stored Q, or none where it has to be computed.
    virtual std::optional<StoredQ> find(const WantedQ& wanted) = 0;
    /// Keeps a computed Q where there was none, or replaces one that find() refused.
    virtual void keep(const WantedQ& wanted, const StoredQ& q, const ComputedBy& by) = 0;
};

} // namespace lsrecon
