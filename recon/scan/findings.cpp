// Counts the cells of k-space that samples cover, and reports undersampling, odd weights, wrong
// units and unused field maps.

#include "scan/findings.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "scan/trajectories.hpp"
#include "scan/units.hpp"
#include "scan/wrapped_field.hpp"

namespace lsrecon {

namespace {

double half(const Grid& grid, std::size_t d) {
    return static_cast<double>(grid.size[d]) / 2;
}

/// The cell of a position on the periodic grid of k-space, counted from 0, and whether it lies
/// within the ellipsoid.
struct Cell {
    std::size_t index = 0;
    double radius_squared = 0; ///< squared radius of its centre, in units of N/2
};

/// The nearest whole number, as std::lround finds it, without its call.
long nearest(double x) {
    return static_cast<long>(x < 0 ? x - 0.5 : x + 0.5);
}

Cell cell_of(const Vec3& k, const Grid& grid) {
    Cell cell;
    for (std::size_t d = static_cast<std::size_t>(grid.dimensions); d-- > 0;) {
        const long size = static_cast<long>(grid.size[d]);
        const long centre = size / 2;
        long at = nearest(k[d]) + centre;
        if (at < 0 || at >= size) {
            at = (at % size + size) % size;
        }
        cell.index = cell.index * grid.size[d] + static_cast<std::size_t>(at);
        cell.radius_squared += std::pow(static_cast<double>(at - centre) / half(grid, d), 2);
    }
    return cell;
}

double cells_within(const Grid& grid) {
    const std::array<long, 3> size{static_cast<long>(grid.size[0]), static_cast<long>(grid.size[1]),
                                   static_cast<long>(grid.dimensions == 3 ? grid.size[2] : 1)};
    double count = 0;
    for (long z = 0; z < size[2]; ++z) {
        for (long y = 0; y < size[1]; ++y) {
            const double radius_squared = cell_of({0, static_cast<double>(y - size[1] / 2),
                                                   static_cast<double>(z - size[2] / 2)},
                                                  grid)
                                              .radius_squared;
            if (radius_squared <= 1) {
                const double extent = half(grid, 0) * std::sqrt(1 - radius_squared);
                // The cells from -extent to extent, of the cells -floor(N/2) .. ceil(N/2) - 1.
                count += std::floor(extent) + 1 +
                         std::min(std::floor(extent), std::ceil(half(grid, 0)) - 1);
            }
        }
    }
    return count;
}

} // namespace

Grid reached_by(const std::vector<const Trajectory*>& trajectories, Grid grid) {
    constexpr double as_good_as_all = 1; // cell: that of the positive end
    constexpr double flat = 0.25; // of the largest reach: a few readouts reach less to their side
    Extent extent;
    for (const Trajectory* const trajectory : trajectories) {
        extent.add(trajectory->positions);
    }
    Vec3 reached{0, 0, 0}; // as shares of the grid
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const double cells = 2 * std::max(std::abs(extent.least[d]), std::abs(extent.most[d]));
        const auto size = static_cast<double>(grid.size[d]);
        reached[d] = cells + as_good_as_all >= size ? 1 : cells / size;
    }
    const double largest = *std::max_element(reached.begin(), reached.end());
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions) && largest > 0; ++d) {
        const double share = reached[d] < flat * largest ? largest : reached[d];
        grid.size[d] = static_cast<std::size_t>(
            std::max(1L, std::lround(share * static_cast<double>(grid.size[d]))));
    }
    return grid;
}

double coverage(const Trajectory& trajectory, const Grid& grid) {
    std::vector<std::atomic<bool>> hit(grid.voxels());
    for_each_range_in_parallel(trajectory.samples(), all_cores(), [&](const Range& some) {
        for (std::size_t m = some.first; m < some.first + some.count; ++m) {
            if (trajectory.weight(m) > 0) {
                const Cell cell = cell_of(trajectory.positions[m], grid);
                if (cell.radius_squared <= 1) {
                    hit[cell.index].store(true, std::memory_order_relaxed);
                }
            }
        }
    });
    return static_cast<double>(std::count(hit.begin(), hit.end(), true)) / cells_within(grid);
}

bool is_part_of_image(double coverage, const Grid& grid) {
    constexpr double readouts = 2; // one, or one a partition, fills about 1.3 / N
    std::array<std::size_t, 3> sizes = grid.size;
    std::sort(sizes.begin(), sizes.end()); // N is the smaller one of a plane
    return coverage < readouts / static_cast<double>(sizes[1]);
}

void require_reach(const Scan& scan) {
    const Grid& grid = scan.grid;
    Extent extent;
    for (const Trajectory* const trajectory : trajectories_of(scan.frames)) {
        extent.add(trajectory->positions);
    }
    Vec3 largest{0, 0, 0};
    bool conclusive = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const bool large = grid.size[d] >= fewest_voxels;
        largest[d] = std::max(std::abs(extent.least[d]), std::abs(extent.most[d]));
        if (large && largest[d] >= least_reach * half(grid, d)) {
            return;
        }
        conclusive = conclusive || large;
    }
    const bool at_one_point = extent.least == extent.most;
    if (!conclusive || at_one_point) {
        return;
    }
    std::string found = "largest |k|: " + by(largest, grid.dimensions) + " cycles/fov";
    std::string expected = "at least N/4 in one dimension, since a scan fills its matrix";
    std::string next = "correct the matrix or the trajectory";
    if (!scan.trajectory_units.empty()) {
        const std::string& units = scan.trajectory_units;
        const std::optional<UnitsHint> hint = hint_on_wrong_units(extent, grid, units);
        const Vec3 factor = to_cycles_per_fov(units, grid);
        for (std::size_t d = 0; d < 3; ++d) {
            largest[d] /= factor[d];
        }
        found += " from " + units;
        expected += "; largest |k| / (N/2) would be " + reach_in_each_unit(largest, grid) +
                    (hint && !hint->seems.empty() ? "; " + hint->seems : "");
        next = hint ? hint->next_step
                    : text("correct the units (`traj_units`), ",
                           units == "1/m" ? "the field of view, " : "",
                           "the matrix or the trajectory");
    }
    throw InputError({scan.file, scan.name_of("trajectory"), found, expected,
                      next + "; or pass `low_resolution`, if this is intended"});
}

namespace {

void on_voxels(const Scan& scan, Findings& findings) {
    double largest = 0;
    for (const Vec3& x : scan.voxels.value_or(std::vector<Vec3>())) {
        largest = std::max({largest, std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    }
    if (largest > 1) {
        findings.push_back({Found::voxels_far, {{"largest", largest}}});
    }
}

void on_off_resonance(const Scan& scan, Findings& findings) {
    constexpr double many = 200; // 2 kHz during 100 ms
    if (!scan.off_resonance) {
        return;
    }
    const double turns = scan.off_resonance->field.cwiseAbs().maxCoeff() *
                         scan.frames.front().trajectory->times.cwiseAbs().maxCoeff();
    if (turns > many) {
        findings.push_back({Found::field_map_strong, {{"turns", std::round(turns)}}});
    }
    find_idle_field(scan, findings);
    if (const auto wrapped =
            scan.voxels ? std::nullopt : wrapped_field(scan.off_resonance->field, scan.grid)) {
        findings.push_back(*wrapped);
    }
}

/// The weights within half a cycle of k = 0, summed, over those of a cell of k-space elsewhere.
/// Density weights |k| leave none where readouts take a sample a cycle; noise has no part in it.
std::optional<Finding> unweighted_centre(const Trajectory& trajectory, const Grid& grid) {
    constexpr double hardly_any = 0.02;
    constexpr double radius = 0.5;
    double at_centre = 0;
    std::size_t samples = 0;
    for (std::size_t m = 0; m < trajectory.samples(); ++m) {
        const Vec3& k = trajectory.positions[m];
        if (k[0] * k[0] + k[1] * k[1] + k[2] * k[2] <= radius * radius) {
            at_centre += trajectory.weight(m);
            ++samples;
        }
    }
    const double of_cell =
        trajectory.sum_of_weights() / (coverage(trajectory, grid) * cells_within(grid));
    const double share = at_centre / of_cell;
    if (samples == 0 || share >= hardly_any) {
        return std::nullopt;
    }
    return Finding{Found::centre_unweighted, {{"samples", samples}, {"share", share}}};
}

void on_weights(const Scan& scan, Findings& findings) {
    const Trajectory& trajectory = *scan.frames.front().trajectory;
    const RealVector& weights = trajectory.weights;
    if (weights.size() > 0) {
        if (const auto centre = unweighted_centre(trajectory, scan.grid)) {
            findings.push_back(*centre);
            return; // and with it the samples of weight 0
        }
    }
    const auto without = (weights.array() == 0).count();
    if (without > 0) {
        findings.push_back(
            {Found::weights_zero, {{"without", without}, {"samples", weights.size()}}});
    }
}

/// "`join` repetition", or "".
std::string joining(const Scan& scan) {
    std::string flag;
    for (const std::string& name : scan.joinable_counters) {
        flag += (flag.empty() ? "`join` " : ",") + name;
    }
    return flag;
}

/// The degree of undersampling of the frames of a scan.
struct Sparse {
    std::size_t frames = 0; ///< number of undersampled frames
    double covered = 1; ///< share of k-space that the sparsest frame covers
    std::size_t samples = 0; ///< samples of the sparsest frame
    bool same_samples = true; ///< all frames have as many samples
};

Sparse sparse_frames(const Scan& scan, const Grid& grid, double least) {
    Sparse result;
    std::map<const Trajectory*, double> known;
    for (const Frame& frame : scan.frames) {
        const Trajectory& trajectory = *frame.trajectory;
        const auto [found, is_new] = known.emplace(&trajectory, 0);
        if (is_new) {
            found->second = coverage(trajectory, grid);
        }
        result.same_samples = result.same_samples &&
                              trajectory.samples() == scan.frames.front().trajectory->samples();
        if (found->second < least) {
            ++result.frames;
            if (found->second < result.covered) {
                result.covered = found->second;
                result.samples = trajectory.samples();
            }
        }
    }
    return result;
}

/// Frames that are parts of an image each, as of a series of changing flip angles.
Finding single_readouts(const Scan& scan, double covered, bool is_part) {
    const auto& counters = scan.frame_counters;
    const bool slices = std::find(counters.begin(), counters.end(), "slice") != counters.end();
    const double spokes = std::ceil(undersampled_with_maps / covered);
    const bool several = !slices && 2 * spokes <= static_cast<double>(scan.frames.size());
    return {Found::single_readouts,
            {{"frames", scan.frames.size()},
             {"covered", covered},
             {"part", is_part},
             {"slices", slices},
             {"spokes", several ? spokes : 0}},
            {{"join", joining(scan)}}};
}

} // namespace

Findings findings_on_aliasing(const Scan& scan) {
    if (!scan.has_samples() || scan.voxels) {
        return {};
    }
    const Grid grid = reached_by(trajectories_of(scan.frames), scan.grid);
    const bool with_maps = !scan.coil_maps.empty();
    const Sparse sparse =
        sparse_frames(scan, grid, with_maps ? undersampled_with_maps : undersampled);
    if (sparse.frames == 0) {
        return {};
    }
    const std::size_t frames = scan.frames.size();
    const bool is_part = is_part_of_image(sparse.covered, grid);
    const std::string join = joining(scan);
    if (scan.has_single_readouts && sparse.frames == frames && !join.empty()) {
        return {single_readouts(scan, sparse.covered, is_part)};
    }
    return {{Found::undersampled,
             {{"frames", frames},
              {"sparse", sparse.frames},
              {"covered", sparse.covered},
              {"part", is_part},
              {"samples", sparse.samples},
              {"alike", sparse.same_samples},
              {"coils", scan.coils()},
              {"maps", with_maps},
              {"can_be_written", scan.format == "lsrecon-scan"}},
             {{"join", join}}}};
}

Findings findings_on(const Scan& scan) {
    Findings findings;
    on_voxels(scan, findings);
    on_off_resonance(scan, findings);
    on_weights(scan, findings);
    return findings;
}

Findings findings_on_reach(const Scan& scan) {
    constexpr double full = 0.9;
    constexpr double short_of = 0.6; // half of the lines or fewer, with their centre off by some
    static const std::array<const char*, 3> axes{"kx", "ky", "kz"};
    if (!scan.has_samples() || scan.voxels) { // neither has lines of a grid
        return {};
    }
    Extent extent;
    for (const Trajectory* const trajectory : trajectories_of(scan.frames)) {
        extent.add(trajectory->positions);
    }
    std::size_t least = 3;
    std::size_t most = 3;
    Vec3 reach{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        reach[d] =
            std::max(std::abs(extent.least[d]), std::abs(extent.most[d])) / half(scan.grid, d);
        if (scan.grid.size[d] >= fewest_voxels && reach[d] > 0) {
            least = least == 3 || reach[d] < reach[least] ? d : least;
            most = most == 3 || reach[d] > reach[most] ? d : most;
        }
    }
    if (least == 3 || reach[least] > short_of || reach[most] < full) {
        return {};
    }
    const bool counted = scan.format != "lsrecon-scan" && scan.trajectory_units.empty();
    return {{Found::reach_uneven,
             {{"short", reach[least]}, {"full", reach[most]}},
             {{"axis", axes[least]},
              {"other", axes[most]},
              {"numbers", counted && least > 0 ? text("kspace_encode_step_", least)
                                               : scan.name_of("trajectory")}}}};
}

void find_idle_field(const Scan& scan, Findings& findings) {
    constexpr double few = 0.01; // 4 degrees
    const RealVector& times = scan.frames.front().trajectory->times;
    if (!scan.off_resonance || scan.off_resonance->is_zero() || times.size() == 0) {
        return;
    }
    const double decay = scan.off_resonance->r2star.size() > 0
                             ? scan.off_resonance->r2star.cwiseAbs().maxCoeff() / (2 * pi)
                             : 0;
    const double field = std::max(scan.off_resonance->field.cwiseAbs().maxCoeff(), decay);
    const double duration = times.maxCoeff() - times.minCoeff();
    if (field * duration < few) {
        findings.push_back({Found::field_map_idle, {{"field", field}, {"duration", duration}}});
    }
}

} // namespace lsrecon
