#include "stages/q.hpp"

#include "base/sha256.hpp"
#include "stages/finite.hpp"

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
    for (std::size_t n = 0; n < half.count(); ++n) {
        const Vec3 d = half.in_voxels(n);
        const Complex value = q.half(static_cast<Eigen::Index>(n));
        // Q(-x) = conj Q(x), also where rounding or the plane of slowest = 0 would break it.
        values(wrapped_index({-d[0], -d[1], -d[2]}, extents)) = std::conj(value);
        values(wrapped_index(d, extents)) = value;
    }
    return values;
}

double Q::at_zero() const {
    return half(static_cast<Eigen::Index>(Voxels::half_differences(grid).origin())).real();
}

Q compute_q(Backend& backend, const Sampling& sampling, const Grid& grid, Reporter& report) {
    const Stage stage(report, "q");
    const Voxels half = Voxels::half_differences(grid);
    Q q{grid, q_key(sampling, grid),
        backend.q(sampling.trajectory, sampling.q_weights(), half,
                  [&](double fraction) { report.progress(fraction); })};
    require_finite("q", q.half);
    require_not_zero("q", q.half);
    q.half(static_cast<Eigen::Index>(half.origin())) = q.at_zero();
    return q;
}

ComplexVector compute_q_at(Backend& backend, const Sampling& sampling, const Voxels& voxels,
                           Reporter& report) {
    const Stage stage(report, "q");
    ComplexVector q = backend.q(sampling.trajectory, sampling.q_weights(), voxels,
                                [&](double fraction) { report.progress(fraction); });
    require_finite("q", q);
    require_not_zero("q", q);
    return q;
}

} // namespace lsrecon
