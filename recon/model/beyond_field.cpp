#include "model/beyond_field.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "model/calibration.hpp"
#include "model/sampled_cells.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

namespace {

/// Voxels of a calibration: so far a voxel is seen by others through a Hann window.
constexpr double voxels_of_window = 2;
constexpr std::size_t fewest = 8; ///< cycles/FOV that a calibration reaches

/// Dimensions that are widened together: a stack has samples between its own in the plane alone.
std::vector<int> widened_dimensions(const Grid& grid) {
    return grid.dimensions == 3 ? std::vector<int>{3, 2} : std::vector<int>{2};
}

Grid widened(Grid grid, int dimensions, double times) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        const auto voxels = static_cast<std::size_t>(
            2 * std::lround(times * static_cast<double>(grid.size[d]) / 2));
        grid.fov_mm[d] *= static_cast<double>(voxels) / static_cast<double>(grid.size[d]);
        grid.size[d] = voxels;
    }
    return grid;
}

/// The frame with its trajectory in cycles per the wider field of view.
Frame on_grid(const Frame& frame, const Grid& from, const Grid& to) {
    auto sampling = std::make_shared<Sampling>(*frame.sampling);
    for (Vec3& k : sampling->trajectory) {
        for (std::size_t d = 0; d < 3; ++d) {
            k[d] *= to.fov_mm[d] / from.fov_mm[d];
        }
    }
    Frame result = frame;
    result.sampling = std::move(sampling);
    return result;
}

/// Whether there is more in some voxel beyond a field of view than noise and the traces of what is
/// within.
bool is_object_beyond(const Calibration& calibration, const Vec3& field_mm) {
    constexpr double of_object = 0.05; // of the mean energy within the field of view
    constexpr double of_noise = 20; // times what a quarter of all voxels stays below
    Eigen::ArrayXd energy = calibration.smooth_energy();
    double beyond = 0;
    double within = 0;
    double voxels_within = 0;
    for (std::size_t n = 0; n < calibration.grid.voxels(); ++n) {
        const Vec3 x = Voxels::of_grid(calibration.grid).position(n);
        double outside = -HUGE_VAL; // voxels beyond the border
        for (std::size_t d = 0; d < 3; ++d) {
            const double share = field_mm[d] / calibration.grid.fov_mm[d];
            outside = std::max(outside, (std::abs(x[d]) - share / 2) *
                                            static_cast<double>(calibration.grid.size[d]));
        }
        const double here = energy(static_cast<Eigen::Index>(n));
        if (outside >= voxels_of_window) {
            beyond = std::max(beyond, here);
        }
        if (outside < 0) {
            within += here;
            ++voxels_within;
        }
    }
    const auto quarter = energy.begin() + energy.size() / 4;
    std::nth_element(energy.begin(), quarter, energy.end());
    return beyond > of_object * within / voxels_within && beyond > of_noise * *quarter;
}

} // namespace

std::optional<Grid> grid_beyond_field(Transforms& transforms, const Scan& scan,
                                      const Frame& frame) {
    for (const int dimensions : widened_dimensions(scan.grid)) {
        for (const double times : {2.0, 1.5, 1.25}) {
            const Grid wide = widened(scan.grid, dimensions, times);
            const Frame there = on_grid(frame, scan.grid, wide);
            const CalibrationField field(wide, scan.grid, {there.sampling});
            const std::size_t radius =
                field.is_narrower()
                    ? 0
                    : sampled_radius(there.sampling->trajectory, wide, field.wanted_radius(there));
            if (radius < fewest) {
                continue;
            }
            const Calibration calibration = calibrate(transforms, scan, field, there, radius);
            return is_object_beyond(calibration, scan.grid.fov_mm) ? std::optional(wide)
                                                                   : std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace lsrecon
