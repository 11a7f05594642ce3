// The table of ellipsoids, their transforms by Bessel functions and sines, and the means of their
// voxels by exact lengths of lines.

#include "simulate/phantom.hpp"

#include <algorithm>
#include <cmath>

#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "scan/pose.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

namespace {

/// A row as published: lengths in half fields of view, y upwards, angle in degrees.
struct PublishedRow {
    double intensity, a, b, c, x, y, z, angle;
};

constexpr PublishedRow shepp_logan_2d[] = {
    {1.0, 0.6900, 0.9200, 0, 0.00, 0.0000, 0, 0},
    {-0.8, 0.6624, 0.8740, 0, 0.00, -0.0184, 0, 0},
    {-0.2, 0.1100, 0.3100, 0, 0.22, 0.0000, 0, -18},
    {-0.2, 0.1600, 0.4100, 0, -0.22, 0.0000, 0, 18},
    {0.1, 0.2100, 0.2500, 0, 0.00, 0.3500, 0, 0},
    {0.1, 0.0460, 0.0460, 0, 0.00, 0.1000, 0, 0},
    {0.1, 0.0460, 0.0460, 0, 0.00, -0.1000, 0, 0},
    {0.1, 0.0460, 0.0230, 0, -0.08, -0.6050, 0, 0},
    {0.1, 0.0230, 0.0230, 0, 0.00, -0.6060, 0, 0},
    {0.1, 0.0230, 0.0460, 0, 0.06, -0.6050, 0, 0},
};

constexpr PublishedRow shepp_logan_3d[] = {
    {1.0, 0.6900, 0.9200, 0.810, 0.00, 0.0000, 0.00, 0},
    {-0.8, 0.6624, 0.8740, 0.780, 0.00, -0.0184, 0.00, 0},
    {-0.2, 0.1100, 0.3100, 0.220, 0.22, 0.0000, 0.00, -18},
    {-0.2, 0.1600, 0.4100, 0.280, -0.22, 0.0000, 0.00, 18},
    {0.1, 0.2100, 0.2500, 0.410, 0.00, 0.3500, -0.15, 0},
    {0.1, 0.0460, 0.0460, 0.050, 0.00, 0.1000, 0.25, 0},
    {0.1, 0.0460, 0.0460, 0.050, 0.00, -0.1000, 0.25, 0},
    {0.1, 0.0460, 0.0230, 0.050, -0.08, -0.6050, 0.00, 0},
    {0.1, 0.0230, 0.0230, 0.020, 0.00, -0.6060, 0.00, 0},
    {0.1, 0.0230, 0.0460, 0.020, 0.06, -0.6050, 0.00, 0},
};

/// The published y points up and an image's rows go down: y and the angle change sign, so that the
/// phantom stands upright when it is shown.
Ellipsoid from_published(const PublishedRow& row) {
    return {row.intensity,
            {row.a / 2, row.b / 2, row.c / 2},
            {row.x / 2, -row.y / 2, row.z / 2},
            -row.angle * pi / 180};
}

/// Components along the axes of the part.
Vec3 along_axes(const Ellipsoid& part, const Vec3& v) {
    const double cosine = std::cos(part.angle);
    const double sine = std::sin(part.angle);
    return {cosine * v[0] + sine * v[1], -sine * v[0] + cosine * v[1], v[2]};
}

/// Distance from the centre, where 1 is the outline.
double scaled_radius(const Ellipsoid& part, const Vec3& x, int dimensions) {
    const Vec3& centre = part.centre;
    const Vec3 offset = along_axes(part, {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]});
    double square = 0;
    for (int d = 0; d < dimensions; ++d) {
        square += std::pow(offset[d] / part.semi_axes[d], 2);
    }
    return std::sqrt(square);
}

/// Transform of the unit disc, J1(q) / (q / 2 pi) with q = 2 pi |k|.
double disc(double q) {
    // The series' next term is below 1e-17 of the first.
    return q < 1e-4 ? pi * (1 - q * q / 8) : 2 * pi * ::j1(q) / q;
}

/// Transform of the unit ball, 4 pi (sin q - q cos q) / q^3 with q = 2 pi |k|.
double ball(double q) {
    if (q < 0.1) {
        // sin q - q cos q cancels: 3 digits are lost at 0.1. The series' next term is below 1e-14.
        const double s = q * q;
        return 4 * pi / 3 * (1 - s / 10 * (1 - s / 28 * (1 - s / 54)));
    }
    return 4 * pi * (std::sin(q) - q * std::cos(q)) / (q * q * q);
}

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

/// Fraction of a voxel with these edges, around x, that lies inside the part: exact along the edge
/// that crosses the outline, at points along the others. A voxel may be longer than the part. All
/// in fields of view.
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

} // namespace

Phantom Phantom::shepp_logan(int dimensions) {
    std::vector<Ellipsoid> parts;
    for (const PublishedRow& row : dimensions == 3 ? shepp_logan_3d : shepp_logan_2d) {
        parts.push_back(from_published(row));
    }
    return Phantom(dimensions, std::move(parts));
}

double Phantom::intensity(const Vec3& x) const {
    double sum = 0;
    for (const Ellipsoid& part : parts_) {
        sum += scaled_radius(part, x, dimensions_) <= 1 ? part.intensity : 0.0;
    }
    return sum;
}

Complex Phantom::kspace(const Vec3& k) const {
    // The part is the unit disc or ball in u with x = centre + R A u, so that its transform is
    // det(A) exp(-i 2 pi k.centre) unit(|A R^T k|).
    Complex sum = 0;
    for (const Ellipsoid& part : parts_) {
        const Vec3 turned = along_axes(part, k);
        double square = 0;
        double determinant = 1;
        double turns = 0;
        for (int d = 0; d < dimensions_; ++d) {
            square += std::pow(part.semi_axes[d] * turned[d], 2);
            determinant *= part.semi_axes[d];
            turns += k[d] * part.centre[d];
        }
        const double q = 2 * pi * std::sqrt(square);
        const double unit = dimensions_ == 3 ? ball(q) : disc(q);
        sum += part.intensity * determinant * unit * std::polar(1.0, -2 * pi * turns);
    }
    return sum;
}

Phantom Phantom::shifted(const Vec3& by) const {
    std::vector<Ellipsoid> parts = parts_;
    for (Ellipsoid& part : parts) {
        for (int d = 0; d < dimensions_; ++d) {
            part.centre[d] += by[d];
        }
    }
    return Phantom(dimensions_, std::move(parts));
}

double Phantom::half_width() const {
    double width = 0;
    for (const Ellipsoid& part : parts_) {
        const double reach = std::hypot(part.semi_axes[0] * std::cos(part.angle),
                                        part.semi_axes[1] * std::sin(part.angle));
        width = std::max(width, std::abs(part.centre[0]) + reach);
    }
    return width;
}

ComplexVector Phantom::voxel_means(const Grid& grid) const {
    const Voxels voxels = Voxels::of_grid(grid);
    const Vec3 voxel{1 / voxels.per_fov()[0], 1 / voxels.per_fov()[1], 1 / voxels.per_fov()[2]};
    ComplexVector means(static_cast<Eigen::Index>(voxels.count()));
    for_each_range_in_parallel(voxels.count(), all_cores(), [&](const Range& range) {
        for (std::size_t n = range.first; n < range.first + range.count; ++n) {
            const Vec3 x = voxels.position(n);
            double mean = 0;
            for (const Ellipsoid& part : parts_) {
                mean += part.intensity * covered_fraction(part, x, voxel, dimensions_);
            }
            means(static_cast<Eigen::Index>(n)) = mean;
        }
    });
    return means;
}

ComplexVector Phantom::band_limited(const Grid& grid) const {
    // FFTW has k and x = 0 first, the grid has them at floor(N/2).
    const auto from_centre = [&](std::size_t n, int d) {
        return static_cast<double>(n) - static_cast<double>(grid.size[d] / 2);
    };
    const auto in_fft = [&](std::size_t x, std::size_t y, std::size_t z) {
        const auto turned = [&](std::size_t n, int d) {
            return (n + grid.size[d] - grid.size[d] / 2) % grid.size[d];
        };
        return turned(x, 0) + grid.size[0] * (turned(y, 1) + grid.size[1] * turned(z, 2));
    };
    const auto for_each = [&](const auto& visit) {
        std::size_t n = 0;
        for (std::size_t z = 0; z < grid.size[2]; ++z) {
            for (std::size_t y = 0; y < grid.size[1]; ++y) {
                for (std::size_t x = 0; x < grid.size[0]; ++x) {
                    visit(x, y, z, static_cast<Eigen::Index>(n++));
                }
            }
        }
    };
    ComplexVector values(static_cast<Eigen::Index>(grid.voxels()));
    for_each([&](std::size_t x, std::size_t y, std::size_t z, Eigen::Index) {
        values(static_cast<Eigen::Index>(in_fft(x, y, z))) =
            kspace({from_centre(x, 0), from_centre(y, 1), from_centre(z, 2)});
    });
    Fft<double>(grid.size).backward(values.data());
    ComplexVector image(values.size());
    for_each([&](std::size_t x, std::size_t y, std::size_t z, Eigen::Index n) {
        image(n) = values(static_cast<Eigen::Index>(in_fft(x, y, z)));
    });
    return image;
}

} // namespace lsrecon
