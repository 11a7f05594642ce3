#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// How one frame's solver went, one entry a coil that was solved for itself.
struct Convergence {
    std::vector<std::vector<double>>
        residuals; ///< relative residual before every iteration, and the last
};

/// The reconstructed frames and everything that says how they were made.
struct Image {
    Grid grid;
    bool on_grid = true; ///< false: one value a voxel position, no geometry
    std::vector<ComplexVector> frames; ///< N values each, x fastest
    std::vector<std::string> labels;
    std::vector<std::optional<Vec3>> positions; ///< of the frames' centres, mm (LPS)
    std::vector<Convergence> convergence;
    std::vector<std::pair<std::string, std::string>> record; ///< option or fact, and its value
    std::vector<std::pair<std::string, double>> stage_seconds;
};

} // namespace lsrecon
