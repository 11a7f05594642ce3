#pragma once

#include <deque>

#include "base/report.hpp"
#include "encoding/q_store.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// Q of samplings, alive for the run: slices that come need it again.
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
    Q of(Transforms& transforms, const Sampling& sampling, const Grid& grid);

private:
    Q of_store_or_computed(Transforms& transforms, const Sampling& sampling, const Grid& grid);

    struct Kept {
        const Sampling* sampling;
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
