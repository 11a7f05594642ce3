// Hashes grid, positions and weights to the key of Q, and looks values up by the symmetry Q(-x) =
// conj Q(x).

#include "scan/stored_q.hpp"

#include "base/bytes_as_text.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

std::array<std::size_t, 3> q_extents(const Grid& grid) {
    std::array<std::size_t, 3> extents{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        extents[d] = 2 * grid.size[d];
    }
    return extents;
}

std::string q_key(const Trajectory& trajectory, const Grid& grid) {
    Sha256 hash;
    hash.add("lsrecon-q-1");
    hash.add(&grid.dimensions, sizeof(grid.dimensions));
    hash.add(grid.size.data(), sizeof(grid.size));
    hash.add(trajectory.positions.data(), trajectory.samples() * sizeof(Vec3));
    const RealVector weights = trajectory.q_weights();
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

// Both d and -d are among the half in the plane of slowest = 0: the later one counts.
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

} // namespace lsrecon
