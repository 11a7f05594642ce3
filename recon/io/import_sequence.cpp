// The trajectory of a sequence as a scan without samples.

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/import.hpp"
#include "io/pulseq.hpp"
#include "scan/check.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// The axes along which a sequence encodes: those that it reaches along, by more than slice
/// gradients leave.
std::vector<std::size_t> encoded_axes(const std::vector<Vec3>& positions, Vec3& reach) {
    constexpr double left_over = 0.01;
    reach = {0, 0, 0};
    for (const Vec3& k : positions) {
        for (std::size_t d = 0; d < 3; ++d) {
            reach[d] = std::max(reach[d], std::abs(k[d]));
        }
    }
    const double largest = *std::max_element(reach.begin(), reach.end());
    std::vector<std::size_t> axes;
    for (std::size_t d = 0; d < 3; ++d) {
        if (reach[d] > left_over * largest) {
            axes.push_back(d);
        }
    }
    return axes;
}

/// Field of view and matrix of the options, or by the sequence's definition and its reach.
Grid grid_of_sequence(const ImportOptions& options, const Sequence& sequence, const Vec3& reach,
                      const std::vector<std::size_t>& axes) {
    Grid grid;
    grid.dimensions = static_cast<int>(axes.size());
    Vec3 fov{1, 1, 1};
    std::vector<double> given = options.fov_mm.empty() ? sequence.fov : options.fov_mm;
    if (given.size() == 1) {
        given.assign(axes.size(), given.front());
    }
    if (given.size() < axes.size()) {
        throw InputError({options.inputs.front(), "definition FOV", counted(given.size(), "length"),
                          text(axes.size(), " lengths"), "pass `fov_mm`"});
    }
    std::copy_n(given.begin(), std::min<std::size_t>(given.size(), 3), fov.begin());
    if (options.fov_mm.empty()) {
        metres_to_mm(fov, static_cast<int>(std::min<std::size_t>(given.size(), 3)));
    }
    for (std::size_t d = 0; d < axes.size(); ++d) {
        const std::size_t of_fov = given.size() == 3 ? axes[d] : d;
        grid.fov_mm[d] = fov[of_fov];
        const double half = reach[axes[d]] * grid.fov_mm[d] / 1000;
        grid.size[d] = 2 * static_cast<std::size_t>(std::max(1.0, std::round(half)));
    }
    if (!options.matrix.empty() && options.matrix.size() != axes.size()) {
        throw UsageError(text("`matrix` has ", options.matrix.size(), " numbers, and ",
                              options.inputs.front(), " encodes ", axes.size(), " dimensions"));
    }
    std::copy(options.matrix.begin(), options.matrix.end(), grid.size.begin());
    return grid;
}

std::string fact_of_tilt(const std::array<Vec3, 3>& tilted, const std::vector<std::size_t>& axes) {
    std::vector<std::string> rows;
    for (const std::size_t axis : axes) {
        const Vec3& along = tilted[axis];
        rows.push_back(text("(", along[0], ", ", along[1], ", ", along[2], ")"));
    }
    return "its planes are tilted: the image's axes along the gradients' x, y, z are " +
           comma_separated(rows);
}

} // namespace

Scan import_sequence(const ImportOptions& options) {
    const std::string& path = options.inputs.front();
    Sequence sequence = read_sequence(path);
    const std::optional<std::array<Vec3, 3>> tilted = sequence.along_planes();
    std::vector<Vec3> positions;
    std::vector<double> times;
    std::size_t readouts = 0;
    for (const SequenceReadout& readout : sequence.readouts) {
        if (!readout.is_encoded) {
            continue;
        }
        ++readouts;
        positions.insert(positions.end(), readout.positions.begin(), readout.positions.end());
        for (std::size_t i = 0; i < readout.positions.size(); ++i) {
            times.push_back(readout.time(i));
        }
    }
    Vec3 reach{};
    const std::vector<std::size_t> axes = encoded_axes(positions, reach);
    if (axes.size() < 2) {
        throw InputError({path, "gradients", counted(axes.size(), "axis that encodes"),
                          "two or three", "name the sequence of an image"});
    }
    Scan scan;
    scan.file = path;
    scan.format = "pulseq";
    scan.trajectory_units = "1/m";
    scan.grid = grid_of_sequence(options, sequence, reach, axes);
    Trajectory trajectory;
    const Vec3 factor = to_cycles_per_fov("1/m", scan.grid);
    for (const Vec3& k : positions) {
        Vec3 along{0, 0, 0};
        for (std::size_t d = 0; d < axes.size(); ++d) {
            along[d] = factor[d] * k[axes[d]];
        }
        trajectory.positions.push_back(along);
    }
    trajectory.times =
        Eigen::Map<const RealVector>(times.data(), static_cast<Eigen::Index>(times.size()));
    const std::size_t left_out = sequence.readouts.size() - readouts;
    std::string names;
    for (const std::size_t axis : axes) {
        names += (names.empty() ? "" : ", ") + std::string(1, "xyz"[axis]);
    }
    scan.facts.push_back(
        text("sequence: ", path, ", Pulseq ", sequence.version, ", ", counted(readouts, "readout"),
             " along the gradient axes ", names, ", largest |k| ", by(reach, 3), " 1/m",
             left_out == 0
                 ? ""
                 : text("; left out ", counted(left_out, "readout"), " that no gradient encodes")));
    if (tilted) {
        scan.facts.push_back(fact_of_tilt(*tilted, axes));
    }
    Frame frame;
    frame.trajectory = std::make_shared<const Trajectory>(std::move(trajectory));
    scan.frames.push_back(std::move(frame));
    check(scan, options.matrix);
    return scan;
}

} // namespace lsrecon
