#include "encoding/qs_of_run.hpp"

namespace lsrecon {

namespace {

/// A file may appear between the looks of two ranks, which compute Q together or not at all.
bool all_have(JobRanks& ranks, bool here) {
    bool all = true;
    for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
        bool has = here;
        ranks.broadcast(rank, &has, sizeof has);
        all = all && has;
    }
    return all;
}

} // namespace

void QsOfRun::require(const Scan& scan, Transforms& transforms) {
    if (store_ != nullptr) {
        store_->require(scan, [&](const Sampling& sampling, const Grid& grid) {
            return largest_q_error(transforms, sampling, grid);
        });
    }
}

Q QsOfRun::of(Transforms& transforms, const Sampling& sampling, const Grid& grid) {
    for (const Kept& kept : kept_) {
        if (kept.sampling == &sampling && kept.precision == transforms.precision() &&
            kept.accuracy == transforms.accuracy()) {
            return kept.q;
        }
    }
    const Q q = of_store_or_computed(transforms, sampling, grid);
    const auto bytes = static_cast<double>(q.half.count() * sizeof(Complex));
    while (!kept_.empty() && static_cast<double>(kept_.size() + 1) * bytes > most_bytes_) {
        kept_.pop_front();
    }
    if (most_bytes_ > 0) {
        kept_.push_back({&sampling, transforms.precision(), transforms.accuracy(), q});
    }
    return q;
}

Q QsOfRun::of_store_or_computed(Transforms& transforms, const Sampling& sampling,
                                const Grid& grid) {
    if (store_ == nullptr) {
        return compute_q_in_stage(transforms, sampling, grid, report_);
    }
    const WantedQ wanted{sampling, grid, q_key(sampling, grid),
                         making_of_q(transforms, sampling, Voxels::half_differences(grid)),
                         largest_q_error(transforms, sampling, grid)};
    const std::optional<StoredQ> found = store_->find(wanted);
    if (all_have(transforms.ranks(), found.has_value())) {
        return restored(*found, transforms.device());
    }
    Q q = compute_q_in_stage(transforms, sampling, grid, report_);
    if (transforms.ranks().is_first()) {
        store_->keep(wanted, stored(q), transforms.computed_by());
    }
    return q;
}

} // namespace lsrecon
