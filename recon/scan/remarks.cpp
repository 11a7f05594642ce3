#include "scan/remarks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/reach.hpp"

namespace lsrecon {

namespace {

using Remarks = std::vector<std::string>;

void on_voxels(const Scan& scan, Remarks& remarks) {
    double largest = 0;
    for (const Vec3& x : scan.voxels.value_or(std::vector<Vec3>())) {
        largest = std::max({largest, std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    }
    if (largest > 1) {
        remarks.push_back(text("Voxels lie up to ", largest,
                               " fields of view from the centre. Check that their positions are in "
                               "fields of view, not in mm."));
    }
}

void on_off_resonance(const Scan& scan, Remarks& remarks) {
    constexpr double many = 200; // 2 kHz during 100 ms
    if (!scan.off_resonance) {
        return;
    }
    const double turns = scan.off_resonance->field.cwiseAbs().maxCoeff() *
                         scan.frames.front().sampling->times.cwiseAbs().maxCoeff();
    if (turns > many) {
        remarks.push_back(text("The field map makes up to ", std::round(turns),
                               " turns before a sample is taken. Check that the map is in Hz and "
                               "the times are in s."));
    }
    remark_idle_field(scan, remarks);
}

void on_weights(const Scan& scan, Remarks& remarks) {
    const RealVector& weights = scan.frames.front().sampling->weights;
    const auto without = (weights.array() == 0).count();
    if (without > 0) {
        remarks.push_back(text(without, " of ", weights.size(),
                               " samples have weight 0 and do not count. Check /weights if that is "
                               "not meant."));
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

std::string percent(double share) {
    return text(std::ceil(1000 * share) / 10, " %");
}

/// The remark on frames that are parts of an image each, as of a series of changing flip angles.
std::string on_single_readouts(const Scan& scan, double covered) {
    const auto& counters = scan.frame_counters;
    const bool slices = std::find(counters.begin(), counters.end(), "slice") != counters.end();
    const std::string join = joining(scan);
    const auto spokes = static_cast<std::size_t>(std::ceil(undersampled_with_maps / covered));
    std::string note =
        text("Each of the ", scan.frames.size(), " frames has one readout, which fills ",
             percent(covered), " of k-space. ", join, " makes one image of all readouts",
             slices ? " of a slice." : ".");
    if (!slices && 2 * spokes <= scan.frames.size()) {
        note += text(" ", join, " `spokes_per_frame` ", spokes, " makes an image of every ", spokes,
                     " readouts.");
    }
    return note;
}

/// The advice against aliasing.
std::string advice_on_aliasing(const Scan& scan, const Grid& grid, const Sparse& sparse,
                               bool solves) {
    const bool parts = scan.frames.size() > 1 && sparse.frames == scan.frames.size() &&
                       is_part_of_image(sparse.covered, grid);
    const std::string join = joining(scan);
    const std::string joined = !join.empty() ? "pass " + join
                               : parts && scan.format == "lsrecon-scan"
                                   ? "write their samples as one frame"
                                   : "";
    return text(parts    ? ""
                : solves ? " Try `reg` auto."
                         : " Try `method` least_squares.",
                joined.empty() ? "" : " If the frames belong to one image, " + joined + ".");
}

} // namespace

Remarks remarks_on_aliasing(const Scan& scan, const Grid& grid, const GeometryOptions& options) {
    if (!scan.has_samples() || scan.voxels) {
        return {};
    }
    const bool with_maps = !scan.coil_maps.empty();
    const Sparse sparse =
        sparse_frames(scan, grid, with_maps ? undersampled_with_maps : undersampled);
    if (sparse.frames == 0 || (options.regularised && !is_part_of_image(sparse.covered, grid))) {
        return {};
    }
    const std::size_t frames = scan.frames.size();
    const std::string join = joining(scan);
    if (scan.has_single_readouts && sparse.frames == frames && !join.empty()) {
        return {on_single_readouts(scan, sparse.covered)};
    }
    const std::string samples =
        frames == 1
            ? "Undersampled: the samples"
            : text(sparse.frames, " of ", frames,
                   " frames are undersampled: ", sparse.alike ? "each has " : "the sparsest has ",
                   sparse.samples, scan.coils() > 1 ? " samples a coil, which" : " samples, which");
    const char* const aliasing = with_maps           ? "aliasing and noise"
                                 : scan.coils() == 1 ? "aliasing"
                                                     : "aliasing unless coil maps undo it";
    return {text(samples, " cover ", percent(sparse.covered), " of k-space. Expect ", aliasing, ".",
                 advice_on_aliasing(scan, grid, sparse, options.solves))};
}

std::vector<std::string> remarks_on(const Scan& scan) {
    Remarks remarks;
    on_voxels(scan, remarks);
    on_off_resonance(scan, remarks);
    on_weights(scan, remarks);
    return remarks;
}

void remark_idle_field(const Scan& scan, std::vector<std::string>& remarks) {
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
        remarks.push_back(text("The field map corrects nothing: it is at most ", field,
                               " Hz, and the readout takes ", duration,
                               " s. Check that the map is in Hz and the times are in s."));
    }
}

} // namespace lsrecon
