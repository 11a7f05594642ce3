// Reads a reference scan for the slices of the image, and relates its k-space to the image's grid.

#include "io/ismrmrd/contents.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/pose.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

namespace {

Pose pose_of(const Scan& scan, const Frame& frame) {
    const Pose of_grid{frame.position ? frame.position : scan.grid.position, scan.grid.directions};
    return frame.turned.value_or(of_grid);
}

/// Whether the reference is of the same coils and dimensions, and no side of its field of view is
/// shorter: its samples are then dense enough for the image's.
bool covers(const Scan& reference, const Scan& scan) {
    bool wide =
        reference.coils() == scan.coils() && reference.grid.dimensions == scan.grid.dimensions;
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        const double own = reference.grid.fov_mm[d];
        const double image = scan.grid.fov_mm[d];
        wide = wide && (own >= image || are_same_length(own, image));
    }
    return wide;
}

bool lies_with(const Scan& scan, const std::string& slice, const Pose& where) {
    return std::any_of(scan.frames.begin(), scan.frames.end(), [&](const Frame& frame) {
        return slice_in(frame.label) == slice &&
               apart(filled_in(where), filled_in(pose_of(scan, frame))).share_maps();
    });
}

/// The frame with positions in cycles per the field of view of `to`, without samples beyond its
/// matrix.
Frame on_grid(const Frame& frame, const Grid& from, const Grid& to) {
    auto trajectory = std::make_shared<Trajectory>(*frame.trajectory);
    std::vector<std::size_t> inside;
    for (std::size_t m = 0; m < trajectory->samples(); ++m) {
        bool within = true;
        for (std::size_t d = 0; d < static_cast<std::size_t>(to.dimensions); ++d) {
            double& k = trajectory->positions[m][d];
            k *= to.fov_mm[d] / from.fov_mm[d];
            within = within && std::abs(k) <= static_cast<double>(to.size[d]) / 2;
        }
        if (within) {
            inside.push_back(m);
        }
    }
    Frame result = frame;
    result.trajectory = std::move(trajectory);
    return subset(result, inside);
}

/// Whether samples reach so far in every dimension that maps may come from them.
bool reaches_far_enough(const Frame& frame, const Grid& grid) {
    constexpr double least = 4; // cycles/FOV, as the calibration asks for
    Vec3 reach{0, 0, 0};
    for (const Vec3& k : frame.trajectory->positions) {
        for (std::size_t d = 0; d < reach.size(); ++d) {
            reach[d] = std::max(reach[d], std::abs(k[d]));
        }
    }
    return std::all_of(reach.begin(), reach.begin() + grid.dimensions,
                       [&](double along) { return along >= least; });
}

} // namespace

std::optional<ReadOptions> options_of_reference(const IsmrmrdContents& contents, std::size_t chosen,
                                                const ReadOptions& options) {
    const std::optional<std::size_t> encoding = contents.reference_for(chosen);
    if (!encoding) {
        return std::nullopt;
    }
    ReadOptions result;
    result.trajectory_units = options.trajectory_units;
    result.low_resolution = options.low_resolution;
    result.join = options.join;
    result.encoding = encoding;
    result.for_maps = true;
    result.image = options.image;
    result.image.matrix.clear();
    result.image.fov_mm.clear();
    if (std::find(options.join.begin(), options.join.end(), "slice") == options.join.end()) {
        const std::set<std::size_t> slices = contents.slices_of_both(*encoding, chosen);
        if (slices.empty()) {
            return std::nullopt;
        }
        result.counters[0] = IndexList(slices);
    }
    return result;
}

bool add_reference(const StoredScan& reference, const ReadOptions& options, Scan& scan) {
    const Scan& of = reference.scan;
    if (!covers(of, scan)) {
        return false;
    }
    const bool are_named = !slice_in(scan.frames.front().label).empty();
    std::set<std::string> slices;
    std::size_t acquisitions = 0;
    for (std::size_t f = 0; f < of.frames.size(); ++f) {
        const std::string own = slice_in(of.frames[f].label);
        const std::string only = "slice " + options.counters[0].to_string();
        const std::string slice = !are_named ? "" : own.empty() ? only : own;
        const Pose where = pose_of(of, of.frames[f]);
        if (slices.count(slice) > 0 || !lies_with(scan, slice, where)) {
            continue;
        }
        Frame frame = of.frames[f];
        frame.samples = reference.samples(f);
        frame = on_grid(frame, of.grid, scan.grid);
        if (!reaches_far_enough(frame, scan.grid)) {
            continue;
        }
        frame.label = slice;
        frame.turned.reset();
        frame.position = scan.frames.front().position ? where.position : std::nullopt;
        scan.calibrations.push_back(std::move(frame));
        slices.insert(slice);
        acquisitions += reference.scan.readouts[f].ends.size();
    }
    if (acquisitions > 0) {
        scan.facts.push_back(text("kept ", counted(acquisitions, "acquisition"), " of encoding ",
                                  *options.encoding, " for coil maps"));
    }
    return acquisitions > 0;
}

} // namespace lsrecon
