#include "simulate/phantom.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "scan/voxels.hpp"
#include "simulate/covered_fraction.hpp"

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

} // namespace

Phantom::Phantom(int dimensions, std::vector<Ellipsoid> parts)
    : dimensions_(dimensions), parts_(std::move(parts)) {
    if (dimensions != 2 && dimensions != 3) {
        throw UsageError(text("a phantom has 2 or 3 dimensions, not ", dimensions));
    }
}

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

void Phantom::require_dimensions_of(const Grid& grid, const std::string& what) const {
    if (grid.dimensions != dimensions_) {
        throw UsageError(text("a phantom of ", dimensions_, " dimensions has no ", what,
                              " a grid of ", grid.dimensions));
    }
}

ComplexVector Phantom::voxel_means(const Grid& grid) const {
    require_dimensions_of(grid, "mean over");
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
    require_dimensions_of(grid, "image on");
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
