// Scans: of arrays, of files, and of a phantom.

#include "python/scan.hpp"

#include "io/formats.hpp"
#include "scan/check.hpp"
#include "scan/findings.hpp"
#include "scan/readouts.hpp"
#include "scan/trajectories.hpp"

namespace lsrecon::python {

Scan ScanOfArrays::for_run(bool check_reach, const GeometryOptions& geometry) const {
    Scan run = scan;
    if (scan.format != "arrays") {
        return run; // whoever read it has looked
    }
    check(run, geometry.matrix);
    const auto add = [&run](const Findings& more) {
        run.findings.insert(run.findings.end(), more.begin(), more.end());
    };
    if (check_reach) {
        require_reach(run);
        add(findings_on_reach(run));
    }
    add(findings_on(run));
    if (!geometry.other_grid()) {
        add(findings_on_aliasing(run));
    }
    if (run.frames.front().samples.columns() == 0) {
        return run;
    }
    SampleCheck samples(run);
    for (const Frame& frame : run.frames) {
        samples.add(frame.samples);
    }
    add(samples.end());
    const Frame& first = run.frames.front();
    for (const Finding& one : findings_on_readouts(run.grid, *first.trajectory, first.samples,
                                                   readouts_of(*first.trajectory))) {
        if (one.code != Found::object_at_edge || !geometry.shifts()) {
            run.findings.push_back(one);
        }
    }
    return run;
}

namespace {

/// Values that copies share.
CoilRows shared(CoilRows rows) {
    const auto keeper = std::make_shared<const CoilRows>(std::move(rows));
    return keeper->visit([&](const auto& values) {
        return CoilRows::of(values.data(), keeper->rows(), keeper->columns(), keeper);
    });
}

Scan shared(Scan scan) {
    scan.coil_maps = shared(std::move(scan.coil_maps));
    for (Frame& frame : scan.frames) {
        frame.samples = shared(std::move(frame.samples));
    }
    return scan;
}

using MaybeArray = std::optional<Array>;

/// Frames of samples, F x C x M or F x C x 0, and trajectories, M x D or F x M x D.
std::vector<Frame> frames_of(const Array& samples, const Array& trajectory,
                             const std::string& units, const Grid& grid, const Trajectory& common) {
    const std::size_t coils = samples.shape(1);
    const std::size_t columns = samples.shape(2); // 0 of an encoding
    const std::size_t count = trajectory.shape(trajectory.ndim() - 2);
    const std::size_t trajectories = trajectory.ndim() == 3 ? trajectory.shape(0) : 1;
    TrajectoryPool pool;
    std::vector<Frame> frames;
    for (std::size_t f = 0; f < samples.shape(0); ++f) {
        Frame frame;
        if (f < trajectories) {
            Trajectory own = common;
            own.positions =
                positions_of(trajectory, f * count * static_cast<std::size_t>(grid.dimensions),
                             count, units, grid);
            frame.trajectory = pool.share(std::move(own));
        } else {
            frame.trajectory = frames.front().trajectory;
        }
        frame.samples = rows_of(samples, f * coils * columns, coils, columns);
        frame.label = samples.shape(0) > 1 ? text("frame ", f) : "";
        frames.push_back(std::move(frame));
    }
    return frames;
}

/// A scan of arrays that the package has checked for their shapes.
ScanOfArrays scan_of(const Array& samples, const Array& trajectory,
                     const std::vector<std::size_t>& matrix, const std::vector<double>& fov_mm,
                     const std::string& units, const MaybeArray& maps, const MaybeArray& weights,
                     const MaybeArray& times, const MaybeArray& field_map, const MaybeArray& r2star,
                     const MaybeArray& noise, const MaybeArray& phi, nb::object arrays) {
    ScanOfArrays result;
    result.arrays = std::move(arrays);
    Scan& scan = result.scan;
    scan.format = "arrays";
    scan.grid = grid_of(matrix, fov_mm);
    scan.trajectory_units = units;
    Trajectory common;
    if (weights) {
        common.weights = reals_of(*weights);
    }
    if (times) {
        common.times = reals_of(*times);
    }
    if (phi) {
        common.phi = rows_of(*phi).to_doubles().row(0).transpose();
    }
    scan.frames = frames_of(samples, trajectory, units, scan.grid, common);
    if (maps) {
        scan.coil_maps = rows_of(*maps, 0, maps->shape(0), scan.grid.voxels());
    }
    if (noise) {
        scan.noise = rows_of(*noise);
    }
    if (field_map) {
        OffResonance field{reals_of(*field_map), {}};
        if (r2star) {
            field.r2star = reals_of(*r2star);
        }
        scan.off_resonance = std::make_shared<const OffResonance>(std::move(field));
    }
    return result;
}

ScanOfArrays read_from(const std::string& path) {
    Scan scan;
    {
        const nb::gil_scoped_release others_may_run;
        scan = read_scan(path);
    }
    return {shared(std::move(scan)), nb::none()};
}

void write_scan(const std::string& path, const ScanOfArrays& scan) {
    Reporter nobody_watches;
    const ScanFormat& format = scan_format_of_output(path, "");
    Simulation simulation;
    simulation.scan = scan.for_run(false, {});
    simulation.stored = simulation.scan.frames.front().samples.precision();
    format.require_holds(path, simulation);
    format.write(path, simulation, nobody_watches);
}

ScanOfArrays simulated(const std::string& trajectory, const std::vector<std::size_t>& matrix,
                       const std::vector<double>& fov_mm, std::size_t coils, std::size_t frames,
                       std::size_t readouts, double undersampling, double noise,
                       std::optional<double> snr, double off_resonance_hz, double readout_ms,
                       double motion_mm, bool maps, std::size_t noise_samples, std::size_t seed) {
    SimulationOptions options;
    options.design = trajectory;
    options.trajectory.grid = grid_of(matrix, fov_mm);
    options.trajectory.readouts = readouts;
    options.trajectory.undersampling = undersampling;
    options.trajectory.seed = seed;
    options.coils = coils;
    options.frames = frames;
    options.noise = noise;
    options.snr = snr;
    options.off_resonance_hz = off_resonance_hz;
    options.readout_ms = readout_ms;
    options.motion_mm = motion_mm;
    options.with_maps = maps;
    options.noise_samples = noise_samples;
    ToPython report;
    std::optional<LentTransforms> transforms;
    ComputeOptions compute;
    if (off_resonance_hz != 0) { // exact: no time segments
        compute.engine = backend_of(compute) == "host" ? "sums" : "direct";
    }
    const nb::gil_scoped_release others_may_run;
    Simulation simulation = simulate(
        options,
        [&]() -> Transforms& {
            if (!transforms) {
                transforms.emplace(compute, report);
            }
            return **transforms;
        },
        report);
    if (transforms) {
        transforms->give_back();
    }
    simulation.scan.format = "arrays"; // in which findings are looked for
    const auto as_floats = [](CoilRows& rows) { // as a scan file has them
        rows = CoilRows::Floats(rows.to_doubles().cast<std::complex<float>>());
    };
    as_floats(simulation.scan.noise);
    for (Frame& frame : simulation.scan.frames) {
        as_floats(frame.samples);
    }
    const nb::gil_scoped_acquire held;
    return {shared(std::move(simulation.scan)), nb::none(), std::move(simulation.truth)};
}

nb::object samples_of(const ScanOfArrays& s) {
    const std::vector<Frame>& frames = s.scan.frames;
    const std::size_t count = frames.front().trajectory->samples();
    for (const Frame& frame : frames) {
        if (frame.trajectory->samples() != count) {
            throw UsageError("`samples`: frames have different numbers of them\n  next:     read "
                             "one frame at a time, with 'frame(f)'");
        }
    }
    if (frames.size() == 1) {
        return numpy_of(frames.front().samples, {s.scan.coils(), count});
    }
    return frames.front().samples.visit([&](const auto& values) {
        using Number = std::decay_t<decltype(values(0, 0))>;
        std::vector<Number> all;
        for (const Frame& frame : frames) {
            frame.samples.visit([&](const auto& own) {
                for (Eigen::Index i = 0; i < own.size(); ++i) {
                    all.push_back(static_cast<Number>(own.data()[i]));
                }
            });
        }
        return numpy(std::move(all), {frames.size(), s.scan.coils(), count});
    });
}

nb::object trajectory_of(const ScanOfArrays& s) {
    const std::vector<const Trajectory*> all = trajectories_of(s.scan.frames);
    const auto dimensions = static_cast<std::size_t>(s.scan.grid.dimensions);
    const std::size_t count = all.front()->samples();
    std::vector<double> k;
    const auto add = [&](const Trajectory& trajectory) {
        for (const Vec3& position : trajectory.positions) {
            k.insert(k.end(), position.begin(), position.begin() + static_cast<long>(dimensions));
        }
    };
    if (all.size() == 1) {
        add(*all.front());
        return numpy(std::move(k), {count, dimensions});
    }
    for (const Frame& frame : s.scan.frames) {
        add(*frame.trajectory);
    }
    return numpy(std::move(k), {s.scan.frames.size(), count, dimensions});
}

nb::object reals(const RealVector& values, const std::vector<std::size_t>& shape) {
    return values.size() > 0 ? numpy_of<double>(values, shape) : nb::none();
}

/// One frame alone.
ScanOfArrays frame_of(const ScanOfArrays& s, std::size_t frame) {
    if (frame >= s.scan.frames.size()) {
        throw nb::index_error("the scan has no such frame");
    }
    ScanOfArrays result{s.scan, s.arrays};
    result.scan.frames = {s.scan.frames[frame]};
    if (!s.scan.readouts.empty()) {
        result.scan.readouts = {s.scan.readouts[frame]};
    }
    return result;
}

/// X, Y (and Z) of three numbers.
template <typename Number>
std::vector<Number> sides_of(const ScanOfArrays& s, const std::array<Number, 3>& values) {
    return {values.begin(), values.begin() + s.scan.grid.dimensions};
}

nb::object coil_maps_of(const ScanOfArrays& s) {
    const CoilRows& maps = s.scan.coil_maps;
    return maps.empty() ? nb::none() : numpy_of(maps, joined({maps.rows()}, shape_of(s.scan.grid)));
}

nb::object numbers_of_samples(const ScanOfArrays& s, RealVector Trajectory::*numbers) {
    const RealVector& values = (*s.scan.frames.front().trajectory).*numbers;
    return reals(values, {static_cast<std::size_t>(values.size())});
}

nb::object field_of(const ScanOfArrays& s) {
    const OffResonance* const field = s.scan.off_resonance.get();
    return field != nullptr ? reals(field->field, shape_of(s.scan.grid)) : nb::none();
}

nb::object noise_of(const ScanOfArrays& s) {
    const CoilRows& noise = s.scan.noise;
    return noise.empty() ? nb::none() : numpy_of(noise, {noise.rows(), noise.columns()});
}

nb::object truth_of(const ScanOfArrays& s) {
    const auto frames = static_cast<std::size_t>(s.truth.cols());
    if (frames == 0) {
        return nb::none();
    }
    const std::vector<std::size_t> image = shape_of(s.scan.grid);
    return numpy_of<std::complex<float>>(Eigen::MatrixXcd(s.truth.transpose()),
                                         frames > 1 ? joined({frames}, image) : image);
}

const char* dtype_of(const ScanOfArrays& s) {
    const bool doubles = s.scan.frames.front().samples.precision() == Precision::float64;
    return doubles ? "complex128" : "complex64";
}

std::vector<std::string> labels_of(const ScanOfArrays& s) {
    std::vector<std::string> labels;
    for (const Frame& frame : s.scan.frames) {
        labels.push_back(frame.label);
    }
    return labels;
}

/// The scan with other samples, F x C x M, of its first trajectory, which all frames share.
ScanOfArrays with_samples(const ScanOfArrays& s, const Array& samples, const MaybeArray& noise,
                          nb::object arrays) {
    ScanOfArrays result{s.scan, nb::make_tuple(s.arrays, std::move(arrays))};
    const std::size_t of_a_frame = samples.shape(1) * samples.shape(2);
    const Frame like = s.scan.frames.front();
    result.scan.frames.clear();
    for (std::size_t f = 0; f < samples.shape(0); ++f) {
        Frame frame = like;
        frame.samples = rows_of(samples, f * of_a_frame, samples.shape(1), samples.shape(2));
        frame.label = samples.shape(0) > 1 ? text("frame ", f) : "";
        result.scan.frames.push_back(std::move(frame));
    }
    if (noise) {
        result.scan.noise = rows_of(*noise);
    }
    return result;
}

void bind_scan_functions(nb::module_& m) {
    m.def("scan", &scan_of, nb::arg("samples"), nb::arg("trajectory"), nb::arg("matrix"),
          nb::arg("fov_mm"), nb::arg("units"), nb::arg("maps").none(), nb::arg("weights").none(),
          nb::arg("times").none(), nb::arg("field_map").none(), nb::arg("r2star").none(),
          nb::arg("noise").none(), nb::arg("phi").none(), nb::arg("arrays").none());
    m.def("read_scan", &read_from, nb::arg("path"));
    m.def("write_scan", &write_scan, nb::arg("path"), nb::arg("scan"));
    m.def("simulate", &simulated, nb::arg("trajectory"), nb::arg("matrix"), nb::arg("fov_mm"),
          nb::arg("coils"), nb::arg("frames"), nb::arg("readouts"), nb::arg("undersampling"),
          nb::arg("noise"), nb::arg("snr").none(), nb::arg("off_resonance_hz"),
          nb::arg("readout_ms"), nb::arg("motion_mm"), nb::arg("maps"), nb::arg("noise_samples"),
          nb::arg("seed"));
}

} // namespace

void bind_scan(nb::module_& m) {
    using S = const ScanOfArrays&;
    nb::class_<ScanOfArrays>(m, "Scan",
                             "A scan: samples, where they were taken, and what is known "
                             "of the coils and the field.")
        .def_prop_ro("samples", &samples_of, "([F,] C, M)")
        .def_prop_ro("trajectory", &trajectory_of, "([F,] M, D), in cycles per field of view")
        .def_prop_ro(
            "matrix", [](S s) { return sides_of(s, s.scan.grid.size); }, "X, Y (and Z)")
        .def_prop_ro("fov_mm", [](S s) { return sides_of(s, s.scan.grid.fov_mm); })
        .def_prop_ro("maps", &coil_maps_of, "(C, (Z,) Y, X), or None")
        .def_prop_ro(
            "weights", [](S s) { return numbers_of_samples(s, &Trajectory::weights); },
            "(M), or None")
        .def_prop_ro(
            "times", [](S s) { return numbers_of_samples(s, &Trajectory::times); },
            "(M) in s, or None")
        .def_prop_ro("field_map", &field_of, "((Z,) Y, X) in Hz, or None")
        .def_prop_ro("noise", &noise_of, "(C, K), or None")
        .def_prop_ro("truth", &truth_of, "([F,] (Z,) Y, X) of a phantom, or None")
        .def_prop_ro("dtype", &dtype_of)
        .def_prop_ro("frames", [](S s) { return s.scan.frames.size(); })
        .def_prop_ro("labels", &labels_of)
        .def_prop_ro("format", [](S s) { return s.scan.format; })
        .def_prop_ro("facts", [](S s) { return s.scan.facts; })
        .def("_with_samples", &with_samples, nb::arg("samples"), nb::arg("noise").none(),
             nb::arg("arrays"))
        .def("frame", &frame_of, nb::arg("frame"), "One frame of several.");
    bind_scan_functions(m);
}

} // namespace lsrecon::python
