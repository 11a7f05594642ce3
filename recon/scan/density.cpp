// The table of density methods, Pipe and Menon's iteration on a grid of B-splines, and the scale of
// the weights.

#include "scan/density.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "scan/findings.hpp"

namespace lsrecon {

namespace {

constexpr double last_rms = 0.01; ///< root mean square of C C^T w - 1 at which the iterations end
constexpr int most_iterations = 30;
/// Cells of C a cycle per FOV. Whole ones leave images of radial scans and spirals 1.5 to 4 times
/// farther from the truth.
constexpr std::size_t fine = 2;
constexpr std::size_t taps = 4;

/// C along one dimension: cubic B-splines, which add up to 1, at the cells about k.
struct Taps {
    std::array<std::size_t, taps> cells{};
    std::array<double, taps> values{1, 0, 0, 0};

    Taps(double k, std::size_t period) {
        if (period == 1) {
            return;
        }
        const double below = std::floor(k);
        const double t = k - below;
        const double u = 1 - t;
        values = {u * u * u / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
                  (4 - 6 * u * u + 3 * u * u * u) / 6, t * t * t / 6};
        const long n = static_cast<long>(period);
        for (std::size_t i = 0; i < taps; ++i) {
            const long cell = (static_cast<long>(below) + static_cast<long>(i) - 1) % n;
            cells[i] = static_cast<std::size_t>(cell < 0 ? cell + n : cell);
        }
    }
};

/// The period of the grid in cells of C, so many a cycle per field of view.
struct Cells {
    Cells(const Grid& grid, std::size_t each) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            if (grid.size[d] > 1) {
                per_cycle[d] = each;
                extents[d] = each * grid.size[d];
            }
        }
    }
    std::size_t count() const { return extents[0] * extents[1] * extents[2]; }
    /// The number of cells in a cycle per field of view, over all dimensions.
    double density() const { return double(per_cycle[0] * per_cycle[1] * per_cycle[2]); }

    std::array<std::size_t, 3> per_cycle{1, 1, 1};
    std::array<std::size_t, 3> extents{1, 1, 1};
};

/// visit(cell, C) at the cells about k.
template <typename Visit> void at_cells(const Vec3& k, const Cells& of, const Visit& visit) {
    const auto along = [&](std::size_t d) {
        return Taps(k[d] * static_cast<double>(of.per_cycle[d]), of.extents[d]);
    };
    const Taps x = along(0);
    const Taps y = along(1);
    const Taps z = along(2);
    for (std::size_t c = 0; c < (of.extents[2] > 1 ? taps : 1); ++c) {
        for (std::size_t b = 0; b < (of.extents[1] > 1 ? taps : 1); ++b) {
            const std::size_t row = (z.cells[c] * of.extents[1] + y.cells[b]) * of.extents[0];
            const double of_row = z.values[c] * y.values[b];
            for (std::size_t a = 0; a < (of.extents[0] > 1 ? taps : 1); ++a) {
                visit(static_cast<Eigen::Index>(row + x.cells[a]), of_row * x.values[a]);
            }
        }
    }
}

/// C C^T w: weights spread onto cells and read back at the samples. Good weights give 1.
RealVector response_of(const std::vector<Vec3>& positions, const Cells& of,
                       const RealVector& weights) {
    RealVector cells = RealVector::Zero(static_cast<Eigen::Index>(of.count()));
    for (std::size_t m = 0; m < positions.size(); ++m) {
        const double weight = weights(static_cast<Eigen::Index>(m));
        at_cells(positions[m], of,
                 [&](Eigen::Index cell, double value) { cells(cell) += value * weight; });
    }
    RealVector response(weights.size());
    constexpr std::size_t worth_a_thread = 4096;
    const std::vector<Range> parts = split_into_ranges(positions.size(), worth_a_thread);
    for_each_in_parallel(parts.size(), [&](std::size_t i) {
        for (std::size_t m = parts[i].first; m < parts[i].first + parts[i].count; ++m) {
            double sum = 0;
            at_cells(positions[m], of,
                     [&](Eigen::Index cell, double value) { sum += value * cells(cell); });
            response(static_cast<Eigen::Index>(m)) = of.density() * sum;
        }
    });
    return response;
}

/// The energy, along one dimension, of an object that is a triangle as wide as half of the field of
/// view: sinc(k / 4)^4 and its integral. Its sum over whole k is the same, since the object meets
/// no copy of itself.
double energy_at(double k) {
    const double t = pi * k / 4;
    return k == 0 ? 1 : std::pow(std::sin(t) / t, 4);
}
constexpr double energy_of_all = 8.0 / 3;

/// The factor by which that object becomes as bright in the image as it is.
double scale_of(const std::vector<Vec3>& positions, const Grid& grid, const RealVector& weights) {
    double energy = 1;
    RealVector of_samples = weights;
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid.size[d] > 1) {
            energy *= energy_of_all;
            for (std::size_t m = 0; m < positions.size(); ++m) {
                of_samples(static_cast<Eigen::Index>(m)) *= energy_at(positions[m][d]);
            }
        }
    }
    return energy / of_samples.sum();
}

} // namespace

RealVector scaled_to_cells(const std::vector<Vec3>& positions, const Grid& grid,
                           const RealVector& weights) {
    const double most = static_cast<double>(grid.voxels()) / weights.sum(); // all of k-space
    return std::min(most, scale_of(positions, grid, weights)) * weights;
}

RealVector pipe_menon_cells(const std::vector<Vec3>& positions, const Grid& grid) {
    const Cells cells(grid, fine);
    RealVector weights = RealVector::Ones(static_cast<Eigen::Index>(positions.size()));
    for (int i = 0; i < most_iterations; ++i) {
        const RealVector response = response_of(positions, cells, weights);
        const RealVector off = (response.array() - 1).matrix();
        const double rms = std::sqrt(weights.dot(off.cwiseAbs2()) / weights.sum());
        if (rms < last_rms) {
            break;
        }
        weights = weights.cwiseQuotient(response);
    }
    // The factor of a full Cartesian scan; a larger one would let sparse samples stand for more
    // than a cell.
    const double most = std::pow(10.0 / 9, std::log(cells.density()) / std::log(fine));
    return std::min(most, scale_of(positions, grid, weights)) * weights;
}

namespace {

Density analytic(const Trajectory& trajectory, const Grid& grid) {
    std::optional<RealVector> cells = analytic_cells(trajectory.positions, grid);
    if (!cells) {
        throw UsageError(
            "`density` analytic: the trajectory is neither of spokes about the centre "
            "nor of spirals from or to it, nor a stack of those\n  next:     use `density` pipe");
    }
    return {std::move(*cells), "analytic"};
}

Density pipe(const Trajectory& trajectory, const Grid& grid) {
    constexpr double full = 0.9; // of k-space
    Density density{pipe_menon_cells(trajectory.positions, grid), "Pipe and Menon"};
    if (coverage(trajectory, reached_by({&trajectory}, grid)) < full) {
        density.findings = {{Found::blurred_by_density}};
    }
    return density;
}

Density voronoi(const Trajectory& trajectory, const Grid& grid) {
    return {voronoi_cells(trajectory.positions, grid),
            grid.dimensions == 2 ? "Voronoi areas" : "Voronoi volumes"};
}

Density best_known(const Trajectory& trajectory, const Grid& grid) {
    if (trajectory.weights.size() > 0) {
        return {scaled_to_cells(trajectory.positions, grid, trajectory.weights),
                "weights of the scan"};
    }
    std::optional<RealVector> cells = analytic_cells(trajectory.positions, grid);
    return cells ? Density{std::move(*cells), "analytic"} : pipe(trajectory, grid);
}

} // namespace

CubicUnits::CubicUnits(std::vector<Vec3> positions, const Grid& grid)
    : k(std::move(positions)),
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
        {"auto", "weights of the scan, else analytic where that serves, else pipe", &best_known},
        {"analytic", "exact areas of radial scans, in 2D and 3D, of spirals, and of stacks of both",
         &analytic},
        {"pipe", "iterations of Pipe and Menon, for any trajectory", &pipe},
        {"voronoi", "Voronoi areas or volumes, for any trajectory", &voronoi},
    };
    return rows;
}

} // namespace lsrecon
