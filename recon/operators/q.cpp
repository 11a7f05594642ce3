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

std::string q_key(const Scan& scan) {
    std::string keys;
    std::size_t samplings = 0;
    const Sampling* previous = nullptr;
    for (const Frame& frame : scan.frames) {
        if (frame.sampling.get() != previous) {
            keys += q_key(*frame.sampling, scan.grid);
            previous = frame.sampling.get();
            ++samplings;
        }
    }
    return samplings == 1 ? keys : Sha256().add(keys).hex();
}

namespace {

/// Where the difference (in voxels) stands among the values of Q.
Eigen::Index wrapped_index(const Vec3& difference, const std::array<std::size_t, 3>& extents) {
    std::size_t index = 0;
    for (std::size_t d = 3; d-- > 0;) {
        const long extent = static_cast<long>(extents[d]);
        const long at = (static_cast<long>(difference[d]) + extent) % extent;
        index = index * extents[d] + static_cast<std::size_t>(at);
    }
    return static_cast<Eigen::Index>(index);
}

} // namespace

ComplexVector expanded(const Q& q) {
    const std::array<std::size_t, 3> extents = q_extents(q.grid);
    ComplexVector values =
        ComplexVector::Zero(static_cast<Eigen::Index>(extents[0] * extents[1] * extents[2]));
    const Voxels half = Voxels::half_differences(q.grid);
    const ComplexVector of_half = q.half.values();
    for (std::size_t n = 0; n < half.count(); ++n) {
        const Vec3 d = half.in_voxels(n);
        const Complex value = n == half.origin() ? of_half(static_cast<Eigen::Index>(n)).real()
                                                 : of_half(static_cast<Eigen::Index>(n));
        // Q(-x) = conj Q(x), also where rounding or the plane of slowest = 0 would break it.
        values(wrapped_index({-d[0], -d[1], -d[2]}, extents)) = std::conj(value);
        values(wrapped_index(d, extents)) = value;
    }
    return values;
}

double Q::at_zero() const {
    return half.value(Voxels::half_differences(grid).origin()).real();
}

namespace {

Volume half_of_q(Backend& backend, PiecewiseTransform& transform, const RealVector& weights,
                 const Progress& progress) {
    Device& device = backend.device();
    const int exponent = range_exponent(backend.precision(), largest_part(weights));
    Volumes half(device, transform.voxels().count(), exponent);
    transform.adjoint(
        1, true,
        [&](const Range&, const Range& at, Array& to) {
            device.upload(weights, at, -exponent, to);
        },
        [&](const Range&, const Range& at, const Array& from) { half.add(at, from); }, progress);
    return half.finished().front();
}

} // namespace

std::vector<Q> compute_weighted_qs(Backend& backend, const std::vector<Vec3>& trajectory,
                                   const std::vector<RealVector>& weights, const Grid& grid,
                                   Reporter& report) {
    PiecewiseTransform transform(backend, trajectory, Voxels::half_differences(grid));
    std::vector<Q> result;
    const auto count = static_cast<double>(weights.size());
    for (const RealVector& of_one : weights) {
        const auto done = static_cast<double>(result.size());
        result.push_back(
            {grid, "",
             half_of_q(backend, transform, of_one,
                       [&](double fraction) { report.progress((done + fraction) / count); }),
             0});
        result.back().error = transform.error();
        const double norm = result.back().half.norm();
        require_finite("q", norm);
        require_not_zero("q", norm);
    }
    return result;
}

Q compute_q(Backend& backend, const Sampling& sampling, const Grid& grid, Reporter& report) {
    const Stage stage(report, "q");
    return std::move(
        compute_weighted_qs(backend, sampling.trajectory, {sampling.q_weights()}, grid, report)
            .front());
}

OnHost compute_q_at(Backend& backend, const Sampling& sampling, const Voxels& voxels,
                    Reporter& report) {
    const Stage stage(report, "q");
    OnHost q = q_on_host(backend, sampling.trajectory, sampling.q_weights(), voxels,
                         [&](double fraction) { report.progress(fraction); });
    require_finite("q", q.values.stableNorm());
    require_not_zero("q", q.values.stableNorm());
    return q;
}

} // namespace lsrecon
