// Reads the native scan: checks that every name is known and every shape fits, then trajectories,
// and samples a frame at a time.

#include "io/native/scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "io/native/grid.hpp"
#include "scan/host_memory.hpp"
#include "scan/trajectories.hpp"
#include "scan/units.hpp"

namespace lsrecon {

using namespace native;
using native::refuse; // beside functions of this name

namespace {

/// The attribute of /samples that says where readouts end.
constexpr const char* readout_attribute = "samples_per_readout";

/// The names that the format knows; HDF5's own dimension labels are welcome anywhere.
const std::map<std::string, std::vector<std::string>>& known_attributes() {
    static const std::map<std::string, std::vector<std::string>> known{
        {"/",
         {"format", "version", "matrix", "fov_mm", "position", "directions", "simulation_error",
          simulation_attribute}},
        {"trajectory", {"units"}},
        {"samples", {readout_attribute}},
        {"phi", {}},
        {"weights", {}},
        {"coil_maps", {}},
        {"voxels", {}},
        {"field_map", {"units"}},
        {"r2star", {"units"}},
        {"times", {"units"}},
        {"echo_times", {"units"}},
        {"noise", {}},
    };
    return known;
}

std::string known_datasets() {
    std::vector<std::string> names;
    for (const auto& [name, attributes] : known_attributes()) {
        if (name != "/") {
            names.push_back(name);
        }
    }
    return comma_separated(names);
}

void check_attribute_names(const Hdf5Reader& file, const std::string& object) {
    const std::vector<std::string>& known = known_attributes().at(object);
    for (const std::string& name : file.attribute_names(object)) {
        const bool label = name.rfind("DIMENSION_", 0) == 0;
        if (!label && std::find(known.begin(), known.end(), name) == known.end()) {
            refuse(file, attribute_name(object, name), "an attribute of an unknown name",
                   known.empty() ? "no attribute" : "only " + comma_separated(known),
                   "correct its name, or remove it");
        }
    }
}

/// Attributes format and version: that this program can read the rest.
void check_format(const Hdf5Reader& file) {
    const std::string wanted = "\"lsrecon-scan\"";
    const std::string next = "write the attribute, or convert the file";
    const std::string format = file.attribute_text("/", "format", {wanted, next});
    if ("\"" + format + "\"" != wanted) {
        const bool of_lsrecon = format.rfind("lsrecon-", 0) == 0;
        refuse(file, attribute_name("/", "format"), "\"" + format + "\"", wanted,
               of_lsrecon ? "name a scan: this is an output of lsrecon, and 'lsrecon info' shows it"
                          : next);
    }
    const double version = header_numbers(file, "/", "version", 1, "1, a single number").front();
    if (version != 1) {
        refuse(file, attribute_name("/", "version"), text(version), "1",
               "write the scan in version 1 of the format, or use a newer lsrecon");
    }
}

/// Checks that every name in the file is one that the format knows.
void check_names(const Hdf5Reader& file) {
    check_attribute_names(file, "/");
    for (const std::string& name : file.names()) {
        if (name == "/" || known_attributes().count(name) == 0) {
            refuse(file, full_name(name), "a dataset or group of an unknown name",
                   "only " + known_datasets(),
                   "correct its name, or remove it: the scan format holds nothing else");
        }
        check_attribute_names(file, name);
    }
}

/// InputError when the host cannot hold what is read at once: the samples of one frame and the coil
/// maps in their own precision, and trajectories of the chosen frames.
void require_memory(const Hdf5Reader& file, const Grid& grid, const ReadOptions& options) {
    HostMemory memory;
    const auto add = [&](const std::string& name, const Hdf5Shape& shape, double numbers,
                         double bytes_each) {
        memory.add(full_name(name), shape.to_string(), Cost::on_host(numbers * bytes_each));
    };
    for (const std::string& name : file.names()) {
        if (!file.is_dataset(name)) {
            continue;
        }
        const Hdf5Shape shape = file.shape(name);
        const double all = static_cast<double>(shape.elements());
        if (name == "samples") {
            const bool frames = shape.extents.size() == 3;
            add(name, shape, frames ? static_cast<double>(shape.row_elements()) : all,
                2 * static_cast<double>(shape.number_bytes));
        } else if (name == "coil_maps" || name == "noise") {
            add(name, shape, all, 2 * static_cast<double>(shape.number_bytes));
        } else if (name == "trajectory" || name == "voxels") { // three doubles a point
            double points = all / grid.dimensions;
            if (name == "trajectory" && shape.extents.size() == 3) {
                const std::size_t frames = shape.extents[0];
                points *= static_cast<double>(options.frames.most_admitted(frames)) /
                          static_cast<double>(frames);
            }
            add(name, shape, points, sizeof(Vec3));
        } else {
            add(name, shape, all, shape.kind == Hdf5Kind::complex ? sizeof(Complex) : 8);
        }
    }
    memory.require(file.path());
}

/// Checks that what off-resonance needs is there. Times alone are for a field map of another file.
void require_times(const Hdf5Reader& file, const ReadOptions& options) {
    const bool has_times = file.has("times") || !options.beside.times.empty();
    if (file.has("field_map") && !has_times) {
        refuse(file, "/times", "it is missing", "/field_map together with /times",
               "write when each sample was taken, in s; or remove /field_map");
    }
    if (file.has("r2star") && !file.has("field_map")) {
        refuse(file, "/field_map", "it is missing", "/r2star together with /field_map",
               "write a field map, of zeros if only the decay is known");
    }
    if (options.with_times && !has_times) {
        refuse(file, "/times", "it is missing", "when each sample was taken, for `field_map`",
               "write /times [M] with units s, or leave `field_map` out");
    }
}

/// Whether the scan has no trajectory, and a file beside it has.
bool is_beside(const Hdf5Reader& file, const ReadOptions& options) {
    return !options.beside.trajectory.empty() && !file.has("trajectory");
}

/// [M, D] or [F, M, D] of /trajectory; where a file beside the scan has the positions, by the
/// samples.
Extents trajectory_extents(const Hdf5Reader& file, const Grid& grid, const ReadOptions& options) {
    const int dimensions = grid.dimensions;
    if (is_beside(file, options)) {
        const Extents samples = file.checked_shape("samples", Hdf5Kind::complex).extents;
        return {samples.empty() ? 1 : samples.back(), static_cast<std::size_t>(dimensions)};
    }
    const std::string expected = text("[M, ", dimensions, "] or [F, M, ", dimensions,
                                      "], since matrix has ", dimensions, " entries");
    if (!file.has("trajectory")) {
        refuse(file, "/trajectory", "it is missing", "real numbers " + expected,
               "write where the samples were taken, or name a file that says it by `trajectory`");
    }
    const Hdf5Shape shape = file.checked_shape("trajectory", Hdf5Kind::real);
    const Extents& extents = shape.extents;
    if ((extents.size() != 2 && extents.size() != 3) ||
        extents.back() != static_cast<std::size_t>(dimensions)) {
        refuse(file, "/trajectory", shape.to_string(), expected,
               "write one coordinate per dimension, spokes and readouts flattened: M = spokes * "
               "samples per readout; or correct the matrix");
    }
    return extents;
}

/// Whether the dataset is there; InputError when it does not hold one value a sample.
bool has_per_sample(const Hdf5Reader& file, const std::string& name, Hdf5Kind kind,
                    std::size_t samples) {
    if (!file.has(name)) {
        return false;
    }
    const Hdf5Shape shape = file.checked_shape(name, kind);
    if (shape.extents != Extents{samples}) {
        const bool of_frames = shape.extents.size() == 2 && shape.extents.back() == samples;
        refuse(file, full_name(name), shape.to_string(),
               shown(Extents{samples}) + ", one value a trajectory point" +
                   (of_frames ? ", the same in all frames" : ""),
               of_frames ? "write a scan for each frame, if they differ in this"
                         : "make the sizes of the datasets agree");
    }
    return true;
}

template <typename Vector, typename Value> Vector to_vector(const std::vector<Value>& values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// The next points of a trajectory, in cycles per field of view by the factor of each dimension.
std::vector<Vec3> read_points(Hdf5Values& stored, std::size_t count, std::size_t dimensions,
                              const Vec3& factor) {
    auto points = vector_for<Vec3>(count);
    points.resize(count);
    const auto read_some = [&](const Range& some, Hdf5Values& values) {
        constexpr std::size_t points_at_a_time = 8192; // which caches hold
        std::vector<double> k;
        auto point = points.begin() + static_cast<long>(some.first);
        for (const Range& range : split_into_ranges(some.count, points_at_a_time)) {
            k.resize(range.count * dimensions);
            values.read(k.data(), k.size());
            for (auto at = k.begin(); at != k.end(); at += static_cast<long>(dimensions)) {
                *point++ = {at[0] * factor[0], at[1] * factor[1],
                            dimensions == 3 ? at[2] * factor[2] : 0};
            }
        }
    };
    const std::size_t parts = stored.parts_of(count * dimensions);
    if (parts == 1) {
        read_some({0, count}, stored);
        return points;
    }
    for_each_range_in_parallel(count, parts, [&](const Range& some) {
        Hdf5Values values = stored.part({some.first * dimensions, some.count * dimensions});
        read_some(some, values);
    });
    return points;
}

/// C and F; InputError when they or M do not agree with the trajectory.
Extents samples_extents(const Hdf5Reader& file, std::size_t samples, std::size_t trajectories) {
    const Hdf5Shape shape = file.checked_shape("samples", Hdf5Kind::complex);
    const Extents& extents = shape.extents;
    const std::string next = "make /samples and /trajectory agree; spokes and readouts are "
                             "flattened: M = spokes * samples per readout";
    if ((extents.size() != 2 && extents.size() != 3) || extents.back() != samples) {
        refuse(file, "/samples", shape.to_string(),
               text("[C, ", samples, "] or [F, C, ", samples, "], since the trajectory has ",
                    counted(samples, "point")),
               next);
    }
    const std::size_t frames = extents.size() == 3 ? extents[0] : 1;
    if (trajectories != 1 && trajectories != frames) {
        refuse(file, "/samples", shape.to_string(),
               text(counted(trajectories, "frame"), ", as many as /trajectory has"), next);
    }
    return {extents[extents.size() - 2], frames};
}

/// The units that the user gives, or those of the attribute of /trajectory.
std::string trajectory_units(const Hdf5Reader& file, const ReadOptions& options) {
    if (!options.trajectory_units.empty()) {
        return options.trajectory_units;
    }
    if (is_beside(file, options)) {
        return "cycles/fov";
    }
    const std::vector<std::string>& known = trajectory_unit_names();
    const std::string expected = "one of " + comma_separated(known);
    const std::string next = "write the attribute, or pass `traj_units`";
    const std::string units = file.attribute_text("trajectory", "units", {expected, next});
    if (std::find(known.begin(), known.end(), units) == known.end()) {
        refuse(file, attribute_name("trajectory", "units"), "\"" + units + "\"", expected, next);
    }
    return units;
}

/// One a frame of the trajectory, a single one when it has no frame dimension; null for those not
/// chosen.
using Trajectories = std::vector<std::shared_ptr<const Trajectory>>;

/// /trajectory, /phi, /weights and /times. Frames whose trajectories are equal share theirs.
Trajectories read_trajectories(const Hdf5Reader& file, const Grid& grid,
                               const ReadOptions& options) {
    const Extents extents = trajectory_extents(file, grid, options);
    const std::size_t frames = extents.size() == 3 ? extents[0] : 1;
    const std::size_t samples = extents[extents.size() - 2];
    const std::size_t dimensions = extents.back();
    const Vec3 factor = to_cycles_per_fov(trajectory_units(file, options), grid);
    Trajectory common;
    if (has_per_sample(file, "phi", Hdf5Kind::complex, samples)) {
        common.phi = to_vector<ComplexVector>(file.read_complex("phi"));
    }
    if (has_per_sample(file, "weights", Hdf5Kind::real, samples)) {
        common.weights = to_vector<RealVector>(file.read_real("weights"));
    }
    if (file.has("times")) {
        common.times =
            read_with_units(file, "times", {samples}, "one value a trajectory point", "s");
    }
    const auto positions_of = [&](std::size_t frame) {
        if (is_beside(file, options)) {
            return std::vector<Vec3>(samples, Vec3{0, 0, 0});
        }
        Hdf5Values stored = extents.size() == 3 ? Hdf5Values(file, "trajectory", frame)
                                                : Hdf5Values(file, "trajectory");
        return read_points(stored, samples, dimensions, factor);
    };
    TrajectoryPool pool;
    Trajectories trajectories;
    for (std::size_t f = 0; f < frames; ++f) {
        trajectories.push_back(nullptr);
        if (frames == 1 || options.frames.admits(f)) {
            Trajectory trajectory = common;
            trajectory.positions = positions_of(f);
            trajectories[f] = pool.share(std::move(trajectory));
        }
    }
    return trajectories;
}

/// Frames of the shape that /samples declares, without values; without /samples the frames have no
/// coils, which is enough for Q.
std::vector<Frame> read_frames(const Hdf5Reader& file, const Trajectories& trajectories,
                               std::size_t samples) {
    std::vector<Frame> result;
    if (!file.has("samples")) {
        for (const auto& trajectory : trajectories) {
            result.push_back({trajectory, {}, "", std::nullopt});
        }
        return result;
    }
    const Extents extents = samples_extents(file, samples, trajectories.size());
    const std::size_t coils = extents[0];
    const std::size_t frames = extents[1];
    const bool in_doubles = file.shape("samples").number_bytes == sizeof(double);
    for (std::size_t f = 0; f < frames; ++f) {
        Frame frame;
        frame.trajectory = trajectories[trajectories.size() == 1 ? 0 : f];
        frame.samples = CoilRows(coils, 0, in_doubles ? Precision::float64 : Precision::float32);
        frame.label = frames > 1 ? text("frame ", f) : "";
        result.push_back(std::move(frame));
    }
    return result;
}

/// The readouts of each frame where the file says how long they are.
std::vector<FrameReadouts> read_readouts(const Hdf5Reader& file, const Scan& scan) {
    if (!file.has("samples") || !file.has_attribute("samples", readout_attribute)) {
        return {};
    }
    std::vector<FrameReadouts> readouts;
    for (const Frame& frame : scan.frames) {
        const std::size_t samples = frame.trajectory ? frame.trajectory->samples() : 0;
        const std::string expected =
            text("a whole number that divides the ", samples, " samples of a coil");
        const double length =
            header_numbers(file, "samples", readout_attribute, 1, expected).front();
        if (!(length >= 1 && length <= static_cast<double>(samples)) ||
            std::fmod(static_cast<double>(samples), length) != 0) {
            refuse(file, attribute_name("samples", readout_attribute), shown(length), expected,
                   "write the samples of one readout");
        }
        readouts.emplace_back();
        for (auto end = static_cast<std::size_t>(length); end <= samples;
             end += static_cast<std::size_t>(length)) {
            readouts.back().ends.push_back(end);
        }
    }
    return readouts;
}

/// The values of /samples of one frame, C x M.
CoilRows read_samples(const Hdf5Reader& file, std::size_t frame) {
    const Extents extents = file.shape("samples").extents;
    const std::size_t coils = extents[extents.size() - 2];
    return extents.size() == 3 ? Hdf5Values(file, "samples", frame).read_rows(coils, extents.back())
                               : Hdf5Values(file, "samples").read_rows(coils, extents.back());
}

Extents declared(const Hdf5Reader& file, const std::string& dataset) {
    return file.is_dataset(dataset) ? file.shape(dataset).extents : Extents{};
}

/// The number of coil maps that the file declares, before anything about them is checked.
std::size_t coil_maps_in(const Hdf5Reader& file) {
    const Extents extents = declared(file, "coil_maps");
    return extents.empty() ? 0 : extents.front();
}

std::size_t coils_in(const Hdf5Reader& file) {
    const Extents extents = declared(file, "samples");
    return extents.size() < 2 ? 1 : extents[extents.size() - 2];
}

/// Reads the maps after the voxels and the samples, which decide the shape that maps must have.
CoilRows read_coil_maps(const Hdf5Reader& file, const Scan& scan) {
    const Hdf5Shape shape = file.checked_shape("coil_maps", Hdf5Kind::complex);
    const Extents one_map = image_extents(scan);
    Extents any_coils = shape.extents;
    if (!any_coils.empty()) {
        any_coils.erase(any_coils.begin());
    }
    const std::size_t coils = shape.extents.empty() ? 0 : shape.extents.front();
    const bool right_coils = scan.has_samples() ? coils == scan.coils() : coils > 0;
    if (!right_coils || any_coils != one_map) {
        const std::string expected = (scan.has_samples() ? text("[", scan.coils(), ", ") : "[C, ") +
                                     shown(one_map).substr(1) +
                                     ", one map a coil of /samples on the " +
                                     (scan.voxels ? "positions of /voxels" : "grid of the image");
        refuse(file, "/coil_maps", shape.to_string(), expected,
               scan.voxels ? "make the maps at the positions of /voxels"
                           : "make the maps on the grid of the attribute matrix, slowest "
                             "dimension first");
    }
    return Hdf5Values(file, "coil_maps").read_rows(coils, shape.elements() / coils);
}

CoilRows read_noise(const Hdf5Reader& file, const Scan& scan) {
    const Hdf5Shape shape = file.checked_shape("noise", Hdf5Kind::complex);
    if (shape.extents.size() != 2 || (scan.has_samples() && shape.extents[0] != scan.coils())) {
        refuse(file, "/noise", shape.to_string(),
               scan.has_samples() ? text("[", scan.coils(), ", K]") : "[C, K]",
               "write one row a coil of /samples");
    }
    CoilRows noise = Hdf5Values(file, "noise").read_rows(shape.extents[0], shape.extents[1]);
    for (std::size_t i = 0; !std::isfinite(noise.largest_part()) && i < shape.elements(); ++i) {
        const Complex value = noise(i / noise.columns(), i % noise.columns());
        require_finite(file, "noise", i, value.real());
        require_finite(file, "noise", i, value.imag());
    }
    return noise;
}

void refuse_options_of_raw_data(const Hdf5Reader& file, const ReadOptions& options) {
    std::string flag = !options.join.empty()                 ? "`join`"
                       : !options.group.empty()              ? "`group`"
                       : options.encoding                    ? "`encoding`"
                       : options.calibration_lines != "auto" ? "`calibration_lines`"
                       : options.spokes_per_frame > 0        ? "`spokes_per_frame`"
                                                             : "";
    for (std::size_t i = 0; i < options.counters.size() && flag.empty(); ++i) {
        flag = options.counters[i].empty() ? "" : "`" + frame_counters()[i] + "`";
    }
    if (!flag.empty()) {
        throw UsageError(file.path() + ": " + flag +
                         " is for raw data, and the frames of a native scan have no counters, "
                         "readouts or encodings\n  next:     leave " +
                         flag + " out; `frames` chooses frames by their index");
    }
    if (options.image.shift_to_position) {
        throw UsageError(file.path() +
                         ": `shift_mm` header is for raw data; the samples of a native scan are "
                         "already centred on its grid\n  next:     leave it out; "
                         "`shift_mm` X,Y moves the image");
    }
}

/// Leaves the frames that were chosen. Their indices in the file.
std::vector<std::size_t> choose_frames(Scan& scan, const ReadOptions& options) {
    const std::size_t count = scan.frames.size();
    std::vector<Frame> chosen;
    std::vector<std::size_t> indices;
    for (std::size_t f = 0; f < count; ++f) {
        if (options.frames.admits(f)) {
            chosen.push_back(std::move(scan.frames[f]));
            indices.push_back(f);
        }
    }
    require_frames(options.frames, count, scan.file, "chosen frames");
    if (indices.size() < count) {
        scan.facts.push_back(text("left out ", counted(count - indices.size(), "frame"),
                                  "; chosen: `frames` ", options.frames.to_string()));
    }
    scan.frames = std::move(chosen);
    return indices;
}

/// The rest of a scan whose header was read.
StoredScan load(const std::shared_ptr<const Hdf5Reader>& opened, const ReadOptions& options,
                Scan scan) {
    const Hdf5Reader& file = *opened;
    if (file.has_attribute("/", "simulation_error")) {
        scan.details.emplace_back("simulation error",
                                  file.attribute_in_words("/", "simulation_error"));
    }
    const Trajectories trajectories = read_trajectories(file, scan.grid, options);
    scan.trajectory_units = trajectory_units(file, options);
    const Extents points = trajectory_extents(file, scan.grid, options);
    scan.frames = read_frames(file, trajectories, points[points.size() - 2]);
    if (file.has("echo_times")) {
        const RealVector times =
            read_with_units(file, "echo_times", {scan.frames.size()}, "one value a frame", "s");
        for (std::size_t f = 0; f < scan.frames.size(); ++f) {
            scan.frames[f].echo = Echo{times(static_cast<Eigen::Index>(f))};
        }
    }
    const std::vector<std::size_t> indices = choose_frames(scan, options);
    scan.readouts = read_readouts(file, scan);
    if (file.has("voxels")) {
        scan.voxels = read_voxels(file, scan.grid);
    }
    if (file.has("coil_maps")) {
        scan.coil_maps = read_coil_maps(file, scan);
    }
    if (file.has("noise")) {
        scan.noise = read_noise(file, scan);
    }
    if (file.has("field_map")) {
        scan.off_resonance = std::make_shared<const OffResonance>(
            read_field_map(file, image_extents(scan),
                           scan.voxels ? "the positions of /voxels" : "the grid of the image"));
    }
    return {std::move(scan),
            [opened, indices](std::size_t frame) { return read_samples(*opened, indices[frame]); }};
}

} // namespace

bool recognises_native(const Hdf5Reader& file) {
    return file.has("trajectory") || (file.has_attribute("/", "format") &&
                                      file.attribute_in_words("/", "format") == "lsrecon-scan");
}

std::string settings_of_simulation(const std::string& path) {
    try {
        const Hdf5Reader file(path);
        return file.has_attribute("/", simulation_attribute)
                   ? file.attribute_in_words("/", simulation_attribute)
                   : "";
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) { // there is none, or it is no HDF5
        return "";
    }
}

ScanHeader open_native(const std::shared_ptr<const Hdf5Reader>& opened,
                       const ReadOptions& options) {
    const Hdf5Reader& file = *opened;
    refuse_options_of_raw_data(file, options);
    check_format(file);
    check_names(file);
    require_times(file, options);
    Scan scan;
    scan.file = file.path();
    scan.format = "lsrecon-scan";
    scan.grid = read_grid(file, options, scan.findings);
    require_memory(file, scan.grid, options);
    ScanHeader header{{}, [opened, options, scan] { return load(opened, options, scan); }};
    if (!file.has("voxels")) {
        header.shape = {file.path(),
                        options.image.matrix.empty() ? attribute_name("/", "matrix") : "`matrix`",
                        options.image.grid_of_image(scan.grid), coils_in(file), coil_maps_in(file)};
    }
    return header;
}

} // namespace lsrecon
