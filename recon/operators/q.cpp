// Computes half of the differences of Q; the other half is their conjugate.

#include "operators/q.hpp"

#include "base/float_range.hpp"
#include "engines/piecewise.hpp"
#include "operators/finite.hpp"

namespace lsrecon {

Cost Q::cost(const Grid& grid, Precision precision) {
    return Cost::array(Voxels::half_differences(grid).count(), Element{true, precision}.bytes());
}

double Q::at_zero() const {
    return half.value(Voxels::half_differences(grid).origin()).real();
}

StoredQ stored(const Q& q) {
    return {q.grid, q.half.parked(), q.error};
}

Q restored(const StoredQ& stored, Device& device) {
    return {stored.grid, Volume(device, stored.half), stored.error};
}

namespace {

Volume half_of_q(Transforms& transforms, PiecewiseTransform& transform, const RealVector& weights,
                 const Progress& progress) {
    Device& device = transforms.device();
    const int exponent = range_exponent(transforms.precision(), largest_part(weights));
    const std::optional<Range> share = transform.share_of_rank("q", 1);
    Volumes half(device, transform.voxels().count(), exponent);
    transform.adjoint(
        1, true,
        [&](const Range&, const Range& at, Array& to) {
            device.upload(weights, at, -exponent, to);
        },
        [&](const Range&, const Range& at, const Array& from) {
            share ? half.add_share(from) : half.add(at, from);
        },
        progress, share);
    return share ? half.finished_by(transforms.ranks(), transform.voxels().together()).front()
                 : half.finished().front();
}

} // namespace

std::vector<Q> compute_weighted_qs(Transforms& transforms, const std::vector<Vec3>& positions,
                                   const std::vector<RealVector>& weights, const Grid& grid,
                                   Listener listener) {
    PiecewiseTransform transform(transforms, positions, Voxels::half_differences(grid));
    std::vector<Q> result;
    const auto count = static_cast<double>(weights.size());
    for (const RealVector& of_one : weights) {
        const auto done = static_cast<double>(result.size());
        result.push_back(
            {grid,
             half_of_q(transforms, transform, of_one,
                       [&](double fraction) { listener.progress((done + fraction) / count); }),
             0});
        result.back().error = transform.error();
        const double norm = result.back().half.norm();
        require_finite("q", norm);
        require_not_zero("q", norm);
    }
    return result;
}

/// What makes a Q, by which a stored one is taken or not. An exact engine errs by its rounding.
QMaking making_of_q(Transforms& transforms, const Trajectory& trajectory, const Voxels& voxels) {
    const Engine& engine = transforms.engine_for(trajectory.positions, voxels);
    return {engine.name, engine.exact
                             ? unit_roundoff(transforms.precision())
                             : transforms.predict("q", trajectory.positions, voxels).error};
}

double largest_q_error(Transforms& transforms, const Trajectory& trajectory, const Grid& grid) {
    constexpr double of_other_engines = 10; // that are exact
    if (transforms.options().is_accuracy_requested()) {
        return transforms.accuracy();
    }
    const Voxels half = Voxels::half_differences(grid);
    const bool exact = transforms.engine_for(trajectory.positions, half).exact;
    const double own = transforms.predict("q", trajectory.positions, half).error;
    return std::max(transforms.accuracy(), exact ? of_other_engines * own : own);
}

Q compute_q(Transforms& transforms, const Trajectory& trajectory, const Grid& grid,
            Listener listener) {
    std::vector<RealVector> weights;
    weights.push_back(trajectory.q_weights());
    return std::move(
        compute_weighted_qs(transforms, trajectory.positions, weights, grid, listener).front());
}

Q compute_q_in_stage(Transforms& transforms, const Trajectory& trajectory, const Grid& grid,
                     Reporter& report) {
    const Voxels half = Voxels::half_differences(grid);
    const Stage stage(report, "q", transforms.predict("q", trajectory.positions, half).seconds);
    return compute_q(transforms, trajectory, grid, report);
}

OnHost compute_q_at(Transforms& transforms, const Trajectory& trajectory, const Voxels& voxels,
                    Reporter& report) {
    const Stage stage(report, "q");
    OnHost q = q_on_host(transforms, trajectory.positions, trajectory.q_weights(), voxels,
                         [&](double fraction) { report.progress(fraction); });
    require_finite("q", q.values.stableNorm());
    require_not_zero("q", q.values.stableNorm());
    return q;
}

} // namespace lsrecon
