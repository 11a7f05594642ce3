#include "prepare/placed_volumes.hpp"

#include "base/error.hpp"
#include "prepare/along_axes.hpp"
#include "prepare/slice_of_volume.hpp"
#include "scan/frame_places.hpp"
#include "scan/header_numbers.hpp"

namespace lsrecon {

PlacedVolumes::PlacedVolumes(CoilRows volumes, const Grid& grid, const Scan& scan,
                             const Grid& needed, const Resampled& of)
    : volumes_(std::move(volumes)), grid_(grid), of_(of), place_of_(places_of(scan)) {
    if (grid.dimensions < scan.grid.dimensions) {
        throw InputError({of.file, of.thing, text("of ", grid.dimensions, " dimensions"),
                          text(scan.grid.dimensions, " dimensions, as ", scan.file), of.next});
    }
    for (std::size_t f = 0; f < place_of_.size(); ++f) {
        if (place_of_[f] == grids_.size()) {
            grids_.push_back(grid_of(scan, scan.frames[f]));
        }
    }
    if (!is_slice_of(scan.grid, grid_)) {
        turn_along_axes_of(scan.grid, grid_, volumes_);
    }
    if (differ()) {
        require_own_places(scan);
    }
    for (const Grid& place : grids_) {
        Grid there = needed;
        there.position = place.position;
        require_same_field(grid_, there, of_);
    }
}

void PlacedVolumes::require_own_places(const Scan& scan) const {
    if (grid_.size[2] == 1) {
        require_one_place(scan, of_.thing + " of " + of_.file,
                          "or name a volume with position and directions, from which each takes "
                          "its own; or " +
                              of_.next);
    }
    for (std::size_t a = 0; a < grids_.size(); ++a) {
        require_known_place(grids_[a], "the scan", of_);
        for (std::size_t b = 0; b < a; ++b) {
            if (are_same_position(*grids_[a].position, *grids_[b].position)) {
                throw InputError({scan.file, "positions of the slices", "the same of two slices",
                                  text("one of their own, by which slices are taken from the ",
                                       of_.thing, " of ", of_.file),
                                  "correct the headers, or choose one slice with --slice"});
            }
        }
    }
    require_known_place(grid_, "this file", of_);
}

CoilRows PlacedVolumes::take(std::size_t frame) {
    CoilRows there = resampled(volumes_, grid_, grids_[place_of_[frame]], of_);
    if (!differ()) {
        volumes_ = {};
    }
    return there;
}

} // namespace lsrecon
