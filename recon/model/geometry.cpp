// Rescales trajectories to the new field of view, drops samples beyond the new matrix, and shifts
// images by phases of samples.

#include "model/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/findings.hpp"
#include "scan/pose.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

constexpr double turn = 2 * pi;

/// The shift that brings an object at this position to the centre.
Vec3 shift_from(const std::optional<Vec3>& position, const Grid& grid) {
    Vec3 shift{0, 0, 0};
    for (int d = 0; d < grid.dimensions; ++d) {
        shift[d] -= dot(position ? *position : *grid.position, (*grid.directions)[d]);
    }
    return shift;
}

/// The chosen columns, in place, times a phase each.
template <typename Values> void keep(Values& values, const std::vector<std::size_t>& kept,
                                     const std::vector<Complex>& phases) {
    using Scalar = typename Values::Scalar;
    for (Eigen::Index c = 0; c < values.rows(); ++c) {
        for (std::size_t m = 0; m < kept.size(); ++m) { // which ascend
            values(c, static_cast<Eigen::Index>(m)) =
                values(c, static_cast<Eigen::Index>(kept[m])) * static_cast<Scalar>(phases[m]);
        }
    }
    values.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(kept.size()));
}

} // namespace

Geometry::Geometry(const GeometryOptions& options, Scan& scan) : options_(options) {
    find_shifts(scan);
    check(scan);
    const Grid stored = scan.grid;
    scan.grid = changed(stored);
    fov_mm_ = scan.grid.fov_mm;
    const bool other_grid = scan.grid.size != stored.size || scan.grid.fov_mm != stored.fov_mm;
    // Rounding of k' loses no sample at the edge. A grid that stays keeps what gradients overshoot.
    constexpr double rounding = 1e-9;
    constexpr double overshoot = 0.05;
    for (std::size_t d = 0; d < 3; ++d) {
        factor_[d] = (options.conjugate ? -1 : 1) * scan.grid.fov_mm[d] / stored.fov_mm[d];
        limit_[d] = options.other_grid() && static_cast<int>(d) < stored.dimensions
                        ? 0.5 * static_cast<double>(scan.grid.size[d]) *
                              (1 + (other_grid ? rounding : overshoot))
                        : HUGE_VAL;
    }
    if (other_grid) {
        scan.facts.push_back(text("the grid is ", by(scan.grid.size, stored.dimensions),
                                  " voxels on ", by(scan.grid.fov_mm, stored.dimensions),
                                  " mm (`matrix`, `fov_mm`); the file has ",
                                  by(stored.size, stored.dimensions), " on ",
                                  by(stored.fov_mm, stored.dimensions), " mm"));
    }
    if (options.conjugate) {
        scan.facts.push_back("the trajectory has the other sign (`conjugate`)");
    }
    if (moves() || options.shift_to_position) {
        record_shift(scan);
    }
    if (moves() && !options.shift_to_position) {
        move_positions(scan);
    }
    change_frames(scan, other_grid ? "new grid" : "grid and 5 %");
    change_calibrations(scan);
    if (options.other_grid()) {
        const Findings aliasing = findings_on_aliasing(scan);
        scan.findings.insert(scan.findings.end(), aliasing.begin(), aliasing.end());
    }
}

/// `within`: what samples lie beyond N/2 of.
void Geometry::change_frames(Scan& scan, const std::string& within) {
    std::unordered_map<const Trajectory*, std::shared_ptr<const Change>> known;
    std::size_t dropped = 0;
    std::size_t all = 0;
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        Frame& frame = scan.frames[f];
        auto& of_trajectory = known[frame.trajectory.get()];
        if (!of_trajectory) {
            of_trajectory = change(frame.trajectory);
        }
        frames_.push_back(of_trajectory);
        positions_.push_back(frame.position);
        all += of_trajectory->stored;
        dropped += of_trajectory->stored - of_trajectory->kept.size();
        require_enough(scan, f, *of_trajectory);
    }
    // The frames change last: until here trajectories are known by where they are.
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        apply(*frames_[f], shifts_mm_[f], scan.frames[f]);
    }
    if (dropped > 0) {
        scan.facts.push_back(text("left out ", dropped, " of ", all,
                                  " samples of all frames, which lie beyond N/2 of the ", within));
    }
}

/// A field of view alone that leaves out most samples is in another unit. A matrix is a resolution
/// that was asked for, which samples must still reach.
void Geometry::require_enough(const Scan& scan, std::size_t frame, const Change& change) const {
    Extent extent;
    extent.add(change.trajectory->positions);
    bool reaches = false;
    for (std::size_t d = 0; d < options_.matrix.size(); ++d) {
        const double largest = std::max(std::abs(extent.least[d]), std::abs(extent.most[d]));
        reaches = reaches || largest >= least_reach * limit_[d];
    }
    if (2 * change.kept.size() >= change.stored || (reaches && !change.kept.empty())) {
        return;
    }
    throw InputError(
        {scan.file, text("samples of frame ", frame, " on the grid of `matrix`, `fov_mm`"),
         text(change.stored - change.kept.size(), " of ", change.stored, " lie beyond N/2"),
         options_.matrix.empty() ? "half of them at most" : "samples that reach N/4 of `matrix`",
         "ask for smaller voxels, or give `matrix` too for a low resolution; or pass "
         "`header` fov_mm=X,Y if the field of view in the file is wrong"});
}

void Geometry::change_calibrations(Scan& scan) const {
    std::vector<Frame> calibrations;
    for (Frame& calibration : scan.calibrations) {
        const auto of_calibration = change(calibration.trajectory);
        apply(*of_calibration,
              options_.shift_to_position ? shift_from(calibration.position, scan.grid)
                                         : shifts_mm_.front(),
              calibration);
        if (!of_calibration->kept.empty()) {
            calibrations.push_back(std::move(calibration));
        }
    }
    scan.calibrations = std::move(calibrations);
}

Grid Geometry::changed(const Grid& grid) const {
    Grid result = grid;
    std::copy(options_.matrix.begin(), options_.matrix.end(), result.size.begin());
    std::copy(options_.fov_mm.begin(), options_.fov_mm.end(), result.fov_mm.begin());
    return result;
}

bool Geometry::moves() const {
    return std::any_of(shifts_mm_.begin(), shifts_mm_.end(), [](const Vec3& shift) {
        return shift != Vec3{0, 0, 0};
    });
}

/// Zeros beyond the dimensions of the scan, in which positions are those of slices.
void Geometry::find_shifts(const Scan& scan) {
    if (!options_.shift_to_position) {
        Vec3 shift{0, 0, 0};
        std::copy_n(options_.shift_mm.begin(), std::min<std::size_t>(options_.shift_mm.size(), 3),
                    shift.begin());
        shifts_mm_.assign(scan.frames.size(), shift);
        return;
    }
    if (!scan.grid.position || !scan.grid.directions) {
        throw InputError({scan.file,
                          "position, read_dir, phase_dir and slice_dir of the acquisitions",
                          scan.grid.directions ? "no position"
                                               : "no directions that are orthogonal unit vectors",
                          "both, from which `shift_mm` header takes the shift",
                          "give the shift in mm, `shift_mm` X,Y"});
    }
    for (const Frame& frame : scan.frames) {
        shifts_mm_.push_back(shift_from(frame.position, scan.grid));
    }
}

void Geometry::record_shift(Scan& scan) const {
    const int dimensions = scan.grid.dimensions;
    const std::string axes = dimensions == 3 ? "x, y and z" : "x and y";
    if (!options_.shift_to_position) {
        scan.facts.push_back(text("the image is shifted by ", by(shifts_mm_.front(), dimensions),
                                  " mm along ", axes, " of the grid (`shift_mm`)"));
        return;
    }
    const bool is_one_shift =
        std::all_of(shifts_mm_.begin(), shifts_mm_.end(), [&](const Vec3& shift) {
            return are_same_position(shift, shifts_mm_.front());
        });
    scan.facts.push_back(
        text("the image is shifted by ", by(shifts_mm_.front(), dimensions), " mm along ", axes,
             " of the grid", is_one_shift ? "" : " in the first frame",
             ", from the isocentre to the position of the acquisitions (`shift_mm` header)"));
    if (scan.trajectory_units.empty()) {
        scan.findings.push_back({Found::shifted_twice});
    }
}

void Geometry::move_positions(Scan& scan) const {
    const auto move = [&](Vec3& position, const std::array<Vec3, 3>& directions) {
        for (std::size_t d = 0; d < options_.shift_mm.size(); ++d) {
            for (std::size_t i = 0; i < 3; ++i) {
                position[i] -= options_.shift_mm[d] * directions[d][i];
            }
        }
    };
    for (Frame& frame : scan.frames) {
        if (frame.turned && frame.turned->position && frame.turned->directions) {
            move(*frame.turned->position, *frame.turned->directions);
        }
    }
    if (!scan.grid.position) {
        return;
    }
    const bool known = scan.grid.directions.has_value();
    if (!known) {
        scan.findings.push_back({Found::position_moved});
    }
    const auto moved = [&](std::optional<Vec3>& position) {
        if (!known) {
            position.reset();
        }
        if (position) {
            move(*position, *scan.grid.directions);
        }
    };
    moved(scan.grid.position);
    for (std::vector<Frame>* const frames : {&scan.frames, &scan.calibrations}) {
        for (Frame& frame : *frames) {
            moved(frame.position);
        }
    }
}

std::shared_ptr<const Geometry::Change>
Geometry::change(const std::shared_ptr<const Trajectory>& stored) const {
    auto result = std::make_shared<Change>();
    result->stored = stored->samples();
    for (std::size_t m = 0; m < stored->samples(); ++m) {
        bool inside = true;
        for (std::size_t d = 0; d < 3; ++d) {
            inside = inside && std::abs(stored->positions[m][d] * factor_[d]) <= limit_[d];
        }
        if (inside) {
            result->kept.push_back(m);
        }
    }
    if (factor_ == Vec3{1, 1, 1} && result->kept.size() == stored->samples()) {
        result->trajectory = stored;
        return result;
    }
    auto trajectory = std::make_shared<Trajectory>(subset(*stored, result->kept));
    for (Vec3& k : trajectory->positions) {
        k = {k[0] * factor_[0], k[1] * factor_[1], k[2] * factor_[2]};
    }
    result->trajectory = std::move(trajectory);
    return result;
}

void Geometry::apply(std::size_t index, Frame& frame) const {
    apply(*frames_.at(index), shifts_mm_[index], frame);
    frame.position = positions_[index];
}

void Geometry::apply(const Change& change, const Vec3& shift_mm, Frame& frame) const {
    frame.trajectory = change.trajectory;
    const bool whole = change.kept.size() == change.stored;
    if (frame.samples.empty() || (whole && shift_mm == Vec3{0, 0, 0})) {
        return;
    }
    Vec3 shift{0, 0, 0}; // fields of view
    for (std::size_t d = 0; d < 3; ++d) {
        shift[d] = shift_mm[d] / fov_mm_[d];
    }
    std::vector<Complex> phases;
    phases.reserve(change.kept.size());
    for (const Vec3& k : change.trajectory->positions) {
        phases.push_back(std::polar(1.0, -turn * dot(k, shift)));
    }
    frame.samples.visit([&](auto& values) { keep(values, change.kept, phases); });
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
    check_count("`matrix`", options_.matrix.size());
    check_count("`fov_mm`", options_.fov_mm.size());
    check_count("`shift_mm`", options_.shift_mm.size());
    for (const std::size_t size : options_.matrix) {
        if (size < 1 || size > longest_side) {
            refuse(text("`matrix` ", size), text("ask for 1 to ", longest_side, " voxels"));
        }
    }
    const Grid grid = changed(scan.grid);
    const bool other_grid = grid.size != scan.grid.size || grid.fov_mm != scan.grid.fov_mm;
    if (scan.voxels && moves() && (!scan.coil_maps.empty() || scan.off_resonance)) {
        refuse("`shift_mm` moves the image, and the maps of the file are made for the voxels that "
               "it lists",
               "leave the option out");
    }
    if (scan.voxels && other_grid) {
        refuse("`matrix` and `fov_mm` are for a grid, and the file lists the positions of voxels",
               "leave the options out");
    }
    for (const Frame& frame : scan.frames) {
        if (frame.trajectory->phi.size() > 0 && other_grid) {
            refuse("phi of the file is the transform of its own voxels, which `matrix` and "
                   "`fov_mm` change",
                   "leave the options out, or write a scan with phi of the new voxels");
        }
    }
}

} // namespace lsrecon
