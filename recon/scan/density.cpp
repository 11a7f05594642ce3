#include "scan/density.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "scan/reach.hpp"

namespace lsrecon {

namespace {

Density analytic(const Sampling& sampling, const Grid& grid) {
    std::optional<RealVector> cells = analytic_cells(sampling.trajectory, grid);
    if (!cells) {
        throw UsageError(
            "`density` analytic: the trajectory is neither of spokes about the centre "
            "nor of spirals from or to it, nor a stack of those\n  next:     use `density` pipe");
    }
    return {std::move(*cells), "analytic"};
}

Density pipe(const Sampling& sampling, const Grid& grid) {
    constexpr double full = 0.9; // of k-space
    Density density{pipe_menon_cells(sampling.trajectory, grid), "Pipe and Menon"};
    if (coverage(sampling, grid) < full) {
        density.findings = {{Found::blurred_by_density}};
    }
    return density;
}

Density voronoi(const Sampling& sampling, const Grid& grid) {
    return {voronoi_cells(sampling.trajectory, grid),
            grid.dimensions == 2 ? "Voronoi areas" : "Voronoi volumes"};
}

Density usual(const Sampling& sampling, const Grid& grid) {
    if (sampling.weights.size() > 0) {
        return {scaled_to_cells(sampling.trajectory, grid, sampling.weights),
                "weights of the scan"};
    }
    std::optional<RealVector> cells = analytic_cells(sampling.trajectory, grid);
    return cells ? Density{std::move(*cells), "analytic"} : pipe(sampling, grid);
}

} // namespace

CubicUnits::CubicUnits(std::vector<Vec3> trajectory, const Grid& grid)
    : k(std::move(trajectory)),
      period(static_cast<double>(*std::max_element(grid.size.begin(), grid.size.end()))), cells(1) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const double unit = static_cast<double>(grid.size[d]) / period;
        cells *= unit;
        for (Vec3& position : k) {
            position[d] /= unit;
        }
    }
}

const std::vector<DensityMethod>& density_methods() {
    static const std::vector<DensityMethod> rows{
        {"auto", "weights of the scan, else analytic where that serves, else pipe", &usual},
        {"analytic", "exact areas of radial scans, in 2D and 3D, of spirals, and of stacks of both",
         &analytic},
        {"pipe", "iterations of Pipe and Menon, for any trajectory", &pipe},
        {"voronoi", "Voronoi areas or volumes, for any trajectory", &voronoi},
    };
    return rows;
}

} // namespace lsrecon
