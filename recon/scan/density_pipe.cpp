// Density by spreading onto the cells of the grid and back.

#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "scan/density.hpp"

namespace lsrecon {

namespace {

constexpr double settled = 0.005; ///< of C C^T w, root mean square
constexpr int most_iterations = 50;
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

/// visit(cell, C) at the cells about k.
template <typename Visit> void at_cells(const Vec3& k, const Grid& grid, const Visit& visit) {
    const Taps x(k[0], grid.size[0]);
    const Taps y(k[1], grid.size[1]);
    const Taps z(k[2], grid.size[2]);
    for (std::size_t c = 0; c < (grid.size[2] > 1 ? taps : 1); ++c) {
        for (std::size_t b = 0; b < (grid.size[1] > 1 ? taps : 1); ++b) {
            const std::size_t row = (z.cells[c] * grid.size[1] + y.cells[b]) * grid.size[0];
            const double of_row = z.values[c] * y.values[b];
            for (std::size_t a = 0; a < taps; ++a) {
                visit(static_cast<Eigen::Index>(row + x.cells[a]), of_row * x.values[a]);
            }
        }
    }
}

} // namespace

RealVector density_response(const std::vector<Vec3>& trajectory, const Grid& grid,
                            const RealVector& weights) {
    RealVector cells = RealVector::Zero(static_cast<Eigen::Index>(grid.voxels()));
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        const double weight = weights(static_cast<Eigen::Index>(m));
        at_cells(trajectory[m], grid,
                 [&](Eigen::Index cell, double value) { cells(cell) += value * weight; });
    }
    RealVector response(weights.size());
    constexpr std::size_t worth_a_thread = 4096;
    const std::vector<Range> parts = split_into_ranges(trajectory.size(), worth_a_thread);
    for_each_in_parallel(parts.size(), [&](std::size_t i) {
        for (std::size_t m = parts[i].first; m < parts[i].first + parts[i].count; ++m) {
            double sum = 0;
            at_cells(trajectory[m], grid,
                     [&](Eigen::Index cell, double value) { sum += value * cells(cell); });
            response(static_cast<Eigen::Index>(m)) = sum;
        }
    });
    return response;
}

RealVector pipe_menon_cells(const std::vector<Vec3>& trajectory, const Grid& grid) {
    RealVector weights = RealVector::Ones(static_cast<Eigen::Index>(trajectory.size()));
    for (int i = 0; i < most_iterations; ++i) {
        const RealVector response = density_response(trajectory, grid, weights);
        const RealVector off = (response.array() - 1).matrix();
        weights = weights.cwiseQuotient(response);
        if (std::sqrt(weights.dot(off.cwiseAbs2()) / weights.sum()) < settled) {
            break;
        }
    }
    return weights;
}

} // namespace lsrecon
