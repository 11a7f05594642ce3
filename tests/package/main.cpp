#include <cmath>
#include <cstdio>

#include "lsrecon.hpp"

using namespace lsrecon;

/// F^H d of three samples on a 2 x 2 grid, by hand: voxels lie at x, y in {-1/2, 0}, so that every
/// term is +1 or -1.
int main() {
    Grid grid;
    grid.size = {2, 2, 1};
    const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const CoilMatrix mu = CoilMatrix::Ones(1, 3);
    const double expected[] = {-1, 1, 1, 3};

    ComputeOptions options;
    options.backend = "reference";
    const CoilMatrix found = adjoint_on_host(*open_transforms(options), positions, mu,
                                             Voxels::of_grid(grid), [](double) {})
                                 .values;
    for (Eigen::Index n = 0; n < 4; ++n) {
        if (std::abs(found(0, n) - expected[n]) > 1e-14) {
            std::printf("voxel %d: found %g, expected %g\n", static_cast<int>(n),
                        found(0, n).real(), expected[n]);
            return 1;
        }
    }
    std::printf("lsrecon %s\n", version);
    return 0;
}
