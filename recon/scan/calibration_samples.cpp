#include "scan/calibration_samples.hpp"

#include "base/error.hpp"
#include "scan/pose.hpp"
#include "scan/silent_coils.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

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
