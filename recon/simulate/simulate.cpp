// Simulates samples by analytic transforms or by voxels, with coils on a ring, a field map, motion
// and noise, and checks the options.

#include "simulate/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "engines/on_host.hpp"
#include "engines/piecewise.hpp"
#include "scan/check.hpp"
#include "scan/noise.hpp"
#include "scan/trajectories.hpp"
#include "simulate/phantom.hpp"

namespace lsrecon {

bool has_off_resonance(const SimulationOptions& options) {
    return options.off_resonance_hz != 0 || options.r2star > 0;
}

double shift_mm(const SimulationOptions& options, std::size_t frame) {
    return options.motion_mm *
           std::sin(2 * pi * static_cast<double>(frame) / static_cast<double>(options.frames));
}

namespace {

/// "analytic" or "voxels".
std::string chosen_model(const SimulationOptions& options) {
    if (options.model != "auto") {
        return options.model;
    }
    return options.coils == 1 && !has_off_resonance(options) ? "analytic" : "voxels";
}

void check_model(const SimulationOptions& options) {
    if (options.model == "analytic" && options.coils > 1) {
        throw UsageError(text("`model` analytic with `coils` ", options.coils,
                              ": the phantom times a coil map has no closed transform\n"
                              "  next:     use `model` voxels, or `coils` 1"));
    }
    if (options.model == "analytic" && has_off_resonance(options)) {
        throw UsageError(
            "`model` analytic with off-resonance: the phantom in a field has no closed "
            "transform\n  next:     use `model` voxels");
    }
    if (options.truth_of == "band" && chosen_model(options) == "voxels") {
        throw UsageError(
            "`truth_of` band with the model voxels: its samples are those of the voxel "
            "means, which are its truth\n"
            "  next:     use `truth_of` voxels, or `model` analytic with one coil");
    }
}

void check_noise(const SimulationOptions& options) {
    const double correlation = options.noise_correlation;
    if (correlation != 0 && options.coils == 1) {
        throw UsageError("`noise_correlation` needs at least two coils\n"
                         "  next:     add `coils`");
    }
    // The covariance of the coils in recon needs this many noise samples.
    const double fewest = 2 * static_cast<double>(options.coils);
    if (options.noise_samples > 0 && static_cast<double>(options.noise_samples) < fewest) {
        throw UsageError(text("`noise_samples` ", options.noise_samples, "\n  expected: at least ",
                              fewest, ", two a coil"));
    }
    const bool noisy = options.snr || options.noise > 0;
    if (!noisy && (correlation != 0 || options.noise_samples > 0)) {
        throw UsageError(text(correlation != 0 ? "`noise_correlation`" : "`noise_samples`",
                              " without noise\n  next:     add `noise` or `snr`"));
    }
}

void check_motion(const SimulationOptions& options) {
    if (options.motion_mm > 0 && options.frames < 3) {
        throw UsageError(
            text("`motion` with `frames` ", options.frames,
                 ": the sine is 0 in each of them\n  next:     use `frames` 3 or more"));
    }
    if (options.motion_mm == 0) {
        return;
    }
    const Grid& grid = options.trajectory.grid;
    const double room = (0.5 - Phantom::shepp_logan(grid.dimensions).half_width()) * grid.fov_mm[0];
    if (options.motion_mm > room) {
        throw UsageError(text("`motion` ", options.motion_mm,
                              " takes the phantom out of the field "
                              "of view\n  expected: at most ",
                              room, " mm"));
    }
}

/// UsageError when options contradict each other, whatever the trajectory.
void check_options(const SimulationOptions& options) {
    check_model(options);
    check_noise(options);
    check_motion(options);
}

void check_size(const SimulationOptions& options, std::size_t samples) {
    constexpr double most_values = 1e9; // 16 GB; more is a slip
    const double in_frames =
        static_cast<double>(options.frames) *
        static_cast<double>(std::max(options.trajectory.grid.voxels(), samples));
    const double values = static_cast<double>(options.coils) *
                          std::max(in_frames, static_cast<double>(options.noise_samples));
    if (values > most_values) {
        throw UsageError(text(
            "the coils would have ", values, " values in all\n  expected: at most ", most_values,
            "\n  next:     use fewer `coils`, `frames` or `noise_samples`, or a smaller `matrix`"));
    }
}

CoilMatrix analytic_samples(const Phantom& phantom, const Grid& grid,
                            const std::vector<Vec3>& positions, Reporter& report) {
    const double voxels = static_cast<double>(grid.voxels());
    CoilMatrix samples(1, static_cast<Eigen::Index>(positions.size()));
    for (std::size_t m = 0; m < positions.size(); ++m) {
        samples(0, static_cast<Eigen::Index>(m)) = voxels * phantom.kspace(positions[m]);
        if (m % 4096 == 0) {
            report.progress(static_cast<double>(m) / static_cast<double>(positions.size()));
        }
    }
    return samples;
}

/// Samples of `rho`, N, as each coil sees it. A few coils are computed at a time: memory is for the
/// samples.
OnHost voxel_samples(const ComplexVector& rho, const Birdcage& coils, const SamplePoints& points,
                     const Voxels& voxels, std::size_t values_at_once, Transforms& transforms,
                     Reporter& report) {
    const auto all = static_cast<Eigen::Index>(coils.coils());
    const std::size_t longest = std::max(points.count(), voxels.count());
    OnHost result{CoilMatrix(all, static_cast<Eigen::Index>(points.count())), 0};
    PiecewiseTransform transform(transforms, points, voxels);
    for (const Range& some :
         split_into_ranges(coils.coils(), std::max<std::size_t>(1, values_at_once / longest))) {
        const auto first = static_cast<Eigen::Index>(some.first);
        const auto count = static_cast<Eigen::Index>(some.count);
        CoilMatrix seen = rho.transpose().replicate(count, 1);
        if (all > 1) {
            seen.array() *= coils.maps(some).cast<Complex>().array();
        }
        const OnHost part = forward_on_host(transforms, transform, seen, [&](double fraction) {
            report.progress((static_cast<double>(first) + fraction * static_cast<double>(count)) /
                            static_cast<double>(all));
        });
        result.values.middleRows(first, count) = part.values;
        result.error = std::max(result.error, part.error);
    }
    return result;
}

/// Times of each readout, from 0 to `last` s.
RealVector times_of(const Readouts& readouts, double last) {
    RealVector times(static_cast<Eigen::Index>(readouts.k.size()));
    std::size_t first = 0;
    for (const std::size_t end : readouts.ends) {
        const double step = last / static_cast<double>(std::max<std::size_t>(end - first, 2) - 1);
        for (std::size_t m = first; m < end; ++m) {
            times(static_cast<Eigen::Index>(m)) = static_cast<double>(m - first) * step;
        }
        first = end;
    }
    return times;
}

/// Frames of equal trajectories share one, as those that are read do.
void add_frames(Simulation& simulation, const SimulationOptions& options) {
    Scan& scan = simulation.scan;
    TrajectoryPool pool;
    TrajectoryOptions of_frame = options.trajectory;
    for (std::size_t f = 0; f < options.frames; ++f) {
        of_frame.frame = f;
        Trajectory trajectory;
        Readouts readouts = make_readouts(options.design, of_frame);
        if (has_off_resonance(options)) {
            trajectory.times = times_of(readouts, 1e-3 * options.readout_ms);
        }
        trajectory.positions = std::move(readouts.k);
        simulation.readout_ends = std::move(readouts.ends);
        if (f == 0) {
            check_size(options, trajectory.samples());
        }
        scan.frames.push_back({pool.share(std::move(trajectory)), {}, {}, {}});
        if (!options.echo_times_ms.empty()) {
            scan.frames.back().echo = Echo{1e-3 * options.echo_times_ms[f]};
        }
    }
}

Phantom phantom_of(const SimulationOptions& options, std::size_t frame) {
    const Grid& grid = options.trajectory.grid;
    return Phantom::shepp_logan(grid.dimensions)
        .shifted({shift_mm(options, frame) / grid.fov_mm[0], 0, 0});
}

Eigen::MatrixXcd make_truth(const SimulationOptions& options) {
    const Grid& grid = options.trajectory.grid;
    Eigen::MatrixXcd truth(static_cast<Eigen::Index>(grid.voxels()),
                           static_cast<Eigen::Index>(options.frames));
    for (Eigen::Index f = 0; f < truth.cols(); ++f) {
        if (f > 0 && options.motion_mm == 0) {
            truth.col(f) = truth.col(0);
        } else {
            const Phantom phantom = phantom_of(options, static_cast<std::size_t>(f));
            truth.col(f) =
                options.truth_of == "band" ? phantom.band_limited(grid) : phantom.voxel_means(grid);
        }
    }
    return truth;
}

/// The object at the time of a frame's echo.
ComplexVector object_at(const Simulation& simulation, std::size_t frame) {
    ComplexVector object = simulation.truth.col(static_cast<Eigen::Index>(frame));
    if (const std::optional<Echo>& echo = simulation.scan.frames[frame].echo) {
        for (Eigen::Index n = 0; n < object.size(); ++n) {
            const Complex rate = simulation.scan.off_resonance->rate(static_cast<std::size_t>(n));
            object(n) *= std::exp(-rate * echo->time);
        }
    }
    return object;
}

/// Samples of every frame, without noise.
void fill_frames(Simulation& simulation, const SimulationOptions& options, const Birdcage& coils,
                 const OpenTransforms& open, Reporter& report) {
    std::vector<Frame>& frames = simulation.scan.frames;
    FrameProgress progress(report, frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f) {
        progress.next();
        const Stage stage(report, "simulate");
        if (f > 0 && options.motion_mm == 0 && !frames[f].echo &&
            frames[f].trajectory == frames[0].trajectory) {
            frames[f].samples = frames[0].samples;
            continue;
        }
        const MovedReadouts moved = options.delays.any()
                                        ? moved_by(options.delays, *frames[f].trajectory)
                                        : MovedReadouts{*frames[f].trajectory, {}};
        const SamplePoints points = moved.trajectory.points();
        if (simulation.model == "analytic") {
            frames[f].samples = analytic_samples(phantom_of(options, f), simulation.scan.grid,
                                                 points.positions, report);
        } else {
            OnHost samples = voxel_samples(object_at(simulation, f), coils, points,
                                           simulation.scan.image_voxels(), options.values_at_once,
                                           open(), report);
            frames[f].samples = std::move(samples.values);
            simulation.error = std::max(simulation.error.value_or(0),
                                        samples.error + unit_roundoff(Precision::float32));
        }
        take_out(-moved.phases, frames[f].samples);
    }
}

double square_of_distance(const Vec3& a, const Vec3& b) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        square += (a[d] - b[d]) * (a[d] - b[d]);
    }
    return square;
}

/// The standard deviation of each real and each imaginary part of a sample.
double noise_deviation(const SimulationOptions& options, const Scan& scan) {
    if (options.snr) {
        const Phantom at_rest = Phantom::shepp_logan(options.trajectory.grid.dimensions);
        return deviation_of_snr(*options.snr, at_rest.voxel_means(options.trajectory.grid));
    }
    double square = 0;
    double count = 0;
    for (const Frame& frame : scan.frames) {
        frame.samples.visit([&](const auto& values) {
            square += static_cast<double>(values.squaredNorm());
            count += static_cast<double>(values.size());
        });
    }
    return options.noise * std::sqrt(square / count);
}

/// C x K, or nothing when none is wanted.
CoilRows noise_alone(ReceiverNoise& noise, const SimulationOptions& options) {
    if (options.noise_samples == 0) {
        return {};
    }
    CoilMatrix samples = CoilMatrix::Zero(static_cast<Eigen::Index>(options.coils),
                                          static_cast<Eigen::Index>(options.noise_samples));
    noise.add_to(samples);
    return samples;
}

void add_noise(Scan& scan, double deviation, const SimulationOptions& options) {
    ReceiverNoise noise(deviation, options.noise_correlation, options.trajectory.seed);
    for (Frame& frame : scan.frames) {
        noise.add_to(frame.samples.doubles());
    }
    scan.noise = noise_alone(noise, options);
}

} // namespace

OffResonance simulated_off_resonance(const SimulationOptions& options) {
    constexpr double width = 0.2; // fields of view
    const Vec3 centre{0.05, -0.2, 0};
    const Grid& grid = options.trajectory.grid;
    const Voxels voxels = Voxels::of_grid(grid);
    const auto count = static_cast<Eigen::Index>(voxels.count());
    OffResonance result{RealVector(count), RealVector(options.r2star > 0 ? count : 0)};
    for (std::size_t n = 0; n < voxels.count(); ++n) {
        const Vec3 x = voxels.position(n);
        const double near = std::exp(-square_of_distance(x, centre) / (2 * width * width));
        result.field(static_cast<Eigen::Index>(n)) = options.off_resonance_hz * (2 * near - 1);
        if (options.r2star > 0) {
            result.r2star(static_cast<Eigen::Index>(n)) = options.r2star * (1 + near) / 2;
        }
    }
    return result;
}

Birdcage::Birdcage(const Grid& grid, std::size_t coils)
    : voxels_(Voxels::of_grid(grid)), scale_(static_cast<Eigen::Index>(voxels_.count())) {
    constexpr double cage_radius = 0.75;
    const std::size_t rings = grid.dimensions == 3 ? std::max<std::size_t>(1, coils / 8) : 1;
    for (std::size_t c = 0; c < coils; ++c) {
        const double angle = 2 * pi * static_cast<double>(c) / static_cast<double>(coils);
        const double z = (static_cast<double>(c % rings) + 0.5) / static_cast<double>(rings) - 0.5;
        conductors_.push_back({cage_radius * std::cos(angle), cage_radius * std::sin(angle),
                               grid.dimensions == 3 ? z : 0.0});
    }
    for_each_range_in_parallel(voxels_.count(), all_cores(), [&](const Range& range) {
        for (std::size_t n = range.first; n < range.first + range.count; ++n) {
            const Vec3 x = voxels_.position(n);
            double squares = 0;
            for (const Vec3& centre : conductors_) {
                squares += 1 / square_of_distance(x, centre);
            }
            scale_(static_cast<Eigen::Index>(n)) = 1 / std::sqrt(squares);
        }
    });
}

CoilRows::Floats Birdcage::maps(const Range& coils) const {
    CoilRows::Floats maps(static_cast<Eigen::Index>(coils.count), scale_.size());
    for_each_range_in_parallel(voxels_.count(), all_cores(), [&](const Range& range) {
        for (std::size_t n = range.first; n < range.first + range.count; ++n) {
            const auto voxel = static_cast<Eigen::Index>(n);
            const Vec3 x = voxels_.position(n);
            for (std::size_t c = 0; c < coils.count; ++c) {
                // Phase: the direction from the conductor, against its own from the centre.
                const Vec3& centre = conductors_[coils.first + c];
                const Complex across(x[0] - centre[0], x[1] - centre[1]);
                const Complex turned = across * Complex(centre[0], -centre[1]);
                // The corners of the grid are at sqrt(1/2) < 3/4, so no distance is 0.
                maps(static_cast<Eigen::Index>(c), voxel) = std::complex<float>(
                    turned / std::sqrt(std::norm(turned) * square_of_distance(x, centre)) *
                    scale_(voxel));
            }
        }
    });
    return maps;
}

Simulation simulation_without_samples(const SimulationOptions& options) {
    check_options(options);
    Simulation simulation;
    simulation.model = chosen_model(options);
    simulation.scan.format = "simulated";
    simulation.scan.grid = options.trajectory.grid;
    simulation.design = options.design;
    add_frames(simulation, options);
    const Scan& scan = simulation.scan;
    require_room({scan.file, "matrix", scan.grid, scan.coils(), scan.coil_maps.rows()});
    check(scan); // what no reader would accept is refused before the work
    return simulation;
}

Simulation simulate(const SimulationOptions& options, const OpenTransforms& open,
                    Reporter& report) {
    Simulation simulation = simulation_without_samples(options);
    if (has_off_resonance(options)) {
        simulation.scan.off_resonance =
            std::make_shared<const OffResonance>(simulated_off_resonance(options));
    }
    simulation.truth = make_truth(options);
    const Birdcage coils(simulation.scan.grid, options.coils);
    fill_frames(simulation, options, coils, open, report);
    const double deviation = noise_deviation(options, simulation.scan);
    if (deviation > 0) {
        add_noise(simulation.scan, deviation, options);
    }
    if (options.with_maps && options.coils > 1) {
        simulation.scan.coil_maps = coils.maps();
    }
    return simulation;
}

} // namespace lsrecon
