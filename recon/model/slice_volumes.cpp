// Resamples volumes to each slice when it is asked for, after checking that slices lie where the
// volumes do.

#include "model/slice_volumes.hpp"

#include "base/error.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

namespace {

constexpr const char* step_after_prior =
    "name an image of the same object and pose, or leave `prior` and its `reg` out";

/// Slices may be turned against each other.
Grid grid_of_slice(const Scan& scan, const Slice& slice) {
    Grid grid = slice.grid;
    if (const std::optional<Pose>& turned = scan.frames[slice.first_frame()].turned) {
        grid.position = turned->position;
        grid.directions = turned->directions;
    }
    return grid;
}

/// InputError unless the frame lies where the first frame of its slice does.
void require_pose(const Scan& scan, const Frame& frame, const Grid& first) {
    const PoseDifference from_first = apart(*frame.turned, {first.position, first.directions});
    if (!from_first.share_maps()) {
        throw InputError({scan.file, "pose of the frame " + frame.label,
                          from_first.in_words() + " from the first frame of its slice",
                          "one pose a slice, in a scan of several orientations",
                          "choose frames of one orientation, with `slice` for example"});
    }
}

} // namespace

SliceVolumes::SliceVolumes(CoilRows volumes, const Grid& grid, const Scan& scan,
                           const std::vector<Slice>& slices, const Grid& needed,
                           const Resampled& of)
    : volumes_(std::move(volumes)), grid_(grid), of_(of) {
    if (grid.dimensions < scan.grid.dimensions) {
        throw InputError({of.file, of.thing, text("of ", grid.dimensions, " dimensions"),
                          text(scan.grid.dimensions, " dimensions, as ", scan.file), of.next});
    }
    const bool are_slices = is_slice_of(scan.grid, grid_);
    for (const Slice& slice : slices) {
        grids_.push_back(are_slices ? grid_of_slice(scan, slice) : slice.grid);
        for (const std::size_t f : slice.frames()) {
            if (are_slices && scan.frames[f].turned) {
                require_pose(scan, scan.frames[f], grids_.back());
            }
        }
    }
    if (differ()) {
        require_own_poses(scan);
    }
    for (const Grid& one : grids_) {
        Grid there = needed;
        there.position = one.position;
        there.directions = one.directions;
        require_same_field(grid_, there, of_);
    }
}

void SliceVolumes::require_own_poses(const Scan& scan) const {
    if (grid_.size[2] == 1) {
        require_one_slice(
            scan, of_.thing + " of " + of_.file,
            "or name a volume with position and directions, which is resampled to each slice; or " +
                of_.next);
    }
    for (std::size_t a = 0; a < grids_.size(); ++a) {
        require_known_pose(grids_[a], "the scan", of_);
        for (std::size_t b = 0; b < a; ++b) {
            const Pose one{grids_[a].position, grids_[a].directions};
            if (apart(one, {grids_[b].position, grids_[b].directions}).in_words().empty()) {
                throw InputError({scan.file, "poses of the slices", "the same of two slices",
                                  text("a pose of its own for each slice, to resample the ",
                                       of_.thing, " of ", of_.file),
                                  "correct the headers, or choose one slice with `slice`"});
            }
        }
    }
    require_known_pose(grid_, "this file", of_);
}

CoilRows SliceVolumes::take(const Slice& slice) {
    CoilRows there = resampled(volumes_, grid_, grids_[slice.index], of_);
    if (!differ()) {
        volumes_ = {};
    }
    return there;
}

ScanPrior::ScanPrior(const std::string& file, StoredVolumes stored, const Scan& scan,
                     const std::vector<Slice>& slices, bool shifted)
    : file_(file), volumes_(std::move(stored.values), stored.grid, scan, slices, scan.grid,
                            Resampled{file, "prior image", step_after_prior, shifted}) {
    if (!volumes_.differ()) {
        only_ = of(slices.front());
    }
}

std::shared_ptr<const PriorImage> ScanPrior::of(const Slice& slice) {
    if (only_) {
        return only_;
    }
    const CoilRows there = volumes_.take(slice);
    if (there.largest_part() == 0) {
        throw InputError({file_, "prior image", "only zeros where the image of the scan is",
                          "an image of the same pose", step_after_prior});
    }
    return std::make_shared<const PriorImage>(
        PriorImage{file_, ComplexVector(there.to_doubles().row(0).transpose())});
}

} // namespace lsrecon
