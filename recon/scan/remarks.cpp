#include "scan/remarks.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/reach.hpp"

namespace lsrecon {

namespace {

using Remarks = std::vector<std::string>;

void on_field_of_view(const Scan& scan, Remarks& remarks) {
    const Vec3& fov = scan.grid.fov_mm;
    if (std::max(fov[0], fov[1]) < 1) {
        remarks.push_back(text("the field of view is ", by(fov, 2),
                               " mm; if that is in metres, multiply it by 1000"));
    }
}

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

/// "; if they belong to one image, pass --join repetition": slices lie apart, and contrasts differ
/// on purpose.
std::string joining(const Scan& scan) {
    std::string names;
    for (const std::string& name : scan.frame_counters) {
        if (name != "slice" && name != "contrast") {
            names += (names.empty() ? "" : ",") + name;
        }
    }
    return names.empty() ? "" : "; if they belong to one image, pass --join " + names;
}

/// From the first frame: the others of a scan are like it.
void on_undersampling(const Scan& scan, Remarks& remarks) {
    if (!scan.has_samples() || !scan.coil_maps.empty() || scan.voxels) {
        return;
    }
    const Sampling& sampling = *scan.frames.front().sampling;
    const double covered = coverage(sampling.trajectory, scan.grid);
    if (covered >= undersampled) {
        return;
    }
    const std::size_t frames = scan.frames.size();
    const std::string samples =
        frames == 1 ? "the samples"
                    : text(frames, " frames are reconstructed, each from ", sampling.samples(),
                           scan.coils() > 1 ? " samples a coil, which" : " samples, which");
    remarks.push_back(text(
        samples, " fill ", std::ceil(1000 * covered) / 10, " % of k-space: expect aliasing",
        scan.coils() > 1 ? " that coil maps or a regulariser do not undo" : "", joining(scan)));
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
}

} // namespace

std::vector<std::string> remarks_on(const Scan& scan) {
    Remarks remarks;
    on_field_of_view(scan, remarks);
    on_voxels(scan, remarks);
    on_undersampling(scan, remarks);
    on_off_resonance(scan, remarks);
    return remarks;
}

} // namespace lsrecon
