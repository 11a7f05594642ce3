#include "prepare/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

namespace {

constexpr double turn = 2 * pi;

/// "256 x 256": one entry a dimension.
template <typename Values> std::string by(const Values& values, int dimensions) {
    std::string result = text(values[0]);
    for (std::size_t d = 1; d < static_cast<std::size_t>(dimensions); ++d) {
        result += text(" x ", values[d]);
    }
    return result;
}

bool moves(const std::vector<double>& shift_mm) {
    return std::any_of(shift_mm.begin(), shift_mm.end(), [](double s) { return s != 0; });
}

/// The chosen columns, in place, times a phase each.
template <typename Values> void keep(Values& values, const std::vector<std::size_t>& kept,
                                     const std::vector<Complex>& phases) {
    using Scalar = typename Values::Scalar;
    Values picked;
    const bool whole = kept.size() == static_cast<std::size_t>(values.cols());
    if (!whole) {
        picked.resize(values.rows(), static_cast<Eigen::Index>(kept.size()));
    }
    Values& target = whole ? values : picked;
    for (Eigen::Index c = 0; c < values.rows(); ++c) {
        for (std::size_t m = 0; m < kept.size(); ++m) {
            target(c, static_cast<Eigen::Index>(m)) =
                values(c, static_cast<Eigen::Index>(kept[m])) * static_cast<Scalar>(phases[m]);
        }
    }
    if (!whole) {
        values = std::move(picked);
    }
}

} // namespace

Geometry::Geometry(const GeometryOptions& options, Scan& scan) : options_(options) {
    check(scan);
    const Grid stored = scan.grid;
    scan.grid = changed(stored);
    const bool other_grid = scan.grid.size != stored.size || scan.grid.fov_mm != stored.fov_mm;
    // Rounding of k' loses no sample at the edge. A grid that stays keeps what overshoots it.
    constexpr double rounding = 1e-9;
    for (std::size_t d = 0; d < 3; ++d) {
        factor_[d] = (options.conjugate ? -1 : 1) * scan.grid.fov_mm[d] / stored.fov_mm[d];
        limit_[d] = other_grid && static_cast<int>(d) < stored.dimensions
                        ? 0.5 * static_cast<double>(scan.grid.size[d]) * (1 + rounding)
                        : HUGE_VAL;
        shift_[d] = d < options.shift_mm.size() ? options.shift_mm[d] / scan.grid.fov_mm[d] : 0;
    }
    if (other_grid) {
        if (!scan.voxels) {
            HostMemory memory;
            memory.add_volumes("the grid of --matrix", scan.grid, scan.coils());
            memory.require(scan.file);
        }
        scan.remarks.push_back(text("the grid is ", by(scan.grid.size, stored.dimensions),
                                    " voxels on ", by(scan.grid.fov_mm, stored.dimensions),
                                    " mm (--matrix, --fov-mm); the file has ",
                                    by(stored.size, stored.dimensions), " on ",
                                    by(stored.fov_mm, stored.dimensions), " mm"));
    }
    if (options.conjugate) {
        scan.remarks.push_back("the trajectory has the other sign (--conjugate)");
    }
    if (moves(options.shift_mm)) {
        move(scan);
    }

    std::unordered_map<const Sampling*, std::shared_ptr<const Change>> known;
    std::size_t dropped = 0;
    std::size_t all = 0;
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        Frame& frame = scan.frames[f];
        auto& of_sampling = known[frame.sampling.get()];
        if (!of_sampling) {
            of_sampling = change(frame.sampling);
        }
        frames_.push_back(of_sampling);
        positions_.push_back(frame.position);
        all += of_sampling->stored;
        dropped += of_sampling->stored - of_sampling->kept.size();
        if (of_sampling->kept.empty()) {
            throw InputError(
                {scan.file, text("samples of frame ", f, " on the grid of --matrix, --fov-mm"),
                 "none: every |k| is beyond N/2", "at least one", "ask for smaller voxels"});
        }
    }
    // Only now: until here samplings are known by where they are.
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        apply(*frames_[f], scan.frames[f]);
    }
    std::vector<Frame> calibrations;
    for (Frame& calibration : scan.calibrations) {
        const auto of_calibration = change(calibration.sampling);
        apply(*of_calibration, calibration);
        if (!of_calibration->kept.empty()) {
            calibrations.push_back(std::move(calibration));
        }
    }
    scan.calibrations = std::move(calibrations);
    if (dropped > 0) {
        scan.remarks.push_back(
            text("left out ", dropped, " of ", all,
                 " samples of all frames, which lie beyond N/2 of the new grid"));
    }
}

void Geometry::check(const Scan& scan) const {
    const int dimensions = scan.grid.dimensions;
    const auto refuse = [&](const std::string& what, const std::string& next) {
        throw UsageError(scan.file + ": " + what + "\n  next:     " + next);
    };
    const auto check_count = [&](const char* flag, std::size_t count) {
        if (count != 0 && count != static_cast<std::size_t>(dimensions)) {
            refuse(text(flag, " has ", counted(count, "number"), ", and the scan ", dimensions,
                        " dimensions"),
                   text("give ", dimensions, " numbers with commas"));
        }
    };
    check_count("--matrix", options_.matrix.size());
    check_count("--fov-mm", options_.fov_mm.size());
    check_count("--shift-mm", options_.shift_mm.size());
    for (const std::size_t size : options_.matrix) {
        if (size < 1 || size > longest_side) {
            refuse(text("--matrix ", size), text("ask for 1 to ", longest_side, " voxels"));
        }
    }
    for (const double length : options_.fov_mm) {
        if (!std::isfinite(length) || length <= 0) {
            refuse("--fov-mm " + shown(length), "give lengths above 0, in mm");
        }
    }
    for (const double length : options_.shift_mm) {
        if (!std::isfinite(length)) {
            refuse("--shift-mm " + shown(length), "give finite lengths, in mm");
        }
    }
    const Grid grid = changed(scan.grid);
    const bool other_grid = grid.size != scan.grid.size || grid.fov_mm != scan.grid.fov_mm;
    if (!scan.coil_maps.empty() && (other_grid || moves(options_.shift_mm))) {
        refuse("--matrix, --fov-mm and --shift-mm move the voxels, and the coil maps of the file "
               "are made for those that it has",
               "leave the options out, or make maps on the new grid");
    }
    if (scan.off_resonance && (other_grid || moves(options_.shift_mm))) {
        refuse(
            "--matrix, --fov-mm and --shift-mm move the voxels, and the field map of the file is "
            "that of those that it has",
            "leave the options out, or write the field map on the new grid");
    }
    if (scan.voxels && other_grid) {
        refuse("--matrix and --fov-mm are for a grid, and the file lists the positions of voxels",
               "leave the options out");
    }
    for (const Frame& frame : scan.frames) {
        if (frame.sampling->phi.size() > 0 && other_grid) {
            refuse("phi of the file is the transform of its own voxels, which --matrix and "
                   "--fov-mm change",
                   "leave the options out, or write a scan with phi of the new voxels");
        }
    }
}

Grid Geometry::changed(const Grid& grid) const {
    Grid result = grid;
    std::copy(options_.matrix.begin(), options_.matrix.end(), result.size.begin());
    std::copy(options_.fov_mm.begin(), options_.fov_mm.end(), result.fov_mm.begin());
    return result;
}

void Geometry::move(Scan& scan) {
    scan.remarks.push_back(
        text("the image is shifted by ", by(options_.shift_mm, scan.grid.dimensions), " mm along ",
             scan.grid.dimensions == 3 ? "x, y and z" : "x and y", " of the grid (--shift-mm)"));
    if (!scan.grid.position) {
        return;
    }
    const bool known = scan.grid.directions.has_value();
    if (!known) {
        scan.remarks.push_back("the position of the grid is left out: without its directions it "
                               "is not known where --shift-mm moves it");
    }
    const auto moved = [&](std::optional<Vec3>& position) {
        if (!known) {
            position.reset();
        }
        for (std::size_t d = 0; position && d < options_.shift_mm.size(); ++d) {
            for (std::size_t i = 0; i < 3; ++i) {
                (*position)[i] -= options_.shift_mm[d] * (*scan.grid.directions)[d][i];
            }
        }
    };
    moved(scan.grid.position);
    for (Frame& frame : scan.frames) {
        moved(frame.position);
    }
}

std::shared_ptr<const Geometry::Change>
Geometry::change(const std::shared_ptr<const Sampling>& stored) const {
    auto result = std::make_shared<Change>();
    result->stored = stored->samples();
    auto sampling = std::make_shared<Sampling>();
    for (std::size_t m = 0; m < stored->samples(); ++m) {
        Vec3 k = stored->trajectory[m];
        bool inside = true;
        for (std::size_t d = 0; d < 3; ++d) {
            k[d] *= factor_[d];
            inside = inside && std::abs(k[d]) <= limit_[d];
        }
        if (inside) {
            sampling->trajectory.push_back(k);
            result->kept.push_back(m);
        }
    }
    if (factor_ == Vec3{1, 1, 1} && result->kept.size() == stored->samples()) {
        result->sampling = stored;
        return result;
    }
    const auto pick = [&](const auto& values, auto& picked) {
        picked.resize(values.size() > 0 ? static_cast<Eigen::Index>(result->kept.size()) : 0);
        for (Eigen::Index i = 0; i < picked.size(); ++i) {
            picked(i) =
                values(static_cast<Eigen::Index>(result->kept[static_cast<std::size_t>(i)]));
        }
    };
    pick(stored->phi, sampling->phi);
    pick(stored->weights, sampling->weights);
    pick(stored->times, sampling->times);
    result->sampling = std::move(sampling);
    return result;
}

void Geometry::apply(std::size_t index, Frame& frame) const {
    apply(*frames_.at(index), frame);
    frame.position = positions_[index];
}

void Geometry::apply(const Change& change, Frame& frame) const {
    frame.sampling = change.sampling;
    const bool whole = change.kept.size() == change.stored;
    if (frame.samples.empty() || (whole && shift_ == Vec3{0, 0, 0})) {
        return;
    }
    std::vector<Complex> phases;
    phases.reserve(change.kept.size());
    for (const Vec3& k : change.sampling->trajectory) {
        phases.push_back(
            std::polar(1.0, -turn * (k[0] * shift_[0] + k[1] * shift_[1] + k[2] * shift_[2])));
    }
    frame.samples.visit([&](auto& values) { keep(values, change.kept, phases); });
}

} // namespace lsrecon
