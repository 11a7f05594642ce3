// Computes the density of samples by Voronoi cells of Voro++, within the region that samples fill.

#include "base/error.hpp"
#include "scan/density.hpp"
#include "scan/pose.hpp"

#ifdef LSRECON_WITH_VOROPP
#include <map>
#include <voro++/voro++.hh>
#endif

namespace lsrecon {

#ifdef LSRECON_WITH_VOROPP

namespace {

constexpr double same_point = 1e-4; ///< cycles/FOV within which two points are one
constexpr double fills_corners = 0.8; ///< reach of samples over that of the grid's corner

/// Samples by their point, within a period.
using Points = std::map<std::array<long, 3>, std::vector<std::size_t>>;

double within(double k, double period) {
    return k - period * std::floor(k / period + 0.5);
}

Points points_of(CubicUnits& units) {
    Points points;
    for (std::size_t m = 0; m < units.k.size(); ++m) {
        std::array<long, 3> point{};
        for (std::size_t d = 0; d < 3; ++d) {
            units.k[m][d] = within(units.k[m][d], units.period);
            point[d] = std::lround(units.k[m][d] / same_point);
        }
        points[point].push_back(m);
    }
    return points;
}

/// The radius of the region around the samples: it ends half a spacing beyond the outermost sample.
double reach_of(const std::vector<Vec3>& k) {
    const Vec3 outermost = *std::max_element(
        k.begin(), k.end(), [](const Vec3& a, const Vec3& b) { return length(a) < length(b); });
    double nearest = 2;
    for (const Vec3& other : k) {
        const double between = distance(other, outermost);
        nearest = between > same_point ? std::min(nearest, between) : nearest;
    }
    return length(outermost) + nearest / 2;
}

} // namespace

RealVector voronoi_cells(const std::vector<Vec3>& positions, const Grid& grid) {
    CubicUnits units(positions, grid);
    const double reach = reach_of(units.k);
    const Points points = points_of(units);
    const bool flat = grid.dimensions == 2;
    const double half = units.period / 2;
    const double height = flat ? 0.5 : half;
    const double points_of_block = flat ? 6 : 1; // the centre of k-space is dense
    const auto blocks = static_cast<int>(
        std::max(1.0, std::pow(static_cast<double>(points.size()) / points_of_block,
                               1.0 / grid.dimensions)));
    voro::container box(-half, half, -half, half, -height, height, blocks, blocks,
                        flat ? 1 : blocks, true, true, !flat, 8);
    voro::wall_cylinder disc(0, 0, 0, 0, 0, 1, reach);
    voro::wall_sphere ball(0, 0, 0, reach);
    if (reach < fills_corners * half * std::sqrt(grid.dimensions)) {
        box.add_wall(flat ? static_cast<voro::wall&>(disc) : ball);
    }
    std::vector<const std::vector<std::size_t>*> samples;
    for (const auto& [point, at] : points) {
        const Vec3& k = units.k[at.front()];
        box.put(static_cast<int>(samples.size()), k[0], k[1], k[2]);
        samples.push_back(&at);
    }
    RealVector cells = RealVector::Zero(static_cast<Eigen::Index>(positions.size()));
    voro::c_loop_all loop(box);
    voro::voronoicell cell;
    if (loop.start()) {
        do {
            if (box.compute_cell(cell, loop)) {
                const std::vector<std::size_t>& at = *samples[static_cast<std::size_t>(loop.pid())];
                const double share = cell.volume() / static_cast<double>(at.size());
                for (const std::size_t m : at) {
                    cells(static_cast<Eigen::Index>(m)) = units.cells * share;
                }
            }
        } while (loop.inc());
    }
    return cells;
}

#else

RealVector voronoi_cells(const std::vector<Vec3>&, const Grid&) {
    throw NotBuiltError(
        "`density` voronoi: Voro++ is not built in\n  next:     use `density` pipe, "
        "or configure with -DLSRECON_WITH_VOROPP=ON");
}

#endif

} // namespace lsrecon
