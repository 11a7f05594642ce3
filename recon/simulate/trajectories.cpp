// The table of designs: spokes, golden angles, Cartesian lines, random positions, spirals, stacks
// of spirals and cones, each from the paper that it cites.

#include "simulate/trajectories.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

constexpr double most_samples = 1e9; ///< 40 GB of trajectory and samples; more is a slip

double widest(const Grid& grid) {
    return static_cast<double>(*std::max_element(grid.size.begin(), grid.size.end()));
}

/// A position in the unit cube or ball, stretched to the matrix; rounding never leaves N/2.
Vec3 stretch(const Vec3& unit, const Grid& grid) {
    Vec3 k{0, 0, 0};
    for (int d = 0; d < grid.dimensions; ++d) {
        k[d] = std::clamp(unit[d], -1.0, 1.0) * static_cast<double>(grid.size[d]) / 2;
    }
    return k;
}

/// The position of sample i of `count` on a line through the centre, -1 to 1; one is at the centre.
double on_line(std::size_t i, std::size_t count) {
    return 2 * (static_cast<double>(i) - static_cast<double>(count / 2)) /
           static_cast<double>(count);
}

void check_total(double samples) {
    if (!(samples <= most_samples)) {
        throw UsageError(text("the trajectory would have more than ", most_samples,
                              " samples\n  next:     use a smaller `matrix`, fewer `readouts` or "
                              "more `undersampling`"));
    }
}

std::size_t at_least_one(double count) {
    check_total(count);
    return static_cast<std::size_t>(std::max(1.0, std::ceil(count)));
}

Readouts of_equal_length(std::vector<Vec3> k, std::size_t readouts) {
    Readouts result{std::move(k), {}};
    for (std::size_t r = 1; r <= readouts; ++r) {
        result.ends.push_back(r * (result.k.size() / readouts));
    }
    return result;
}

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

/// Interleaved Archimedean spirals from the centre of k-space outwards, on a cone around kz; a
/// plane is the cone of 90 degrees. Lengths are in cycles per field of view.
struct ConeSpiral {
    double polar = 1.57079632679489661923; ///< angle between the cone and kz, radians
    double radius = 0; ///< radius at which the arms end
    double pitch = 1; ///< between neighbouring turns, of all interleaves together, along the cone
    std::size_t interleaves = 1;
    /// Number of samples of one arm; 0: at most 0.7 cycles per field of view apart.
    std::size_t samples = 0;
    double first_azimuth = 0; ///< angle at which the first arm starts, radians

    std::size_t samples_per_arm() const;
    double total_samples() const;
};

constexpr double arc_step = 0.7; ///< cycles per field of view

/// Length of r = psi from the centre, the Archimedean spiral.
double spiral_length(double psi) {
    return (psi * std::sqrt(1 + psi * psi) + std::asinh(psi)) / 2;
}

/// The psi where the spiral is `length` long. Newton: the length is convex in psi, so from above it
/// falls towards the root.
double spiral_angle(double length, double last) {
    double psi = last;
    for (int i = 0; i < 60; ++i) {
        const double step = (spiral_length(psi) - length) / std::sqrt(1 + psi * psi);
        psi -= step;
        if (std::abs(step) <= 1e-14 * last) {
            break;
        }
    }
    return psi;
}

/// An arm is r = R phi / phi_end for phi = 0..phi_end. With psi = phi sin(polar) its length is
/// R / psi_end times that of the plane spiral r = psi.
double last_azimuth(const ConeSpiral& spiral) {
    return 2 * pi * spiral.radius / (static_cast<double>(spiral.interleaves) * spiral.pitch);
}

double arm_length(const ConeSpiral& spiral) {
    const double psi_end = last_azimuth(spiral) * std::sin(spiral.polar);
    return spiral.radius * spiral_length(psi_end) / psi_end;
}

std::size_t ConeSpiral::samples_per_arm() const {
    return samples > 0 ? samples : at_least_one(arm_length(*this) / arc_step) + 1;
}

double ConeSpiral::total_samples() const {
    return static_cast<double>(interleaves) * static_cast<double>(samples_per_arm());
}

/// Appends the arms, evenly spaced along their length, as positions in the unit ball.
void append_spiral(const ConeSpiral& spiral, std::vector<Vec3>& unit) {
    const double sine = std::sin(spiral.polar);
    const double cosine = std::cos(spiral.polar);
    const double phi_end = last_azimuth(spiral);
    const double psi_end = phi_end * sine;
    const double length = spiral_length(psi_end);
    const std::size_t samples = spiral.samples_per_arm();
    const double last = static_cast<double>(std::max<std::size_t>(samples, 2) - 1);
    std::vector<double> radii(samples); // the same for every arm, 0 to 1
    for (std::size_t i = 0; i < samples; ++i) {
        radii[i] = spiral_angle(static_cast<double>(i) / last * length, psi_end) / psi_end;
    }
    for (std::size_t arm = 0; arm < spiral.interleaves; ++arm) {
        const double start = spiral.first_azimuth + 2 * pi * static_cast<double>(arm) /
                                                        static_cast<double>(spiral.interleaves);
        for (const double r : radii) {
            const double azimuth = start + r * phi_end;
            unit.push_back(
                {r * sine * std::cos(azimuth), r * sine * std::sin(azimuth), r * cosine});
        }
    }
}

constexpr double voxels_per_interleaf = 8; ///< default: 16 interleaves for a matrix of 128

std::size_t interleaves(const TrajectoryOptions& options) {
    return options.readouts > 0 ? options.readouts
                                : at_least_one(widest(options.grid) / voxels_per_interleaf);
}

ConeSpiral spiral_of(const TrajectoryOptions& options) {
    ConeSpiral arms;
    arms.radius = widest(options.grid) / 2;
    arms.pitch = options.undersampling;
    arms.interleaves = interleaves(options);
    arms.samples = options.samples_per_readout;
    return arms;
}

std::vector<Vec3> unit_spiral(const TrajectoryOptions& options) {
    const ConeSpiral plane = spiral_of(options);
    check_total(plane.total_samples());
    std::vector<Vec3> unit;
    append_spiral(plane, unit);
    return unit;
}

Readouts spiral(const TrajectoryOptions& options) {
    std::vector<Vec3> k = unit_spiral(options);
    for (Vec3& position : k) {
        position = stretch(position, options.grid);
    }
    return of_equal_length(std::move(k), interleaves(options));
}

/// The spirals of a plane, repeated in every plane of kz.
Readouts stack_of_spirals(const TrajectoryOptions& options) {
    TrajectoryOptions in_plane = options;
    in_plane.grid.size[2] = 1;
    const std::vector<Vec3> unit = unit_spiral(in_plane);
    const std::size_t planes = options.grid.size[2];
    check_total(static_cast<double>(unit.size()) * static_cast<double>(planes));
    std::vector<Vec3> k;
    k.reserve(unit.size() * planes);
    for (std::size_t plane = 0; plane < planes; ++plane) {
        for (const Vec3& position : unit) {
            k.push_back(stretch({position[0], position[1], on_line(plane, planes)}, options.grid));
        }
    }
    return of_equal_length(std::move(k), interleaves(in_plane) * planes);
}

/// Irarrazabal and Nishimura 1995, MRM 33:656: spirals on cones whose polar angles are at most one
/// cycle per field of view apart at the edge. A narrow cone has fewer interleaves, and each cone is
/// turned by the golden angle so that the arms of neighbours do not line up.
Readouts cones(const TrajectoryOptions& options) {
    const std::size_t count = at_least_one(pi / 2 * widest(options.grid));
    const double equator = static_cast<double>(interleaves(options));
    Readouts result;
    std::vector<Vec3>& k = result.k;
    for (std::size_t i = 0; i < count; ++i) {
        ConeSpiral cone = spiral_of(options);
        cone.polar = pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        cone.interleaves = at_least_one(equator * std::sin(cone.polar));
        cone.first_azimuth = pi * (3 - std::sqrt(5.0)) * static_cast<double>(i);
        check_total(static_cast<double>(k.size()) + cone.total_samples());
        const std::size_t before = k.size();
        append_spiral(cone, k);
        for (std::size_t arm = 1; arm <= cone.interleaves; ++arm) {
            result.ends.push_back(before + arm * ((k.size() - before) / cone.interleaves));
        }
    }
    for (Vec3& position : k) {
        position = stretch(position, options.grid);
    }
    return result;
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
    check_total(static_cast<double>(options.readouts));
    check_total(static_cast<double>(options.samples_per_readout));
    return design.make(options);
}

std::vector<Vec3> make_trajectory(const std::string& name, const TrajectoryOptions& options) {
    return make_readouts(name, options).k;
}

} // namespace lsrecon
