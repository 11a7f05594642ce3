#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "prepare/geometry.hpp"

// Which options fit which scan.

namespace lsrecon {

namespace {
constexpr double longest_shift_mm = 1e5;
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
        if (!(std::abs(length) <= longest_shift_mm)) {
            refuse("--shift-mm " + shown(length),
                   text("give lengths of at most ", longest_shift_mm, " mm"));
        }
    }
    const Grid grid = changed(scan.grid);
    const bool other_grid = grid.size != scan.grid.size || grid.fov_mm != scan.grid.fov_mm;
    if (!scan.coil_maps.empty() && (other_grid || moves())) {
        refuse("--matrix, --fov-mm and --shift-mm move the voxels, and the coil maps of the file "
               "are made for those that it has",
               "leave the options out, or make maps on the new grid");
    }
    if (scan.off_resonance && (other_grid || moves())) {
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

} // namespace lsrecon
