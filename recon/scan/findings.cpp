#include "scan/findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/reach.hpp"

namespace lsrecon {

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
                         scan.frames.front().sampling->times.cwiseAbs().maxCoeff();
    if (turns > many) {
        findings.push_back({Found::field_map_strong, {{"turns", std::round(turns)}}});
    }
    find_idle_field(scan, findings);
}

void on_weights(const Scan& scan, Findings& findings) {
    const RealVector& weights = scan.frames.front().sampling->weights;
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
    bool alike = true; ///< all frames have as many samples
};

Sparse sparse_frames(const Scan& scan, const Grid& grid, double least) {
    Sparse result;
    std::map<const Sampling*, double> known;
    for (const Frame& frame : scan.frames) {
        const Sampling& sampling = *frame.sampling;
        const auto [found, is_new] = known.emplace(&sampling, 0);
        if (is_new) {
            found->second = coverage(sampling, grid);
        }
        result.alike =
            result.alike && sampling.samples() == scan.frames.front().sampling->samples();
        if (found->second < least) {
            ++result.frames;
            if (found->second < result.covered) {
                result.covered = found->second;
                result.samples = sampling.samples();
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

Findings findings_on_aliasing(const Scan& scan, const Grid& grid) {
    if (!scan.has_samples() || scan.voxels) {
        return {};
    }
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
              {"alike", sparse.alike},
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

void find_idle_field(const Scan& scan, Findings& findings) {
    constexpr double few = 0.01; // 4 degrees
    const RealVector& times = scan.frames.front().sampling->times;
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
