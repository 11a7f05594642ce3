// Makes what products with N need, and finds, computes and keeps Q.

#include "encoding/normal_operator.hpp"

#include <algorithm>

#include "operators/gram.hpp"
#include "operators/sets.hpp"

namespace lsrecon {

NormalOperator::NormalOperator(const Encoding& encoding, const MakeQ& make_q,
                               const Options& options, Listener listener)
    : encoding_(encoding) {
    const Formulation& formulation = encoding.formulation();
    const Trajectory& trajectory = encoding.trajectory();
    if (formulation.products() == Products::one_convolution && options.route == Route::q) {
        q_ = make_q(trajectory);
        error_ = q_->error;
    } else if (formulation.products() == Products::convolutions) {
        terms_ = compute_time_terms(encoding.transforms(), trajectory, formulation.grid,
                                    *formulation.voxels.off_resonance(), listener);
        for (const TimeTerm& term : terms_) {
            error_ = std::max(error_, term.q.error);
        }
        if (options.for_preconditioner) {
            mean_field_q_ = make_q(trajectory);
        }
    }
    q_at_zero_ = q_ ? q_->at_zero() : trajectory.q_weights().sum();
}

std::unique_ptr<Gram> NormalOperator::gram(Device& device, Precision precision, CoilMaps& maps,
                                           std::shared_ptr<ToeplitzWorkspace>& workspace) const {
    const Formulation& formulation = encoding_.formulation();
    if (maps.sets() > 1) {
        return make_gram_of_sets(device, precision, maps, [&](CoilMaps& none) {
            return gram(device, precision, none, workspace);
        });
    }
    if (!terms_.empty()) {
        return make_time_terms_gram(device, precision, maps, terms_,
                                    *formulation.voxels.off_resonance(), q_at_zero_);
    }
    if (q_) {
        if (!workspace) {
            workspace = std::make_shared<ToeplitzWorkspace>(device, formulation.grid, precision,
                                                            maps.count());
        }
        return std::make_unique<Toeplitz>(device, *q_, precision, maps, workspace, q_at_zero_);
    }
    Transforms& transforms = encoding_.transforms();
    const Precision of_transform =
        formulation.through_q ? Precision::float64 : transforms.precision();
    return make_explicit_gram(device, precision, maps, transforms, of_transform,
                              encoding_.trajectory(), formulation.voxels);
}

namespace {

/// A file may appear between the looks of two ranks, which compute Q together or not at all.
bool all_have(JobRanks& ranks, bool own) {
    bool all = true;
    for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
        bool has = own;
        ranks.broadcast(rank, &has, sizeof has);
        all = all && has;
    }
    return all;
}

} // namespace

void QsOfRun::require(const Scan& scan, Transforms& transforms) {
    if (store_ != nullptr) {
        store_->require(scan, [&](const Trajectory& trajectory, const Grid& grid) {
            return largest_q_error(transforms, trajectory, grid);
        });
    }
}

Q QsOfRun::of(Transforms& transforms, const Trajectory& trajectory, const Grid& grid) {
    for (const Kept& kept : kept_) {
        if (kept.trajectory == &trajectory && kept.precision == transforms.precision() &&
            kept.accuracy == transforms.accuracy()) {
            return kept.q;
        }
    }
    const Q q = of_store_or_computed(transforms, trajectory, grid);
    const auto bytes = static_cast<double>(q.half.count() * sizeof(Complex));
    while (!kept_.empty() && static_cast<double>(kept_.size() + 1) * bytes > most_bytes_) {
        kept_.pop_front();
    }
    if (most_bytes_ > 0) {
        kept_.push_back({&trajectory, transforms.precision(), transforms.accuracy(), q});
    }
    return q;
}

Q QsOfRun::of_store_or_computed(Transforms& transforms, const Trajectory& trajectory,
                                const Grid& grid) {
    if (store_ == nullptr) {
        return compute_q_in_stage(transforms, trajectory, grid, report_);
    }
    const WantedQ wanted{trajectory, grid, q_key(trajectory, grid),
                         making_of_q(transforms, trajectory, Voxels::half_differences(grid)),
                         largest_q_error(transforms, trajectory, grid)};
    const std::optional<StoredQ> found = store_->find(wanted);
    if (all_have(transforms.ranks(), found.has_value())) {
        if (!store_->is_given()) {
            transforms.record_as_made("q", trajectory.points(), Voxels::half_differences(grid));
        }
        return restored(*found, transforms.device());
    }
    Q q = compute_q_in_stage(transforms, trajectory, grid, report_);
    if (transforms.ranks().is_first()) {
        store_->keep(wanted, stored(q), transforms.computed_by());
    }
    return q;
}

} // namespace lsrecon
