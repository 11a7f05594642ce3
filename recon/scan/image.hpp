#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// Relative residuals of the solver, one history a problem: before every iteration and at the end.
using ResidualHistories = std::vector<std::vector<double>>;

/// What ended the iterations; a solve that diverges is an error and gives no image.
enum class Stop { tolerance, iterations };

struct ImageFrame {
    ComplexVector values; ///< N, x fastest
    std::string label;
    std::optional<Vec3> position; ///< centre of the grid in mm (LPS), where frames differ
    ResidualHistories residuals;
    std::string solver = {}; ///< what solved it, "" when nothing was solved
    std::vector<Stop> stops = {}; ///< one a problem
};

/// The reconstructed frames and everything that says how they were made.
struct Image {
    Grid grid;
    bool on_grid = true; ///< false: one value a voxel position, no geometry
    std::vector<ImageFrame> frames;
    std::vector<std::pair<std::string, std::string>> record; ///< option or fact, and its value
    std::vector<std::pair<std::string, double>> stage_seconds;
    std::vector<std::pair<std::string, double>> numbers = {}; ///< measured, for the record
};

/// An image of the scan's grid and no frame yet.
inline Image empty_image(const Scan& scan) {
    return {scan.grid, !scan.voxels, {}, {}, {}, {}};
}

} // namespace lsrecon
