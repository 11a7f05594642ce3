#include "simulate/trajectories.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/types.hpp"
#include "simulate/trajectory_parts.hpp"

namespace lsrecon {

namespace {

/// Readouts of a trajectory whose density they alone decide.
std::size_t readout_count(const TrajectoryOptions& options, double nyquist) {
    if (options.readouts > 0 && options.undersampling != 1) {
        throw UsageError("`readouts` and `undersampling` both set the number of readouts\n"
                         "  next:     leave one of them out");
    }
    return options.readouts > 0 ? options.readouts : at_least_one(nyquist / options.undersampling);
}

std::size_t line_samples(const TrajectoryOptions& options) {
    return options.samples_per_readout > 0 ? options.samples_per_readout
                                           : at_least_one(widest(options.grid));
}

/// Full diameters, one cycle per field of view between samples by default.
template <typename DirectionAt> Readouts
diameters(const TrajectoryOptions& options, std::size_t readouts, const DirectionAt& direction_at) {
    const std::size_t samples = line_samples(options);
    check_total(static_cast<double>(readouts) * static_cast<double>(samples));
    std::vector<Vec3> k;
    k.reserve(readouts * samples);
    for (std::size_t r = 0; r < readouts; ++r) {
        const Vec3 direction = direction_at(r);
        for (std::size_t i = 0; i < samples; ++i) {
            const double u = on_line(i, samples);
            k.push_back(
                stretch({u * direction[0], u * direction[1], u * direction[2]}, options.grid));
        }
    }
    return of_equal_length(std::move(k), readouts);
}

/// pi/2 N diameters, so that neighbours are one cycle per field of view apart at the edge.
Readouts radial(const TrajectoryOptions& options) {
    const std::size_t spokes = readout_count(options, pi / 2 * widest(options.grid));
    return diameters(options, spokes, [spokes](std::size_t r) {
        const double angle = pi * static_cast<double>(r) / static_cast<double>(spokes);
        return Vec3{std::cos(angle), std::sin(angle), 0};
    });
}

/// Winkelmann et al. 2007, IEEE TMI 26:68: every spoke 180 degrees / golden ratio after the last.
Readouts golden_angle(const TrajectoryOptions& options) {
    const std::size_t spokes = readout_count(options, pi / 2 * widest(options.grid));
    return diameters(options, spokes, [first = options.frame * spokes](std::size_t r) {
        const double angle = pi * 2 / (1 + std::sqrt(5.0)) * static_cast<double>(first + r);
        return Vec3{std::cos(angle), std::sin(angle), 0};
    });
}

/// Chan et al. 2009, MRM 61:354: two-dimensional golden means spread the diameters evenly over
/// half a sphere. Its area is pi/2 N^2 in units of one cycle per field of view.
Readouts radial_3d(const TrajectoryOptions& options) {
    constexpr double first_mean = 0.465571231876768;
    constexpr double second_mean = 0.682327803828019;
    const std::size_t spokes = readout_count(options, pi / 2 * std::pow(widest(options.grid), 2));
    return diameters(options, spokes, [first = options.frame * spokes](std::size_t r) {
        double whole;
        const auto count = static_cast<double>(first + r);
        const double z = std::modf(first_mean * count, &whole);
        const double azimuth = 2 * pi * std::modf(second_mean * count, &whole);
        const double across = std::sqrt(1 - z * z);
        return Vec3{across * std::cos(azimuth), across * std::sin(azimuth), z};
    });
}

/// Lines along x, one readout each, evenly spread over the grid; k = 0 is always among them.
Readouts cartesian(const TrajectoryOptions& options) {
    const Grid& grid = options.grid;
    const std::size_t all = grid.size[1] * grid.size[2];
    const std::size_t lines = readout_count(options, static_cast<double>(all));
    if (lines > all) {
        throw UsageError(text("a Cartesian scan of this matrix has ", all, " lines, not ", lines,
                              "\n  next:     use fewer `readouts` or a larger `matrix`"));
    }
    const std::size_t samples =
        options.samples_per_readout > 0 ? options.samples_per_readout : grid.size[0];
    check_total(static_cast<double>(lines) * static_cast<double>(samples));
    const std::size_t centre = grid.size[1] * (grid.size[2] / 2) + grid.size[1] / 2;
    std::vector<std::size_t> chosen(lines);
    for (std::size_t i = 0; i < lines; ++i) {
        chosen[i] = (centre + i * all / lines) % all;
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<Vec3> k;
    k.reserve(lines * samples);
    for (const std::size_t line : chosen) {
        const double ky = on_line(line % grid.size[1], grid.size[1]);
        const double kz = on_line(line / grid.size[1], grid.size[2]);
        for (std::size_t i = 0; i < samples; ++i) {
            k.push_back(stretch({on_line(i, samples), ky, kz}, grid));
        }
    }
    return of_equal_length(std::move(k), lines);
}

/// Two samples a voxel by default: with one, some images would hardly be seen (Marchenko and Pastur
/// 1967: the smallest eigenvalue of F^H F goes to (1 - sqrt(N/M))^2 M).
Readouts random_positions(const TrajectoryOptions& options) {
    const std::size_t samples =
        options.samples_per_readout > 0 ? options.samples_per_readout : options.grid.size[0];
    const double wanted = 2 * static_cast<double>(options.grid.voxels());
    const std::size_t readouts = readout_count(options, wanted / static_cast<double>(samples));
    check_total(static_cast<double>(readouts) * static_cast<double>(samples));
    std::mt19937_64 generator(options.seed);
    std::vector<Vec3> k(readouts * samples);
    for (Vec3& position : k) {
        Vec3 unit{0, 0, 0};
        for (int d = 0; d < options.grid.dimensions; ++d) {
            unit[d] = 2 * uniform_number(generator) - 1;
        }
        position = stretch(unit, options.grid);
    }
    return of_equal_length(std::move(k), readouts);
}

const TrajectoryDesign& find_design(const std::string& name) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        if (design.name == name) {
            return design;
        }
    }
    throw UsageError(text("`trajectory` ", name, " is unknown\n  expected: one of ",
                          comma_separated(names_of(trajectory_designs()))));
}

void check_dimensions(const TrajectoryDesign& design, const Grid& grid) {
    const std::vector<int>& known = design.dimensions;
    if (std::find(known.begin(), known.end(), grid.dimensions) == known.end()) {
        throw UsageError(text(
            "`trajectory` ", design.name, " has ", known.front(), " dimensions and `matrix` has ",
            grid.dimensions, "\n  next:     give `matrix` ", known.front() == 2 ? "X,Y" : "X,Y,Z",
            ", for example `matrix` ", known.front() == 2 ? "128,128" : "64,64,64"));
    }
    double voxels = 1;
    for (const std::size_t size : grid.size) {
        voxels *= static_cast<double>(size);
    }
    if (!(voxels >= 1 && voxels <= most_samples)) {
        throw UsageError(text("`matrix` has ", voxels, " voxels\n  expected: 1 to ", most_samples));
    }
}

} // namespace

const std::vector<TrajectoryDesign>& trajectory_designs() {
    static const std::vector<TrajectoryDesign> designs{
        {"radial", "full spokes at equal angles", {2}, &radial},
        {"golden-angle", "full spokes, 111.25 degree increment", {2}, &golden_angle},
        {"spiral", "interleaved Archimedean spirals", {2}, &spiral},
        {"stack-of-spirals", "the same spirals in every kz plane", {3}, &stack_of_spirals},
        {"radial-3d", "3D radial (kooshball), golden-means order", {3}, &radial_3d},
        {"cones", "interleaved spirals on cones around kz", {3}, &cones},
        {"cartesian", "Cartesian readouts", {2, 3}, &cartesian},
        {"random", "uniform random positions", {2, 3}, &random_positions},
    };
    return designs;
}

Readouts make_readouts(const std::string& name, const TrajectoryOptions& options) {
    const TrajectoryDesign& design = find_design(name);
    check_dimensions(design, options.grid);
    if (!(options.undersampling > 0) || !std::isfinite(options.undersampling)) {
        throw UsageError(text("`undersampling` ", options.undersampling,
                              " is not a positive number\n  next:     use 1 for a scan that is "
                              "fully sampled, 2 for half of it"));
    }
    check_total(static_cast<double>(options.readouts));
    check_total(static_cast<double>(options.samples_per_readout));
    return design.make(options);
}

std::vector<Vec3> make_trajectory(const std::string& name, const TrajectoryOptions& options) {
    return make_readouts(name, options).k;
}

} // namespace lsrecon
