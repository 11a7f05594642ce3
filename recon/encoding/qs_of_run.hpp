#pragma once

#include <deque>
#include <utility>

#include "base/report.hpp"
#include "encoding/q_store.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// Q of samplings, alive for the run: slices that come need it again.
class QsOfRun {
public:
    /// Takes Q from the store, or null, before it computes one. Keeps the last ones, within so many
    /// bytes. All must outlive it.
    QsOfRun(Transforms& transforms, QStore* store, double most_bytes, Reporter& report)
        : transforms_(transforms), store_(store), most_bytes_(most_bytes), report_(report) {}

    bool are_given() const { return store_ != nullptr && store_->is_given(); }
    /// InputError as of QStore::require.
    void require(const Scan& scan);
    /// Computed in the stage "q".
    Q of(const Sampling& sampling, const Grid& grid);
    /// Drops what is kept: the transforms compute otherwise from now on.
    void forget() { kept_.clear(); }

private:
    Q of_store_or_computed(const Sampling& sampling, const Grid& grid);

    Transforms& transforms_;
    QStore* store_;
    double most_bytes_;
    Reporter& report_;
    std::deque<std::pair<const Sampling*, Q>> kept_;
};

} // namespace lsrecon
