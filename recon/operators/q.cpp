#include "operators/q.hpp"

#include "base/float_range.hpp"
#include "base/sha256.hpp"
#include "engines/piecewise.hpp"
#include "operators/finite.hpp"

namespace lsrecon {

std::array<std::size_t, 3> q_extents(const Grid& grid) {
    std::array<std::size_t, 3> extents{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        extents[d] = 2 * grid.size[d];
    }
    return extents;
}

std::string q_key(const Sampling& sampling, const Grid& grid) {
    Sha256 hash;
    hash.add("lsrecon-q-1");
    hash.add(&grid.dimensions, sizeof(grid.dimensions));
    hash.add(grid.size.data(), sizeof(grid.size));
    hash.add(sampling.trajectory.data(), sampling.samples() * sizeof(Vec3));
    const RealVector weights = sampling.q_weights();
    hash.add(weights.data(), static_cast<std::size_t>(weights.size()) * sizeof(double));
    return hash.hex();
}

QValues::QValues(const Grid& grid, ComplexVector half) : half_(std::move(half)) {
    const Voxels differences = Voxels::half_differences(grid);
    for (std::size_t d = 0; d < 3; ++d) {
        minus_n_[d] = -static_cast<long>(grid.size[d]);
        lengths_[d] = static_cast<long>(differences.lattice_size()[d]);
    }
    origin_ = static_cast<long>(differences.origin());
}

// In the plane of slowest = 0 both d and -d are among the half: the later one counts.
Complex QValues::at(long x, long y, long z) const {
    if (x == minus_n_[0] || y == minus_n_[1] || z == minus_n_[2]) {
        return 0;
    }
    const long from_origin = (z * lengths_[1] + y) * lengths_[0] + x;
    if (from_origin == 0) {
        return half_(origin_).real();
    }
    return from_origin > 0 ? half_(origin_ + from_origin) : std::conj(half_(origin_ - from_origin));
}

Cost Q::cost(const Grid& grid, Precision precision) {
    return Cost::array(Voxels::half_differences(grid).count(), Element{true, precision}.bytes());
}

double Q::at_zero() const {
    return half.value(Voxels::half_differences(grid).origin()).real();
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

std::vector<Q> compute_weighted_qs(Transforms& transforms, const std::vector<Vec3>& trajectory,
                                   const std::vector<RealVector>& weights, const Grid& grid,
                                   Listener listener) {
    PiecewiseTransform transform(transforms, trajectory, Voxels::half_differences(grid));
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

QMaking making_of_q(Transforms& transforms, const Sampling& sampling, const Voxels& voxels) {
    const Engine& engine = transforms.engine_for(sampling.trajectory, voxels);
    return {engine.name, engine.exact ? unit_roundoff(transforms.precision())
                                      : transforms.predict("q", sampling.trajectory, voxels).error};
}

double largest_q_error(Transforms& transforms, const Sampling& sampling, const Grid& grid) {
    constexpr double of_other_engines = 10; // that are exact
    if (transforms.accuracy_asked_for() > 0) {
        return transforms.accuracy_asked_for();
    }
    const Voxels half = Voxels::half_differences(grid);
    const bool exact = transforms.engine_for(sampling.trajectory, half).exact;
    const double own = transforms.predict("q", sampling.trajectory, half).error;
    return std::max(transforms.accuracy(), exact ? of_other_engines * own : own);
}

Q compute_q(Transforms& transforms, const Sampling& sampling, const Grid& grid, Listener listener) {
    std::vector<RealVector> weights;
    weights.push_back(sampling.q_weights());
    return std::move(
        compute_weighted_qs(transforms, sampling.trajectory, weights, grid, listener).front());
}

Q compute_q_in_stage(Transforms& transforms, const Sampling& sampling, const Grid& grid,
                     Reporter& report) {
    const Voxels half = Voxels::half_differences(grid);
    const Stage stage(report, "q", transforms.predict("q", sampling.trajectory, half).seconds);
    return compute_q(transforms, sampling, grid, report);
}

OnHost compute_q_at(Transforms& transforms, const Sampling& sampling, const Voxels& voxels,
                    Reporter& report) {
    const Stage stage(report, "q");
    OnHost q = q_on_host(transforms, sampling.trajectory, sampling.q_weights(), voxels,
                         [&](double fraction) { report.progress(fraction); });
    require_finite("q", q.values.stableNorm());
    require_not_zero("q", q.values.stableNorm());
    return q;
}

} // namespace lsrecon
