#include "operators/differences.hpp"

namespace lsrecon {

RealVector differences_within(const RealVector& seen, const Grid& grid) {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    RealVector factors = RealVector::Zero(grid.dimensions * voxels);
    Eigen::Index stride = 1;
    for (Eigen::Index d = 0; d < grid.dimensions; ++d) {
        const Eigen::Index steps = voxels - stride; // some go on at the next row: those are 0
        factors.segment(d * voxels, steps) = seen.head(steps).cwiseProduct(seen.tail(steps));
        stride *= static_cast<Eigen::Index>(grid.size[static_cast<std::size_t>(d)]);
    }
    return factors;
}

} // namespace lsrecon
