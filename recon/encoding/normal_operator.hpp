// N of one encoding, and the Q of trajectories that a run keeps for it.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/report.hpp"
#include "encoding/encoding.hpp"
#include "encoding/q_store.hpp"
#include "operators/gram.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// The way to make products with F^H W F: by Q, or by F and F^H themselves.
enum class Route { q, transforms };

/// N = A^H W A of one encoding: all that its products are made of. Nothing of it changes after it
/// is made.
class NormalOperator {
public:
    using MakeQ = std::function<Q(const Trajectory&)>;

    struct Options {
        Route route = Route::q; ///< F and F^H serve where Q cannot, whatever the route
        bool for_preconditioner = false; ///< whether solves with it are preconditioned
    };
    /// `encoding` must outlive it. `make_q` gives Q of its sampling; Q of time terms is computed
    /// here.
    NormalOperator(const Encoding& encoding, const MakeQ& make_q, const Options& options,
                   Listener listener = {});
    NormalOperator(const Encoding& encoding, const MakeQ& make_q)
        : NormalOperator(encoding, make_q, Options()) {}
    NormalOperator(const NormalOperator&) = delete;

    const Encoding& encoding() const { return encoding_; }
    /// Q; null for voxels off the grid, off resonance, or where F and F^H multiply.
    const Q* q() const { return q_ ? &*q_ : nullptr; }
    /// Q that a preconditioner inverts; null for none.
    const Q* preconditioner_q() const { return mean_field_q_ ? &*mean_field_q_ : q(); }
    bool by_convolutions() const { return q_ || !terms_.empty(); }
    std::size_t terms() const { return terms_.size(); } ///< of off-resonance; 0 for one Q
    double q_at_zero() const { return q_at_zero_; } ///< the unit of lambda
    /// Bound of the relative L2 error of Q as it was computed; 0 where F and F^H multiply, whose
    /// error is that of F^H d.
    double error() const { return error_; }

    /// N on arrays of a device, by the coil maps on it. The workspace is made where it is null, and
    /// may serve others that work one at a time. DeviceError when the device has no room.
    std::unique_ptr<Gram> gram(Device& device, Precision precision, CoilMaps& maps,
                               std::shared_ptr<ToeplitzWorkspace>& workspace) const;

private:
    const Encoding& encoding_;
    std::optional<Q> q_;
    std::vector<TimeTerm> terms_; ///< in place of Q, off resonance
    /// Q for the preconditioner off resonance: neighbouring voxels have nearly the same field.
    std::optional<Q> mean_field_q_;
    double q_at_zero_;
    double error_ = 0;
};

/// Q of trajectories, alive for the run: slices that come need it again.
class QsOfRun {
public:
    /// Takes Q from the store, or null, before it computes one. Keeps the last ones, within so many
    /// bytes. All must outlive it.
    QsOfRun(QStore* store, double most_bytes, Reporter& report)
        : store_(store), most_bytes_(most_bytes), report_(report) {}

    bool are_given() const { return store_ != nullptr && store_->is_given(); }
    /// InputError as of QStore::require.
    void require(const Scan& scan, Transforms& transforms);
    /// Computed in the stage "q".
    Q of(Transforms& transforms, const Trajectory& trajectory, const Grid& grid);

private:
    Q of_store_or_computed(Transforms& transforms, const Trajectory& trajectory, const Grid& grid);

    struct Kept {
        const Trajectory* trajectory;
        Precision precision;
        double accuracy;
        Q q;
    };
    QStore* store_;
    double most_bytes_;
    Reporter& report_;
    std::deque<Kept> kept_;
};

} // namespace lsrecon
