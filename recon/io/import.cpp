// Makes a scan of arrays: finds what each is by its name, its axes by their sizes, its units by
// their range, and says how it was read.

#include "io/import.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/arrays.hpp"
#include "io/image/cfl.hpp"
#include "io/import_axes.hpp"
#include "io/pulseq.hpp"
#include "io/trajectory_rules.hpp"
#include "scan/check.hpp"
#include "scan/findings.hpp"
#include "scan/trajectories.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// "ksp" of "data/ksp.npy".
std::string stem_of(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.rfind('.'));
}

/// The role that an input names, and the rest of it.
std::pair<std::string, std::string> named_role(const std::string& input) {
    const std::size_t at = input.find('=');
    const std::vector<std::string> names = array_roles();
    const std::string name = input.substr(0, at == std::string::npos ? 0 : at);
    return std::find(names.begin(), names.end(), name) != names.end()
               ? std::pair(name, input.substr(at + 1))
               : std::pair(std::string(), input);
}

using Arrays = std::map<std::string, StoredArray>;

/// The rule that an input names as the trajectory.
std::optional<TrajectoryRule> rule_of(const ImportOptions& options) {
    for (const std::string& input : options.inputs) {
        const auto [role, word] = named_role(input);
        if (role == "trajectory") {
            return trajectory_rule_of(word);
        }
    }
    return std::nullopt;
}

void add(Arrays& arrays, const std::string& role, const StoredArray& array) {
    if (const auto [known, is_new] = arrays.emplace(role, array); !is_new) {
        throw InputError(
            {array.file, array.thing, "the " + role,
             "one array of them: " + known->second.file + " has " + known->second.thing,
             "name the one: " + role + "=FILE:NAME"});
    }
}

Arrays arrays_of(const ImportOptions& options, std::vector<std::string>& facts) {
    Arrays arrays;
    for (const std::string& input : options.inputs) {
        const auto [role, word] = named_role(input);
        if (role == "trajectory" && trajectory_rule_of(word)) {
            continue;
        }
        if (!role.empty()) {
            add(arrays, role, open_array(word, role));
            continue;
        }
        std::size_t known = 0;
        const auto [file, name] = array_name_of(word);
        std::vector<std::string> unknown;
        const std::vector<StoredArray> found =
            name.empty() ? open_arrays(file) : std::vector{open_array(word, name)};
        for (const StoredArray& array : found) {
            const std::string its_role =
                recognises_sequence(file)
                    ? "trajectory"
                    : array_role_of(array.name.empty() ? stem_of(file) : array.name);
            if (its_role.empty()) {
                unknown.push_back(array.thing + " " + array.shape.to_string());
                continue;
            }
            add(arrays, its_role, array);
            ++known;
        }
        if (known == 0) {
            const std::size_t columns =
                found.front().shape.extents.empty() ? 0 : found.front().shape.extents.back();
            const bool is_of_positions =
                found.front().shape.kind == Hdf5Kind::real && (columns == 2 || columns == 3);
            throw InputError({file, "names of its arrays", comma_separated(unknown),
                              "one that says what it is: " + comma_separated(array_roles()),
                              std::string("say it: ") +
                                  (is_of_positions ? "trajectory=" : "samples=") + file +
                                  (found.size() > 1 ? ":NAME" : "")});
        }
        if (!unknown.empty()) {
            facts.push_back(file + ": left out " + comma_separated(unknown));
        }
    }
    const auto require = [&](const std::string& role, const std::string& more) {
        if (arrays.count(role) == 0) {
            throw InputError({options.inputs.front(), role, "none", "an array of " + role,
                              "name it: " + role + "=FILE or " + role + "=FILE:NAME" + more});
        }
    };
    require("samples", "");
    if (!rule_of(options)) {
        require("trajectory", "; or a rule, such as trajectory=golden-angle");
    }
    return arrays;
}

[[noreturn]] void refuse_array(const StoredArray& array, const std::string& expected,
                               const std::string& next) {
    throw InputError({array.file, array.thing, array.shape.to_string(), expected, next});
}

const ArrayConvention& convention_of(const ImportOptions& options, const StoredArray& trajectory) {
    const std::string name = !options.convention.empty()       ? options.convention
                             : recognises_cfl(trajectory.file) ? "bart"
                                                               : "lsrecon";
    const auto& table = array_conventions();
    return *std::find_if(table.begin(), table.end(),
                         [&](const ArrayConvention& row) { return row.name == name; });
}

/// Coordinates as stored, x first, of each point, and the axes of the points.
struct StoredPoints {
    std::vector<Vec3> positions;
    ArrayAxes axes;
    std::size_t columns = 2;
};

StoredPoints points_of(const StoredArray& array, std::vector<std::string>& facts) {
    StoredPoints points;
    points.axes = axes_of(array);
    const CoilRows values = array.values(1);
    if (array.shape.kind == Hdf5Kind::complex &&
        (points.axes.empty() || points.axes.back().size != 3)) {
        for (const std::size_t offset : offsets_of(points.axes)) {
            points.positions.push_back({values(0, offset).real(), values(0, offset).imag(), 0});
        }
        facts.push_back("trajectory: real parts are x, imaginary parts y");
        return points;
    }
    const auto counts = [](const ArrayAxis& axis) { return axis.size == 2 || axis.size == 3; };
    const bool last = !points.axes.empty() && counts(points.axes.back());
    if (!last && (points.axes.empty() || !counts(points.axes.front()))) {
        refuse_array(array, "an axis of 2 or 3 for x, y (and z), the last or the first",
                     "write the trajectory as [samples, dimensions]");
    }
    const auto columns = last ? points.axes.end() - 1 : points.axes.begin();
    const ArrayAxis of_columns = *columns;
    points.columns = of_columns.size;
    points.axes.erase(columns);
    if (!last) {
        facts.push_back("trajectory: its first axis has the dimensions");
    }
    for (const std::size_t offset : offsets_of(points.axes)) {
        Vec3 position{0, 0, 0};
        for (std::size_t d = 0; d < points.columns; ++d) {
            position[d] = values(0, offset + d * of_columns.stride).real();
        }
        points.positions.push_back(position);
    }
    return points;
}

/// The grid by the options, or by what is on a grid.
Grid grid_of(const ImportOptions& options, const Arrays& arrays, const StoredPoints& points,
             Findings& findings) {
    std::vector<std::size_t> matrix = options.matrix;
    for (const std::string role : {"coil_maps", "field_map"}) {
        const auto found = arrays.find(role);
        if (matrix.empty() && found != arrays.end()) {
            const bool by_bart = recognises_cfl(found->second.file);
            std::vector<std::size_t> sizes =
                sizes_of(by_bart ? axes_of_bart(found->second).points : axes_of(found->second));
            if (role == "coil_maps" && sizes.size() > 2 && !by_bart) {
                sizes.erase(sizes.begin());
            }
            matrix.assign(sizes.rbegin(), sizes.rend());
        }
    }
    if (matrix.size() < 2 || matrix.size() > 3) {
        Vec3 largest{0, 0, 0};
        for (const Vec3& k : points.positions) {
            for (std::size_t d = 0; d < 3; ++d) {
                largest[d] = std::max(largest[d], std::abs(k[d]));
            }
        }
        const std::string reach =
            points.positions.empty()
                ? ""
                : "; largest |k| as stored: " + by(largest, static_cast<int>(points.columns)) +
                      ", and N/2 in cycles/fov";
        throw InputError({arrays.at("samples").file, "matrix", "none",
                          "the voxels of the image" + reach, "pass `matrix` X,Y or X,Y,Z"});
    }
    Grid grid;
    grid.dimensions = static_cast<int>(matrix.size());
    if (!options.fov_mm.empty() && options.fov_mm.size() != 1 &&
        options.fov_mm.size() != matrix.size()) {
        throw UsageError(text("`fov_mm` has ", options.fov_mm.size(),
                              " lengths\n  expected: 1, or ", matrix.size(), " as the matrix has"));
    }
    for (std::size_t d = 0; d < matrix.size(); ++d) {
        grid.size[d] = matrix[d];
        grid.fov_mm[d] = options.fov_mm.empty()
                             ? static_cast<double>(matrix[d])
                             : options.fov_mm[options.fov_mm.size() == 1 ? 0 : d];
    }
    if (options.fov_mm.empty()) {
        findings.push_back({Found::fov_of_voxels});
    }
    return grid;
}

/// Puts the columns in the order x, y (, z), and leaves out one that the grid has no dimension for.
void order_columns(const StoredArray& array, const ArrayConvention& convention, const Grid& grid,
                   StoredPoints& points, std::vector<std::string>& facts) {
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    if (points.columns < dimensions) {
        refuse_array(array, text(dimensions, " dimensions, as the matrix has"),
                     "pass `matrix` X,Y, or write the third dimension");
    }
    if (convention.first_is_slowest) {
        for (Vec3& k : points.positions) {
            std::reverse(k.begin(), k.begin() + static_cast<long>(points.columns));
        }
        facts.push_back("trajectory: columns are " + std::string(dimensions == 3 ? "z, " : "") +
                        "y, x, as of " + convention.name);
    }
    double largest = 0;
    double beyond = 0;
    for (const Vec3& k : points.positions) {
        largest = std::max({largest, std::abs(k[0]), std::abs(k[1])});
        beyond = std::max(beyond, dimensions == 2 ? std::abs(k[2]) : 0);
    }
    constexpr double rounding = 1e-3;
    if (beyond > rounding * largest) {
        refuse_array(array,
                     text("0 along z, since the matrix has two dimensions; it reaches ", beyond),
                     "pass `matrix` X,Y,Z");
    }
    for (Vec3& k : points.positions) {
        k[2] = dimensions == 2 ? 0 : k[2];
    }
}

/// Units that are given, or that the file, the convention or the range says.
std::string units_of(const ImportOptions& options, const StoredArray& array,
                     const ArrayConvention& convention, const Grid& grid,
                     const std::vector<Vec3>& positions) {
    if (!options.trajectory_units.empty()) {
        return options.trajectory_units;
    }
    if (!array.units.empty()) {
        return array.units;
    }
    if (!convention.units.empty()) {
        return convention.units;
    }
    const std::string found = guess_trajectory_units(positions, grid);
    if (found.empty()) {
        Extent extent;
        extent.add(positions);
        Vec3 largest{0, 0, 0};
        for (std::size_t d = 0; d < 3; ++d) {
            largest[d] = std::max(std::abs(extent.least[d]), std::abs(extent.most[d]));
        }
        const auto hint = hint_on_units(extent.least, extent.most, grid, "");
        throw InputError({array.file, "units of the trajectory",
                          "largest |k| as stored: " + by(largest, grid.dimensions) + "; matrix " +
                              by(grid.size, grid.dimensions) + ", FOV " +
                              by(grid.fov_mm, grid.dimensions) + " mm",
                          "one unit that fills 0.5 to 1.05 of N/2; largest |k| / (N/2) would be " +
                              reach_in_each_unit(largest, grid) + (hint ? "; " + hint->seems : ""),
                          hint ? hint->next_step : "pass `traj_units` UNIT, or correct `matrix`"});
    }
    return found;
}

/// Refuses a matrix that is smaller than that by which the scan was sampled: this is the scan's,
/// and recon's may be smaller.
void require_whole_matrix(const StoredArray& array, const std::vector<Vec3>& positions,
                          const Vec3& factor, const Scan& scan) {
    Extent extent;
    extent.add(positions);
    Vec3 largest{0, 0, 0};
    std::string whole;
    bool fits = true;
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        extent.least[d] *= factor[d];
        extent.most[d] *= factor[d];
        largest[d] = std::max(-extent.least[d], extent.most[d]);
        const double size = static_cast<double>(scan.grid.size[d]);
        constexpr double overshoot = 1.05; // as check() allows
        fits = fits && largest[d] <= 0.5 * overshoot * size;
        whole += text(d == 0 ? "" : ",", std::max(size, 2 * std::ceil(largest[d])));
    }
    if (!fits && !hint_on_wrong_units(extent, scan.grid, scan.trajectory_units)) {
        throw InputError(
            {array.file, "trajectory",
             "largest |k| " + by(largest, scan.grid.dimensions) + " cycles/fov",
             "N/2 of the matrix at most, " + by(scan.grid.size, scan.grid.dimensions) + ", and 5 %",
             "pass `matrix` " + whole + "; that of recon may be smaller"});
    }
}

/// Axes of samples by the names that the user gives.
SampleAxes named_axes(const StoredArray& array, const ComplexArray& samples,
                      const std::vector<std::string>& names) {
    std::vector<std::string> words = names;
    if (array.first_is_fastest) {
        std::reverse(words.begin(), words.end());
    }
    ArrayAxes all = axes_of(array);
    std::vector<std::size_t> extents = array.shape.extents;
    if (words.size() == extents.size()) { // those of one value have names, too
        for (std::size_t d = extents.size(); d-- > 0;) {
            if (extents[d] == 1) {
                words.erase(words.begin() + static_cast<long>(d));
            }
        }
    }
    if (words.size() != all.size()) {
        refuse_array(array, text(names.size(), " axes, as `axes` names"),
                     "name each axis of its shape");
    }
    SampleAxes axes;
    ArrayAxes readouts;
    for (std::size_t d = 0; d < all.size(); ++d) {
        if (words[d] == "part" && (!samples.part || all[d].stride != *samples.part)) {
            refuse_array(array, "parts as an axis of 2 of real numbers", "correct `axes`");
        }
        ArrayAxes& of = words[d] == "frame"     ? axes.frames
                        : words[d] == "coil"    ? axes.coils
                        : words[d] == "readout" ? readouts
                                                : axes.points;
        if (words[d] != "part") {
            of.push_back(all[d]);
        }
    }
    axes.points.insert(axes.points.begin(), readouts.begin(), readouts.end());
    return axes;
}

/// Whether the first axis of a trajectory is that of frames, whose samples have coils next to it:
/// [frame, coil, sample] beside [frame, sample, dimension]. Readouts may be stored in that way,
/// too.
bool has_frames(const StoredArray& array, const SampleAxes& axes, const Grid& grid) {
    const std::vector<std::size_t>& extents = array.shape.extents;
    if (axes.points.size() != 2 || !axes.frames.empty() || extents.size() != 3) {
        return false;
    }
    const bool between = axes.coils.empty() ? extents[1] == 1
                                            : axes.coils[0].stride < axes.points[0].stride &&
                                                  axes.coils[0].stride > axes.points[1].stride;
    if (!between || array.first_is_fastest) {
        return false;
    }
    // An image needs about a sample a voxel, and a readout has few of them.
    constexpr double least_of_frame = 0.25;
    constexpr double most_of_readout = 0.0625;
    const double share =
        static_cast<double>(axes.points[1].size) / static_cast<double>(grid.voxels());
    if (share > most_of_readout && share < least_of_frame) {
        refuse_array(array, "frames or readouts as its first axis: the size decides neither",
                     "pass `axes` frame,coil,sample or readout,coil,sample");
    }
    return share >= least_of_frame;
}

/// Puts readouts and samples in the order of a trajectory that has both as axes.
void order_as(const ArrayAxes& trajectory, ArrayAxes& points) {
    if (trajectory.size() < 2 || points.size() != 2) {
        return;
    }
    const std::size_t first = trajectory[trajectory.size() - 2].size;
    const std::size_t second = trajectory.back().size;
    if (first != second && points[0].size == second && points[1].size == first) {
        std::reverse(points.begin(), points.end());
    }
}

/// The axes of BART's pair, where by its dimensions it has a sample for each of so many points.
std::optional<SampleAxes> axes_by_bart(const StoredArray& array, std::size_t points) {
    if (!recognises_cfl(array.file)) {
        return std::nullopt;
    }
    const SampleAxes axes = axes_of_bart(array);
    const std::size_t count = count_of(axes.points);
    return count == points || count * count_of(axes.frames) == points ? std::optional(axes)
                                                                      : std::nullopt;
}

std::string in_words(const ArrayAxes& axes) {
    return shown(sizes_of(axes));
}

/// The samples of every frame, and how they were read.
void add_samples(const ImportOptions& options, const StoredArray& array, const StoredPoints& points,
                 const Vec3& factor, Scan& scan) {
    const ComplexArray samples = complex_array(array);
    std::optional<SampleAxes> axes;
    if (!options.axes.empty()) {
        axes = named_axes(array, samples, options.axes);
    } else {
        axes = axes_by_bart(array, points.positions.size());
    }
    if (axes) {
        order_as(points.axes, axes->points);
    } else {
        axes = find_points(samples.axes, sizes_of(points.axes));
        if (axes && has_frames(array, *axes, scan.grid)) {
            axes->frames = {axes->points.front()};
            axes->points.erase(axes->points.begin());
        }
    }
    const std::size_t frames = axes ? count_of(axes->frames) : 1;
    const std::size_t count = axes ? count_of(axes->points) : 0;
    const bool own = count * frames == points.positions.size() && frames > 1;
    if (!axes || (!own && count != points.positions.size())) {
        refuse_array(array,
                     text("an axis or more for the ", points.positions.size(),
                          " samples of the trajectory, ", in_words(points.axes),
                          ", one for coils and one for frames at most"),
                     "say what its axes are with `axes`, such as coil,readout,sample");
    }
    const std::vector<std::size_t> of_points = offsets_of(axes->points);
    const std::vector<std::size_t> of_frames = offsets_of(axes->frames);
    const std::vector<std::size_t> of_coils = offsets_of(axes->coils);
    TrajectoryPool pool;
    for (std::size_t f = 0; f < frames; ++f) {
        Trajectory trajectory;
        for (std::size_t m = 0; m < count; ++m) {
            Vec3 k = points.positions[own ? f * count + m : m];
            for (std::size_t d = 0; d < 3; ++d) {
                k[d] *= factor[d];
            }
            trajectory.positions.push_back(k);
        }
        Frame frame;
        frame.trajectory = pool.share(std::move(trajectory));
        CoilRows::Floats values(of_coils.size(), count);
        for (std::size_t c = 0; c < of_coils.size(); ++c) {
            for (std::size_t m = 0; m < count; ++m) {
                values(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(m)) =
                    static_cast<std::complex<float>>(
                        samples.at(of_frames[f] + of_coils[c] + of_points[m]));
            }
        }
        frame.samples = CoilRows(std::move(values));
        frame.label = frames > 1 ? text("frame ", f) : "";
        scan.frames.push_back(std::move(frame));
    }
    const std::string said =
        samples.said + (samples.said.empty() || axes->said.empty() ? "" : "; ") + axes->said;
    scan.facts.push_back(text("samples: ", array.file, " ", array.thing, ", ",
                              array.shape.to_string(), ", read as ", counted(frames, "frame"), ", ",
                              counted(of_coils.size(), "coil"), ", ", in_words(axes->points),
                              " samples", said.empty() ? "" : "; " + said));
}

/// Axes of volumes of these sizes: on the grid, slowest first, or from the other end.
std::optional<ArrayAxes> on_grid(ArrayAxes axes, const Grid& grid, std::string& said) {
    std::vector<std::size_t> sizes;
    for (std::size_t d = static_cast<std::size_t>(grid.dimensions); d-- > 0;) {
        if (grid.size[d] > 1) {
            sizes.push_back(grid.size[d]);
        }
    }
    if (sizes_of(axes) == sizes) {
        return axes;
    }
    std::reverse(axes.begin(), axes.end());
    if (sizes_of(axes) == sizes) {
        said = "its axes are x, y (, z), transposed";
        return axes;
    }
    return std::nullopt;
}

/// A row a coil, which are so far apart in the array, of the values along the other axes.
CoilRows coil_rows(const ComplexArray& array, std::size_t coils, std::size_t stride,
                   const ArrayAxes& axes) {
    const std::vector<std::size_t> offsets = offsets_of(axes);
    CoilRows::Floats values(coils, offsets.size());
    for (std::size_t c = 0; c < coils; ++c) {
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            values(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(i)) =
                static_cast<std::complex<float>>(array.at(c * stride + offsets[i]));
        }
    }
    return CoilRows(std::move(values));
}

void add_maps(const StoredArray& array, Scan& scan) {
    const ComplexArray maps = complex_array(array);
    const std::size_t coils = scan.coils();
    std::string said = maps.said;
    std::optional<ArrayAxes> volume;
    std::size_t stride = 0;
    for (const bool last : {false, true}) {
        ArrayAxes axes = maps.axes;
        if (coils > 1 && !axes.empty()) {
            const auto coil = last ? axes.end() - 1 : axes.begin();
            if (coil->size != coils) {
                continue;
            }
            stride = coil->stride;
            axes.erase(coil);
        }
        if ((volume = on_grid(axes, scan.grid, said))) {
            said += last ? "; coils are its last axis" : "";
            break;
        }
    }
    if (!volume) {
        refuse_array(array,
                     text("[", coils, ", ", scan.grid.dimensions == 3 ? "Z, " : "",
                          "Y, X], one map a coil on the matrix ",
                          by(scan.grid.size, scan.grid.dimensions)),
                     recognises_cfl(array.file) && !axes_of_bart(array).frames.empty()
                         ? "take the first set: bart slice 4 0 MAPS FIRST; or leave them out"
                         : "pass the `matrix` of the maps, or leave them out");
    }
    scan.coil_maps = coil_rows(maps, coils, stride, *volume);
    scan.facts.push_back(text("coil maps: ", array.file, " ", array.thing, ", ",
                              array.shape.to_string(), said.empty() ? "" : "; " + said));
}

void add_field(const StoredArray& array, Scan& scan) {
    std::string said;
    const std::optional<ArrayAxes> volume = on_grid(axes_of(array), scan.grid, said);
    if (!volume) {
        refuse_array(array,
                     "one value in Hz a voxel of the matrix " +
                         by(scan.grid.size, scan.grid.dimensions),
                     "pass the `matrix` of the map, or leave it out");
    }
    const std::vector<double> values = real_values(array);
    OffResonance field;
    field.field.resize(static_cast<Eigen::Index>(scan.grid.voxels()));
    Eigen::Index n = 0;
    for (const std::size_t offset : offsets_of(*volume)) {
        field.field(n++) = values[offset];
    }
    scan.off_resonance = std::make_shared<const OffResonance>(std::move(field));
    scan.facts.push_back("field map: " + array.file + " " + array.thing + ", in Hz" +
                         (said.empty() ? "" : "; " + said));
}

/// One number a sample, or those of one readout for each.
RealVector of_samples(const StoredArray& array, const Scan& scan) {
    const std::vector<double> values = real_values(array);
    const std::size_t samples = scan.frames.front().trajectory->samples();
    if (values.empty() || samples % values.size() != 0) {
        refuse_array(array, text(samples, " numbers, one a sample, or those of one readout"),
                     "write as many");
    }
    RealVector result(static_cast<Eigen::Index>(samples));
    for (std::size_t m = 0; m < samples; ++m) {
        result(static_cast<Eigen::Index>(m)) = values[m % values.size()];
    }
    return result;
}

void add_noise(const StoredArray& array, Scan& scan) {
    const ComplexArray noise = complex_array(array);
    const std::size_t coils = scan.coils();
    const bool first = !noise.axes.empty() && noise.axes.front().size == coils;
    const bool last = !noise.axes.empty() && noise.axes.back().size == coils;
    if (coils > 1 && !first && !last) {
        refuse_array(array, text("[", coils, ", K]: a row a coil"),
                     "write noise of the same coils");
    }
    ArrayAxes axes = noise.axes;
    std::size_t stride = 0;
    if (coils > 1) {
        const auto coil = first ? axes.begin() : axes.end() - 1;
        stride = coil->stride;
        axes.erase(coil);
    }
    scan.noise = coil_rows(noise, coils, stride, axes);
}

/// Puts numbers into every trajectory of the scan.
void change_trajectories(Scan& scan, const std::function<void(Trajectory&)>& change) {
    std::map<const Trajectory*, std::shared_ptr<const Trajectory>> changed;
    for (Frame& frame : scan.frames) {
        auto& after = changed[frame.trajectory.get()];
        if (after == nullptr) {
            Trajectory trajectory = *frame.trajectory;
            change(trajectory);
            after = std::make_shared<const Trajectory>(std::move(trajectory));
        }
        frame.trajectory = after;
    }
}

void add_others(const Arrays& arrays, Scan& scan) {
    const auto with = [&](const std::string& role, const auto& action) {
        if (const auto found = arrays.find(role); found != arrays.end()) {
            action(found->second);
        }
    };
    with("coil_maps", [&](const StoredArray& array) { add_maps(array, scan); });
    with("field_map", [&](const StoredArray& array) { add_field(array, scan); });
    with("noise", [&](const StoredArray& array) { add_noise(array, scan); });
    with("weights", [&](const StoredArray& array) {
        const RealVector values = of_samples(array, scan);
        change_trajectories(scan, [&](Trajectory& trajectory) { trajectory.weights = values; });
    });
    with("times", [&](const StoredArray& array) {
        const RealVector values = of_samples(array, scan);
        change_trajectories(scan, [&](Trajectory& trajectory) { trajectory.times = values; });
    });
    with("echo_times", [&](const StoredArray& array) {
        const std::vector<double> times = real_values(array);
        if (times.size() != scan.frames.size()) {
            refuse_array(array, text(scan.frames.size(), " times in s, one a frame"),
                         "write as many");
        }
        for (std::size_t f = 0; f < times.size(); ++f) {
            scan.frames[f].echo = Echo{times[f]};
        }
    });
    if (scan.off_resonance && scan.frames.front().trajectory->times.size() == 0) {
        throw InputError({arrays.at("field_map").file, "times", "none",
                          "when each sample was taken, in s, beside a field map",
                          "name them: times=FILE, one a sample or those of one readout"});
    }
}

/// The points of a rule, as many as the readouts and samples that `axes` name.
StoredPoints points_by_rule(const ImportOptions& options, const StoredArray& array,
                            const RuledReadout& readout, Scan& scan) {
    const auto has = [&](const char* name) {
        return std::count(options.axes.begin(), options.axes.end(), name) > 0;
    };
    if (!has("readout") || !has("sample")) {
        refuse_array(array, "readouts, which a rule numbers",
                     "pass `axes`, such as coil,readout,sample");
    }
    if (scan.grid.dimensions == 3) {
        refuse_array(array, "a matrix of two dimensions, for a rule",
                     "name a trajectory with the partitions along z: trajectory=FILE");
    }
    const SampleAxes axes = named_axes(array, complex_array(array), options.axes);
    StoredPoints points;
    points.axes = axes.points;
    const std::size_t readouts = axes.points.size() > 1 ? axes.points.front().size : 1;
    const std::size_t samples = axes.points.back().size;
    const std::size_t frames = readout.rule().kind->goes_on ? count_of(axes.frames) : 1;
    for (std::size_t r = 0; r < frames * readouts; ++r) {
        const std::vector<float> k =
            readout.positions(readout.angle(r, readouts), samples,
                              std::floor(static_cast<double>(samples) / 2), scan.grid);
        for (std::size_t i = 0; i < samples; ++i) {
            points.positions.push_back(
                {static_cast<double>(k[2 * i]), static_cast<double>(k[2 * i + 1]), 0});
        }
    }
    scan.trajectory_units = !options.trajectory_units.empty() ? options.trajectory_units
                            : readout.units().empty()         ? "cycles/fov"
                                                              : readout.units();
    scan.facts.push_back(text("trajectory by the rule ", readout.rule().kind->name, ": ",
                              counted(frames * readouts, "readout"), " of ", samples, " samples",
                              readout.fact()));
    return points;
}

StoredPoints points_of_trajectory(const ImportOptions& options, const Arrays& arrays, Scan& scan) {
    const StoredArray& trajectory = arrays.at("trajectory");
    scan.file = trajectory.file;
    const ArrayConvention& convention = convention_of(options, trajectory);
    StoredPoints points = points_of(trajectory, scan.facts);
    ImportOptions of_grid = options;
    if (recognises_sequence(trajectory.file)) { // which says both
        of_grid.inputs = {trajectory.file};
        const Scan of_sequence = import_sequence(of_grid);
        const Grid& grid = of_sequence.grid;
        scan.facts.insert(scan.facts.end(), of_sequence.facts.begin(), of_sequence.facts.end());
        of_grid.matrix.assign(grid.size.begin(), grid.size.begin() + grid.dimensions);
        of_grid.fov_mm.assign(grid.fov_mm.begin(), grid.fov_mm.begin() + grid.dimensions);
    }
    scan.grid = grid_of(of_grid, arrays, points, scan.findings);
    order_columns(trajectory, convention, scan.grid, points, scan.facts);
    scan.trajectory_units = units_of(options, trajectory, convention, scan.grid, points.positions);
    require_whole_matrix(trajectory, points.positions,
                         to_cycles_per_fov(scan.trajectory_units, scan.grid), scan);
    scan.facts.push_back(text("trajectory: ", trajectory.file, " ", trajectory.thing, ", ",
                              trajectory.shape.to_string(), ", ", in_words(points.axes),
                              " points in ", scan.trajectory_units));
    return points;
}

} // namespace

const std::vector<ArrayConvention>& array_conventions() {
    static const std::vector<ArrayConvention> table{
        {"lsrecon", "columns x, y (, z); units by the range", false, ""},
        {"bart", "columns x, y, z; cycles/fov", false, "cycles/fov"},
        {"sigpy", "columns (z,) y, x; cycles/fov", true, "cycles/fov"},
        {"mri-nufft",
         "columns in the order of the image's axes, (z,) y, x here; units by the range", true, ""},
    };
    return table;
}

const std::vector<std::string>& sample_axes() {
    static const std::vector<std::string> names{"frame", "coil", "readout", "sample", "part"};
    return names;
}

std::vector<std::string> files_of(const ImportOptions& options) {
    std::vector<std::string> files;
    for (const std::string& input : options.inputs) {
        const auto [role, word] = named_role(input);
        const auto rule = role == "trajectory" ? trajectory_rule_of(word) : std::nullopt;
        if (rule && !rule->kind->is_of_file) {
            continue;
        }
        const std::string file = array_name_of(rule ? rule->file : word).file;
        const std::vector<std::string> all =
            recognises_cfl(file) ? cfl_files(file) : std::vector{file};
        files.insert(files.end(), all.begin(), all.end());
    }
    return files;
}

Scan import_arrays(const ImportOptions& options) {
    Scan scan;
    scan.format = "arrays";
    const Arrays arrays = arrays_of(options, scan.facts);
    const StoredArray& samples = arrays.at("samples");
    StoredPoints points;
    if (const std::optional<TrajectoryRule> rule = rule_of(options)) {
        scan.file = samples.file;
        scan.grid = grid_of(options, arrays, points, scan.findings);
        points = points_by_rule(options, samples, RuledReadout(*rule), scan);
    } else {
        points = points_of_trajectory(options, arrays, scan);
    }
    add_samples(options, samples, points, to_cycles_per_fov(scan.trajectory_units, scan.grid),
                scan);
    add_others(arrays, scan);
    check(scan);
    if (!options.low_resolution) {
        require_reach(scan);
    }
    return scan;
}

} // namespace lsrecon
