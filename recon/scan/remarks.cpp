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
        remarks.push_back(text("voxels lie up to ", largest,
                               " fields of view from the centre; "
                               "that is the unit of their positions, not mm"));
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
        remarks.push_back(text("the field map makes up to ", std::round(turns),
                               " turns until a sample is taken; its unit is Hz, that of the times "
                               "s"));
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

/// Those that count.
double coverage(const Sampling& sampling, const Grid& grid) {
    std::vector<Vec3> weighed;
    for (std::size_t m = 0; m < sampling.samples(); ++m) {
        if (sampling.weight(m) > 0) {
            weighed.push_back(sampling.trajectory[m]);
        }
    }
    return coverage(weighed, grid);
}

/// "; if they belong to one image, pass --join repetition".
std::string joining(const Scan& scan) {
    std::string names;
    for (const std::string& name : scan.joinable_counters) {
        names += (names.empty() ? "" : ",") + name;
    }
    return names.empty() ? "" : "; if they belong to one image, pass --join " + names;
}

/// How sparse the frames of a scan are.
struct Sparse {
    std::size_t frames = 0; ///< that are undersampled
    double covered = 1; ///< of k-space, by the sparsest, and
    std::size_t samples = 0; ///< its samples
    bool alike = true; ///< all frames have as many samples
};

Sparse sparse_frames(const Scan& scan, double least) {
    Sparse result;
    std::map<const Sampling*, double> known;
    for (const Frame& frame : scan.frames) {
        const Sampling& sampling = *frame.sampling;
        const auto [found, is_new] = known.emplace(&sampling, 0);
        if (is_new) {
            found->second = coverage(sampling, scan.grid);
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

} // namespace

Remarks remarks_on_aliasing(const Scan& scan) {
    if (!scan.has_samples() || scan.voxels) {
        return {};
    }
    const bool with_maps = !scan.coil_maps.empty();
    const Sparse sparse = sparse_frames(scan, with_maps ? undersampled_with_maps : undersampled);
    if (sparse.frames == 0) {
        return {};
    }
    const std::size_t frames = scan.frames.size();
    const std::string each =
        text(sparse.alike ? "each from " : "the sparsest from ", sparse.samples,
             scan.coils() > 1 ? " samples a coil, which" : " samples, which");
    const std::string samples =
        frames == 1 ? "the samples"
        : sparse.frames < frames
            ? text(sparse.frames, " of ", frames, " frames are undersampled, ", each)
            : text(frames, " frames are reconstructed, ", each);
    const char* const left = with_maps           ? " and noise"
                             : scan.coils() == 1 ? ""
                                                 : " where coil maps do not undo it";
    return {text(samples, " fill ", std::ceil(1000 * sparse.covered) / 10,
                 " % of k-space: expect aliasing", left, ", of which --reg tv:0.02 removes much",
                 joining(scan))};
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
