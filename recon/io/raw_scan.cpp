#include "io/raw_acquisitions.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "scan/directions.hpp"
#include "scan/sampling_pool.hpp"
#include "scan/units.hpp"

// The second half of RawAcquisitionSorter: from sorted frames to a scan.

namespace lsrecon {

namespace {

/// "slice 2, repetition 3": the counters that vary.
std::string label(const std::array<std::uint16_t, 5>& counters, const std::array<bool, 5>& varies) {
    std::string result;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (varies[i]) {
            result += text(result.empty() ? "" : ", ", frame_counters()[i], " ", counters[i]);
        }
    }
    return result;
}

bool finite(const Vec3& a) {
    return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

std::vector<Vec3> to_trajectory(const std::vector<float>& stored, std::size_t dimensions,
                                const Vec3& factor) {
    std::vector<Vec3> trajectory(stored.size() / dimensions, Vec3{0, 0, 0});
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            trajectory[m][d] = factor[d] * static_cast<double>(stored[m * dimensions + d]);
        }
    }
    return trajectory;
}

CoilMatrix to_samples(const std::vector<std::vector<std::complex<float>>>& values) {
    CoilMatrix samples(static_cast<Eigen::Index>(values.size()),
                       static_cast<Eigen::Index>(values.front().size()));
    for (std::size_t c = 0; c < values.size(); ++c) {
        const auto row = static_cast<Eigen::Index>(c);
        std::copy(values[c].begin(), values[c].end(), samples.row(row).data());
    }
    return samples;
}

} // namespace

void RawAcquisitionSorter::refuse_units() const {
    Grid grid = encoding_.grid;
    std::string found = "largest |k| as stored:";
    for (std::size_t d = 0; d < stored_dimensions(); ++d) {
        found += text(d == 0 ? " " : " x ", range_[d]);
    }
    found += text("; matrix ", grid.size[0], " x ", grid.size[1], " x ", grid.size[2], ", FOV ",
                  grid.fov_mm[0], " x ", grid.fov_mm[1], " x ", grid.fov_mm[2], " mm");
    grid.dimensions = static_cast<int>(stored_dimensions());
    throw InputError({encoding_.file, encoding_.dataset + ", units of the trajectory", found,
                      "one unit that fills 0.5 to 1.05 of N/2; largest |k| / (N/2) would be " +
                          reach_in_each_unit(range_, grid),
                      "pass --traj-units UNIT"});
}

std::string RawAcquisitionSorter::units(std::vector<std::string>& remarks) const {
    if (stored_dimensions() == 0) {
        if (!options_.trajectory_units.empty()) {
            remarks.push_back("no trajectory is stored: --traj-units " + options_.trajectory_units +
                              " is not used");
        }
        return "";
    }
    if (!options_.trajectory_units.empty()) {
        return options_.trajectory_units;
    }
    Grid stored = encoding_.grid;
    stored.dimensions = static_cast<int>(stored_dimensions());
    const std::string found = guess_trajectory_units({range_}, stored);
    if (found.empty()) {
        refuse_units();
    }
    remarks.push_back("trajectory units " + found + ", found from its range and the matrix");
    return found;
}

Vec3 RawAcquisitionSorter::units_factor(const std::string& units) const {
    if (units.empty()) {
        return {1, 1, 1};
    }
    // A third dimension that comes from encoding steps is not in `stored`, and its factor is 1.
    Grid stored = encoding_.grid;
    stored.dimensions = static_cast<int>(stored_dimensions());
    return to_cycles_per_fov(units, stored);
}

void RawAcquisitionSorter::set_geometry(Scan& scan) const {
    const RawFrame& first = frames_.begin()->second;
    const bool unknown = first.directions == std::array<Vec3, 3>{};
    if (orthonormal(first.directions)) {
        scan.grid.directions = first.directions;
    } else if (!unknown) {
        scan.remarks.push_back("read_dir, phase_dir and slice_dir are no orthogonal unit vectors "
                               "and are not used");
    }
    // A header that was never filled in is zero everywhere: that is no position at the isocentre.
    if (unknown && first.position == Vec3{0, 0, 0}) {
        return;
    }
    if (!finite(first.position)) {
        scan.remarks.push_back("position is not finite and is not used");
        return;
    }
    scan.grid.position = first.position;
    bool moved = false;
    bool turned = false;
    for (const auto& [counters, frame] : frames_) {
        moved = moved || frame.position != first.position;
        turned = turned || frame.directions != first.directions;
    }
    if (turned) {
        scan.remarks.push_back("frames have different orientations; the first one's is kept");
    }
    auto frame = scan.frames.begin();
    for (const auto& entry : frames_) {
        if (moved && finite(entry.second.position)) {
            frame->position = entry.second.position;
        }
        ++frame;
    }
}

std::array<bool, 5> RawAcquisitionSorter::varying() const {
    std::array<bool, 5> result{};
    const Counters& first = frames_.begin()->first;
    for (const auto& [counters, frame] : frames_) {
        for (std::size_t i = 0; i < counters.size(); ++i) {
            result[i] = result[i] || counters[i] != first[i];
        }
    }
    return result;
}

void RawAcquisitionSorter::add_remarks(std::vector<std::string>& remarks) const {
    for (const auto& [reason, count] : skipped_) {
        remarks.push_back(text("skipped ", count, count == 1 ? " acquisition" : " acquisitions",
                               " flagged ", reason));
    }
    if (!options_.join.empty()) {
        std::string names;
        for (const std::string& name : options_.join) {
            names += (names.empty() ? "" : ", ") + name;
        }
        remarks.push_back("acquisitions that differ in " + names +
                          " alone are joined into a frame");
    }
    if (moved_within_frame_) {
        remarks.push_back("acquisitions of one frame have different positions or orientations; the "
                          "first one's are kept");
    }
    if (discarded_ > 0) {
        remarks.push_back(
            text("left out ", discarded_, " samples by discard_pre and discard_post"));
    }
    if (first_ && first_->trajectory_dimensions > dimensions()) {
        remarks.push_back(text("only the first ", dimensions(), " of ",
                               first_->trajectory_dimensions, " trajectory dimensions are used"));
    }
    if (first_ && first_->trajectory_dimensions > 0 && stored_dimensions() < dimensions()) {
        remarks.push_back("the trajectory has 2 dimensions and the matrix 3: kz is "
                          "kspace_encode_step_2 less its center");
    }
}

Scan RawAcquisitionSorter::scan() {
    Scan scan;
    scan.file = encoding_.file;
    scan.grid = encoding_.grid;
    add_remarks(scan.remarks);
    if (frames_.empty()) {
        std::string found = "none";
        for (const std::string& remark : scan.remarks) {
            found += "; " + remark;
        }
        throw InputError({encoding_.file, encoding_.dataset + ", acquisitions with image data",
                          found, "at least one", "check the flags of the acquisitions"});
    }
    const std::array<bool, 5> varies = varying();
    for (std::size_t i = 0; i < varies.size(); ++i) {
        if (varies[i]) {
            scan.frame_counters.push_back(frame_counters()[i]);
        }
    }
    for (const auto& [counters, raw] : frames_) {
        if (raw.trajectory.empty()) {
            throw InputError({encoding_.file,
                              text(encoding_.dataset, ", frame ", label(counters, varies)),
                              "no samples", "at least one", "check discard_pre and discard_post"});
        }
    }
    scan.trajectory_units = units(scan.remarks);
    const Vec3 factor = units_factor(scan.trajectory_units);
    SamplingPool pool;
    for (auto& [counters, raw] : frames_) {
        Frame frame;
        frame.label = label(counters, varies);
        Sampling sampling;
        sampling.trajectory = to_trajectory(raw.trajectory, dimensions(), factor);
        frame.sampling = pool.share(std::move(sampling));
        frame.samples = to_samples(raw.values);
        scan.frames.push_back(std::move(frame));
        raw.trajectory = {};
        raw.values = {};
    }
    set_geometry(scan);
    return scan;
}

} // namespace lsrecon
