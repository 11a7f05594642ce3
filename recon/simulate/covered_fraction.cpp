#include "simulate/covered_fraction.hpp"

#include <algorithm>
#include <cmath>

#include "scan/pose.hpp"

namespace lsrecon {

namespace {

// The numbers of lines through a voxel that is partly covered, in each dimension: truths are right
// to 0.5 % (relative L2, against fine grids: tests/unit/phantom_test.cpp).
constexpr int points_per_semi_axis = 40;
constexpr int fewest_points = 6;
constexpr int most_points = 40;

/// A voxel in the space where the part is the unit ball or disc.
struct ScaledVoxel {
    Vec3 centre{0, 0, 0};
    std::array<Vec3, 3> edges{}; ///< directions and lengths of the edges along x, y and z

    ScaledVoxel(const Ellipsoid& part, const Vec3& x, const Vec3& voxel, int dimensions) {
        const Vec3& c = part.centre;
        const auto scaled = [&](const Vec3& v) {
            Vec3 result = along_axes(part, v);
            for (int k = 0; k < 3; ++k) {
                result[k] = k < dimensions ? result[k] / part.semi_axes[k] : 0;
            }
            return result;
        };
        centre = scaled({x[0] - c[0], x[1] - c[1], x[2] - c[2]});
        for (int d = 0; d < dimensions; ++d) {
            Vec3 edge{0, 0, 0};
            edge[d] = voxel[d];
            edges[d] = scaled(edge);
        }
    }
};

/// Share of the line centre + s edge, |s| <= 1/2, that lies in the unit ball.
double share_inside(const Vec3& centre, const Vec3& edge) {
    // |centre + s edge|^2 = 1 at s = middle -+ half
    const double square = dot(edge, edge);
    const double middle = -dot(centre, edge) / square;
    const double half_square = (1 - dot(centre, centre)) / square + middle * middle;
    if (half_square <= 0) {
        return 0;
    }
    const double half = std::sqrt(half_square);
    return std::max(0.0, std::min(0.5, middle + half) - std::max(-0.5, middle - half));
}

} // namespace

Vec3 along_axes(const Ellipsoid& part, const Vec3& v) {
    const double cosine = std::cos(part.angle);
    const double sine = std::sin(part.angle);
    return {cosine * v[0] + sine * v[1], -sine * v[0] + cosine * v[1], v[2]};
}

double covered_fraction(const Ellipsoid& part, const Vec3& x, const Vec3& voxel, int dimensions) {
    const ScaledVoxel scaled(part, x, voxel, dimensions);
    double nearest = 0;
    double farthest = 0;
    for (int k = 0; k < dimensions; ++k) {
        double reach = 0;
        for (int d = 0; d < dimensions; ++d) {
            reach += std::abs(scaled.edges[d][k]) / 2;
        }
        const double from_centre = std::abs(scaled.centre[k]);
        nearest += std::pow(std::max(0.0, from_centre - reach), 2);
        farthest += std::pow(from_centre + reach, 2);
    }
    if (nearest >= 1) {
        return 0;
    }
    if (farthest <= 1) {
        return 1;
    }
    std::array<int, 3> points{1, 1, 1};
    int along = 0;
    double steepest = 0;
    for (int d = 0; d < dimensions; ++d) {
        const double square = dot(scaled.edges[d], scaled.edges[d]);
        // The change of the square of the radius over half of the edge.
        const double change = std::abs(dot(scaled.centre, scaled.edges[d])) + square / 4;
        if (change > steepest) {
            steepest = change;
            along = d;
        }
        points[d] = std::clamp(static_cast<int>(points_per_semi_axis * std::sqrt(square)),
                               fewest_points, most_points);
    }
    points[along] = 1;
    const auto at = [&](int i, int d) { return (i + 0.5) / points[d] - 0.5; };
    double sum = 0;
    for (int iz = 0; iz < points[2]; ++iz) {
        for (int iy = 0; iy < points[1]; ++iy) {
            for (int ix = 0; ix < points[0]; ++ix) {
                Vec3 line = scaled.centre;
                for (int k = 0; k < dimensions; ++k) {
                    line[k] += at(ix, 0) * scaled.edges[0][k] + at(iy, 1) * scaled.edges[1][k] +
                               at(iz, 2) * scaled.edges[2][k];
                }
                sum += share_inside(line, scaled.edges[along]);
            }
        }
    }
    return sum / (points[0] * points[1] * points[2]);
}

} // namespace lsrecon
