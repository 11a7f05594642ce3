// The methods: least squares, gridding, and the FFT of a full Cartesian scan.

#include "encoding/methods.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/float_range.hpp"
#include "operators/finite.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

constexpr double on_grid = 1e-3; ///< cycles/FOV, of file formats with floats

/// The cell of the grid's period that a sample falls into, x fastest, and the phase factor
/// exp(-i 2 pi k.c / N) of the sample, since voxel c = floor(N/2) is at 0.
struct Cell {
    std::size_t index = 0;
    Complex phase{1, 0};

    Cell(const Vec3& k, const Grid& grid) {
        std::size_t stride = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            const auto n = static_cast<long>(grid.size[d]);
            const long at = std::lround(k[d]) % n;
            const auto turns = static_cast<double>(at * (n / 2) % n) / static_cast<double>(n);
            index += stride * static_cast<std::size_t>(at < 0 ? at + n : at);
            phase *= std::polar(1.0, -2 * pi * turns);
            stride *= grid.size[d];
        }
    }
};

[[noreturn]] void refuse(const Scan& scan, const std::string& thing, const std::string& found,
                         const std::string& expected) {
    throw InputError({scan.file, thing, found, expected, "use `method` least_squares"});
}

/// The points of the grid within what samples reach: all, or fewer about the centre, beyond which
/// zeros are filled in.
std::size_t points_within(const Extent& extent, const Grid& grid) {
    std::size_t points = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const long least = std::lround(extent.least[d]);
        const long most = std::lround(extent.most[d]);
        const bool is_centred = most > least && std::abs(least + most) <= 1;
        points *= is_centred ? std::min(static_cast<std::size_t>(most - least + 1), grid.size[d])
                             : grid.size[d];
    }
    return points;
}

void require_cartesian(const Trajectory& trajectory, const Scan& scan) {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    const Grid& grid = scan.grid;
    const std::string thing = scan.name_of("trajectory");
    std::vector<std::size_t> sample_at(grid.voxels(), none);
    for (std::size_t m = 0; m < trajectory.samples(); ++m) {
        const Vec3& k = trajectory.positions[m];
        const std::string name = text("sample ", m, " at (", k[0], ", ", k[1], ", ", k[2], ")");
        for (const double along : k) {
            if (std::abs(along - std::round(along)) > on_grid) {
                refuse(scan, thing, name, "whole cycles per field of view, for `method` fft");
            }
        }
        std::size_t& earlier = sample_at[Cell(k, grid).index];
        if (earlier != none) {
            refuse(scan, thing, text(name, ", as sample ", earlier, " modulo the matrix"),
                   "each point of the grid once, for `method` fft");
        }
        earlier = m;
    }
    Extent extent;
    extent.add(trajectory.positions);
    if (const std::size_t points = points_within(extent, grid); trajectory.samples() < points) {
        refuse(scan, thing, text(trajectory.samples(), " samples"),
               text("all ", points, " points of the grid",
                    points < grid.voxels() ? " within their reach" : "", ", for `method` fft"));
    }
}

/// The weights of a full Cartesian scan. InputError for any other scan.
Density density_of_cartesian(const Trajectory& trajectory, const Scan& scan,
                             const Formulation& formulation, const SolveOptions&) {
    if (scan.voxels) {
        refuse(scan, "/voxels", "positions off the grid", "a grid, for `method` fft");
    }
    if (formulation.off_resonance) {
        throw UsageError("`method` fft: the scan has a field map, which an FFT does not model\n"
                         "  next:     pass `field_map` none, or use `method` least_squares");
    }
    const RealVector& weights = trajectory.weights;
    if (weights.size() > 0 && weights.minCoeff() != weights.maxCoeff()) {
        refuse(scan, scan.name_of("weights"),
               text("from ", weights.minCoeff(), " to ", weights.maxCoeff()),
               "the same for all samples, for `method` fft");
    }
    require_cartesian(trajectory, scan);
    return {RealVector::Ones(static_cast<Eigen::Index>(trajectory.samples())),
            "full Cartesian grid"};
}

/// F^H d of a full Cartesian scan by FFT.
std::vector<Volume> fhd_by_fft(Transforms& transforms, const Trajectory& trajectory,
                               const RealVector& weights, const Grid& grid, const CoilRows& samples,
                               CoilMaps& maps, Listener listener) {
    Device& device = transforms.device();
    const Precision precision = transforms.solver_precision();
    const std::unique_ptr<FftPlan> plan = device.plan_fft(grid.size, 1, precision);
    const int exponent = range_exponent(precision, samples.largest_part());
    const Range all{0, grid.voxels()};
    Volumes volumes(device, all.count, exponent);
    Array sum;
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        ComplexVector cells = ComplexVector::Zero(static_cast<Eigen::Index>(all.count));
        for (std::size_t m = 0; m < trajectory.samples(); ++m) {
            const auto i = static_cast<Eigen::Index>(m);
            const Complex phi = trajectory.phi.size() > 0 ? trajectory.phi(i) : 1;
            const Cell cell(trajectory.positions[m], grid);
            cells(static_cast<Eigen::Index>(cell.index)) =
                weights(i) * std::conj(phi) * ldexp(samples(c, m), -exponent) * cell.phase;
        }
        Array image = device.zeros(all.count, {true, precision});
        device.upload(cells, image);
        plan->backward(image);
        listener.progress(static_cast<double>(c + 1) / static_cast<double>(samples.rows()));
        if (!maps.given()) {
            volumes.add(all, image);
            continue;
        }
        if (c == 0) {
            sum = device.zeros(all.count, {true, precision});
        }
        device.add_conjugate_product(maps.map(c, 0), image, 0, sum);
    }
    if (maps.given()) {
        volumes.add(all, sum);
    }
    std::vector<Volume> result = volumes.finished();
    for (const Volume& volume : result) {
        require_finite("fft", volume.norm());
    }
    return result;
}

} // namespace

Density density_of_gridding(const Trajectory& trajectory, const Scan& scan, const Formulation&,
                            const SolveOptions& options) {
    const DensityMethod& method =
        options.density == nullptr ? density_methods().front() : *options.density;
    return method.of(trajectory, scan.grid);
}

Density weights_of(const Method& method, const Trajectory& trajectory, const Scan& scan,
                   const Formulation& formulation, const SolveOptions& options) {
    Density density = method.density(trajectory, scan, formulation, options);
    density.cells /= static_cast<double>(formulation.grid.voxels());
    for (Eigen::Index m = 0; m < trajectory.phi.size(); ++m) {
        const double square = std::norm(trajectory.phi(m));
        density.cells(m) = square > 0 ? density.cells(m) / square : 0;
    }
    return density;
}

Solved combined(const Method& method, const Density& weights, const CoilRows& coil_maps,
                const std::vector<Volume>& fhd) {
    RealVector divisor = RealVector::Ones(static_cast<Eigen::Index>(fhd.front().count()));
    if (!coil_maps.empty()) {
        divisor = squares_of(coil_maps);
    }
    Solved solved;
    solved.solver = method.name + ", density: " + weights.method;
    for (const Volume& volume : fhd) {
        const ComplexVector image =
            (divisor.array() > 0)
                .select(volume.values().array() / divisor.array().cast<Complex>(), Complex(0));
        if (fhd.size() == 1) {
            solved.image = image;
        } else if (solved.image.size() == 0) {
            solved.image = image.cwiseAbs2().cast<Complex>();
        } else {
            solved.image.real() += image.cwiseAbs2();
        }
    }
    if (fhd.size() > 1) {
        solved.image.real() = solved.image.real().cwiseSqrt().eval();
    }
    return solved;
}

const std::vector<Method>& methods() {
    static const std::vector<Method> rows{
        {"least_squares", "the image that explains the samples best", true, nullptr, nullptr},
        {"gridding", "samples weighted by their density, one adjoint, no iterations", false,
         &density_of_gridding, nullptr},
        {"fft", "inverse FFT of a full Cartesian scan", false, &density_of_cartesian, &fhd_by_fft},
    };
    return rows;
}

const Method& method_named(const std::string& name) {
    return *std::find_if(methods().begin(), methods().end(),
                         [&](const Method& row) { return row.name == name; });
}

const Method& method_of(const SolveOptions& options) {
    return options.method == nullptr ? methods().front() : *options.method;
}

} // namespace lsrecon
