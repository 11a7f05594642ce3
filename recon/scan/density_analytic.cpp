// Density of spokes and spirals, recognised by their positions alone.

#include <algorithm>
#include <numeric>

#include "base/numbers.hpp"
#include "base/ranges.hpp"
#include "scan/density.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// Distance of a spoke from the centre, cycles/FOV: delays of gradients move spokes so.
constexpr double off_centre = 0.5;
constexpr double straight = 0.99; ///< cosine of steps of a spoke
constexpr double nearly_symmetric = 0.8; ///< shorter half of a full spoke over the longer
constexpr double jump = 4; ///< steps from one spiral to the next, over the usual one
constexpr double same_spiral = 0.1; ///< cycles/FOV between radii of two readouts
constexpr double same_plane = 0.05; ///< cycles/FOV between samples of one

/// Runs of steps in one direction.
std::vector<Range> straight_runs(const std::vector<Vec3>& k) {
    std::vector<Range> runs;
    std::size_t first = 0;
    for (std::size_t m = 1; m <= k.size(); ++m) {
        bool ends = m == k.size();
        if (!ends && m > first + 1) {
            const Vec3 before = minus(k[m - 1], k[m - 2]);
            const Vec3 step = minus(k[m], k[m - 1]);
            ends = dot(before, step) <= straight * length(before) * length(step);
        }
        if (ends) {
            runs.push_back({first, m - first});
            first = m;
        }
    }
    return runs;
}

/// A readout by its signed distances from the centre, and where it points: the angle about z.
struct Readout {
    Range samples;
    Vec3 direction;
    std::vector<double> radii;
    double both_sides; ///< how far a line goes on either side of the centre
};

/// The shares of all directions that one readout stands for: up to the radius that its line reaches
/// on both sides of the centre, and beyond that radius.
struct Share {
    double of_two_sides;
    double of_one;
};

/// The part of the angle about the centre, pi or 2 pi, that each readout stands for: half of the
/// angle to either neighbour.
std::vector<double> angles_between(const std::vector<Readout>& readouts, double turn) {
    std::vector<double> angles;
    for (const Readout& readout : readouts) {
        const double angle = std::atan2(readout.direction[1], readout.direction[0]);
        angles.push_back(angle - turn * std::floor(angle / turn));
    }
    std::vector<std::size_t> order(angles.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return angles[a] < angles[b]; });
    std::vector<double> shares(angles.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t next = (i + 1) % order.size();
        const double gap = angles[order[next]] - angles[order[i]] + (next == 0 ? turn : 0);
        shares[order[i]] += gap / 2;
        shares[order[next]] += gap / 2;
    }
    return shares;
}

/// The share times the integral of |r|^(D-1) about each sample, up to half of the way to the next.
void add_cells(const Readout& readout, const Share& share, int dimensions, RealVector& cells) {
    const std::vector<double>& r = readout.radii;
    const auto power = [&](double radius) { return std::pow(radius, dimensions) / dimensions; };
    const double both = readout.both_sides;
    const auto integral = [&](double end) {
        const double radius = std::abs(end);
        return std::copysign(share.of_two_sides * power(std::min(radius, both)) +
                                 share.of_one * (power(std::max(radius, both)) - power(both)),
                             end);
    };
    const auto end_of = [](double radius, double step) {
        const double end = radius + step / 2;
        return radius * end <= 0 ? 0 : end; // a readout from the centre has no other half
    };
    const std::size_t last = r.size() - 1;
    const double sign = r[last] < r[0] ? -1 : 1;
    double from = end_of(r[0], r[0] - r[1]);
    for (std::size_t i = 0; i <= last; ++i) {
        const double to = i < last ? (r[i] + r[i + 1]) / 2 : end_of(r[i], r[i] - r[i - 1]);
        cells(static_cast<Eigen::Index>(readout.samples.first + i)) =
            std::max(0.0, sign * (integral(to) - integral(from)));
        from = to;
    }
}

enum class Kind { none, full, partial, half };

/// A line from one side of the centre to the other, as far or not, or from the centre.
Kind kind_of_spoke(Readout& readout, const std::vector<Vec3>& k) {
    const std::size_t begin = readout.samples.first;
    const std::size_t end = begin + readout.samples.count - 1;
    if (readout.samples.count < 3) {
        return Kind::none;
    }
    Vec3 direction = minus(k[end], k[begin]);
    const double extent = length(direction);
    for (double& part : direction) {
        part /= extent;
    }
    if (-dot(k[begin], direction) > dot(k[end], direction)) { // the longer half points along it
        direction = {-direction[0], -direction[1], -direction[2]};
    }
    double nearest = extent;
    for (std::size_t m = begin; m <= end; ++m) {
        const double along = dot(k[m], direction);
        readout.radii.push_back(along);
        const Vec3 on_line{along * direction[0], along * direction[1], along * direction[2]};
        if (length(minus(k[m], on_line)) > off_centre) {
            return Kind::none;
        }
        nearest = std::min(nearest, std::abs(along));
    }
    readout.direction = direction;
    const auto [least, most] = std::minmax_element(readout.radii.begin(), readout.radii.end());
    const double step = extent / static_cast<double>(readout.samples.count - 1);
    if (-*least >= nearly_symmetric * *most) {
        readout.both_sides = 2 * extent; // and no end
        return Kind::full;
    }
    if (nearest > std::max(1.0, step)) {
        return Kind::none;
    }
    if (*least >= -step) {
        return Kind::half;
    }
    readout.both_sides = step / 2 - *least;
    return Kind::partial;
}

/// Whether directions are spread over the sphere: then sum of u u^T is 1/3 in all directions.
bool spread_evenly(const std::vector<Readout>& readouts) {
    constexpr double even = 0.05;
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
    for (const Readout& readout : readouts) {
        const Eigen::Vector3d u(readout.direction[0], readout.direction[1], readout.direction[2]);
        moments += u * u.transpose() / static_cast<double>(readouts.size());
    }
    return (moments - Eigen::Matrix3d::Identity() / 3).cwiseAbs().maxCoeff() < even;
}

/// Lines beside each other, and no spokes.
bool are_parallel(const std::vector<Readout>& readouts) {
    constexpr double one_direction = 0.999; // cosine: 2.6 degrees
    return std::all_of(readouts.begin(), readouts.end(), [&](const Readout& readout) {
        return std::abs(dot(readout.direction, readouts.front().direction)) > one_direction;
    });
}

std::optional<RealVector> cells_of_spokes(const std::vector<Vec3>& k, int dimensions) {
    std::vector<Readout> spokes;
    Kind kind = Kind::none;
    for (const Range& run : straight_runs(k)) {
        spokes.push_back({run, {}, {}, 0});
        const Kind found = kind_of_spoke(spokes.back(), k);
        if (found == Kind::none || (kind != Kind::none && found != kind)) {
            return {};
        }
        kind = found;
    }
    if (are_parallel(spokes) || (dimensions == 3 && !spread_evenly(spokes))) {
        return {};
    }
    const auto shares = [&](double turn) {
        return dimensions == 2 ? angles_between(spokes, turn)
                               : std::vector<double>(spokes.size(),
                                                     2 * turn / static_cast<double>(spokes.size()));
    };
    const std::vector<double> of_two_sides = shares(pi);
    const std::vector<double> of_one = shares(2 * pi);
    RealVector cells = RealVector::Zero(static_cast<Eigen::Index>(k.size()));
    for (std::size_t i = 0; i < spokes.size(); ++i) {
        add_cells(spokes[i], {of_two_sides[i], of_one[i]}, dimensions, cells);
    }
    return cells;
}

/// Readouts of one length whose radii are the same and never fall: turned copies of one curve.
std::optional<RealVector> cells_of_spirals(const std::vector<Vec3>& k) {
    std::vector<double> steps;
    for (std::size_t m = 1; m < k.size(); ++m) {
        steps.push_back(length(minus(k[m], k[m - 1])));
    }
    const double usual = median(steps);
    const auto first_jump =
        std::find_if(steps.begin(), steps.end(), [&](double step) { return step > jump * usual; });
    const auto each = static_cast<std::size_t>(first_jump - steps.begin()) + 1;
    if (each < 3 || k.size() % each != 0) {
        return {};
    }
    std::vector<Readout> readouts;
    for (const Range& run : split_into_ranges(k.size(), each)) {
        Readout readout{run, k[run.first + each - 1], {}, 0};
        double largest = 0;
        for (std::size_t i = 0; i < each; ++i) {
            const double radius = length(k[run.first + i]);
            const double of_first = readouts.empty() ? radius : readouts.front().radii[i];
            if (radius < largest - same_spiral || std::abs(radius - of_first) > same_spiral) {
                return {};
            }
            largest = std::max(largest, radius);
            readout.radii.push_back(largest);
        }
        readouts.push_back(std::move(readout));
    }
    if (readouts.front().radii.front() > 1) {
        return {};
    }
    const std::vector<double> shares = angles_between(readouts, 2 * pi);
    RealVector cells = RealVector::Zero(static_cast<Eigen::Index>(k.size()));
    for (std::size_t i = 0; i < readouts.size(); ++i) {
        add_cells(readouts[i], {0, shares[i]}, 2, cells);
    }
    return cells;
}

std::optional<RealVector> cells_in_plane(std::vector<Vec3> k) {
    if (k.size() < 3) {
        return {};
    }
    if (std::optional<RealVector> cells = cells_of_spokes(k, 2)) {
        return cells;
    }
    const bool inward = length(k.back()) < length(k.front());
    if (inward) {
        std::reverse(k.begin(), k.end());
    }
    std::optional<RealVector> cells = cells_of_spirals(k);
    if (cells && inward) {
        cells->reverseInPlace();
    }
    return cells;
}

/// Planes across z, each with half of the way to either neighbour.
std::optional<RealVector> cells_of_stack(const std::vector<Vec3>& k) {
    std::vector<std::size_t> order(k.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return k[a][2] < k[b][2]; });
    std::vector<std::vector<std::size_t>> planes;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || k[order[i]][2] - k[order[i - 1]][2] > same_plane) {
            planes.emplace_back();
        }
        planes.back().push_back(order[i]);
    }
    if (planes.size() < 2) {
        return {};
    }
    const auto height = [&](std::size_t plane) { return k[planes[plane].front()][2]; };
    RealVector cells(static_cast<Eigen::Index>(k.size()));
    for (std::size_t p = 0; p < planes.size(); ++p) {
        std::sort(planes[p].begin(), planes[p].end()); // as they were sampled
        std::vector<Vec3> in_plane;
        for (const std::size_t m : planes[p]) {
            in_plane.push_back({k[m][0], k[m][1], 0});
        }
        const std::optional<RealVector> areas = cells_in_plane(std::move(in_plane));
        if (!areas) {
            return {};
        }
        const std::size_t below = p == 0 ? p : p - 1;
        const std::size_t above = p + 1 == planes.size() ? p : p + 1;
        const double thickness =
            (height(above) - height(below)) / static_cast<double>(above - below);
        for (std::size_t i = 0; i < planes[p].size(); ++i) {
            cells(static_cast<Eigen::Index>(planes[p][i])) =
                thickness * (*areas)(static_cast<Eigen::Index>(i));
        }
    }
    return cells;
}

} // namespace

std::optional<RealVector> analytic_cells(const std::vector<Vec3>& positions, const Grid& grid) {
    if (positions.size() < 3) {
        return {};
    }
    const CubicUnits units(positions, grid);
    std::optional<RealVector> cells =
        grid.dimensions == 2 ? cells_in_plane(units.k) : cells_of_spokes(units.k, 3);
    if (!cells && grid.dimensions == 3) {
        cells = cells_of_stack(units.k);
    }
    if (cells) {
        *cells *= units.cells;
    }
    return cells;
}

} // namespace lsrecon
