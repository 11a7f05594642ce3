// Groups frames into slices by position and label, and finds the calibration lines that serve each
// frame.

#include "scan/slice.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "scan/check.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

constexpr double same_slice_mm = 2;

bool near(const std::optional<Vec3>& a, const std::optional<Vec3>& b) {
    if (!a || !b) {
        return !a && !b;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        if (std::abs((*a)[d] - (*b)[d]) > same_slice_mm) {
            return false;
        }
    }
    return true;
}

} // namespace

std::vector<std::size_t> Slice::frames() const {
    std::vector<std::size_t> all;
    for (const SampledFrames& of_one : trajectories) {
        all.insert(all.end(), of_one.frames.begin(), of_one.frames.end());
    }
    return all;
}

bool at_one_slice(const Frame& a, const Frame& b) {
    return slice_in(a.label) == slice_in(b.label) && near(a.position, b.position);
}

std::vector<Slice> slices_of(const Scan& scan) {
    std::vector<Slice> slices;
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        const Frame& frame = scan.frames[f];
        auto slice = std::find_if(slices.begin(), slices.end(), [&](const Slice& known) {
            return at_one_slice(scan.frames[known.first_frame()], frame);
        });
        if (slice == slices.end()) {
            Slice first;
            first.index = slices.size();
            first.grid = scan.grid;
            first.grid.position = frame.position ? frame.position : scan.grid.position;
            slice = slices.insert(slices.end(), std::move(first));
        }
        std::vector<SampledFrames>& trajectories = slice->trajectories;
        auto known_trajectory =
            std::find_if(trajectories.begin(), trajectories.end(), [&](const SampledFrames& known) {
                return known.trajectory == frame.trajectory;
            });
        if (known_trajectory == trajectories.end()) {
            known_trajectory = trajectories.insert(trajectories.end(), {frame.trajectory, {}});
        }
        known_trajectory->frames.push_back(f);
    }
    return slices;
}

std::vector<std::size_t> slice_of_frames(const std::vector<Slice>& slices) {
    std::vector<std::size_t> slice_of;
    for (const Slice& slice : slices) {
        for (const std::size_t f : slice.frames()) {
            slice_of.resize(std::max(slice_of.size(), f + 1));
            slice_of[f] = slice.index;
        }
    }
    return slice_of;
}

void require_one_slice(const Scan& scan, const std::string& what, const std::string& otherwise) {
    const std::size_t count = slices_of(scan).size();
    if (count == 1) {
        return;
    }
    const bool are_slices =
        std::count(scan.frame_counters.begin(), scan.frame_counters.end(), "slice") > 0;
    throw InputError(
        {scan.file, "frames that share the " + what,
         are_slices ? "several slices" : text(count, " positions"), "frames of one slice",
         text("choose one with ", are_slices ? "`slice`" : "`frames`", "; ", otherwise)});
}

std::string slice_in(const std::string& label) {
    const std::string name = "slice ";
    const bool first = label.compare(0, name.size(), name) == 0; // of the counters, where it is one
    return first ? label.substr(0, label.find(',')) : "";
}

namespace {

PoseDifference how_far(const Frame& a, const Frame& b) {
    return apart({a.position, {}}, {b.position, {}});
}

} // namespace

const Frame* calibration_samples_of(const Scan& scan, const Frame& frame) {
    const auto rank = [&](const Frame& calibration) {
        return std::pair(calibration.label != frame.label, how_far(calibration, frame).mm);
    };
    const Frame* found = nullptr;
    for (const Frame& calibration : scan.calibrations) {
        const bool serves = slice_in(calibration.label) == slice_in(frame.label) &&
                            how_far(calibration, frame).share_maps();
        if (serves && (found == nullptr || rank(calibration) < rank(*found))) {
            found = &calibration;
        }
    }
    return found;
}

std::string why_no_calibration(const Scan& scan, const Frame& frame) {
    if (calibration_samples_of(scan, frame) != nullptr) {
        return "";
    }
    const std::string slice = slice_in(frame.label);
    for (const Frame& calibration : scan.calibrations) {
        if (slice_in(calibration.label) == slice) {
            return "lie elsewhere: " + how_far(calibration, frame).in_words();
        }
    }
    for (const auto& [label, why] : scan.calibrations_unused) {
        if (slice_in(label) == slice) {
            return why;
        }
    }
    return "";
}

std::optional<std::size_t> silent_in_these_alone(const CoilRows& of_coils,
                                                 const CoilRows& samples) {
    std::optional<std::size_t> found;
    bool all = true;
    for (std::size_t c = 0; c < of_coils.rows(); ++c) {
        const bool silent = is_silent(of_coils, c);
        all = all && silent;
        if (silent && !found && !is_silent(samples, c)) {
            found = c;
        }
    }
    return all ? std::nullopt : found;
}

void leave_out_calibration(Scan& scan, const Frame* calibration, std::size_t silent_coil) {
    const std::string why =
        text("hold only zeros of coil ", silent_coil, ", which has signal in the image");
    const std::string& label = calibration->label;
    scan.findings.push_back(
        {Found::calibration_silent,
         {},
         {{"lines", "Calibration lines" + (label.empty() ? "" : " of " + label)}, {"why", why}}});
    scan.calibrations_unused.emplace_back(label, why);
    scan.calibrations.erase(scan.calibrations.begin() + (calibration - scan.calibrations.data()));
}

} // namespace lsrecon
