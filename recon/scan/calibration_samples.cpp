#include "scan/calibration_samples.hpp"

#include "scan/frame_places.hpp"
#include "scan/whereabouts.hpp"

namespace lsrecon {

namespace {

Apart how_far(const Frame& a, const Frame& b) {
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

std::string calibration_elsewhere(const Scan& scan, const Frame& frame) {
    if (calibration_samples_of(scan, frame) != nullptr) {
        return "";
    }
    const std::string slice = slice_in(frame.label);
    for (const Frame& calibration : scan.calibrations) {
        if (slice_in(calibration.label) == slice) {
            return how_far(calibration, frame).in_words();
        }
    }
    for (const auto& [label, where] : scan.calibrations_elsewhere) {
        if (slice_in(label) == slice) {
            return where;
        }
    }
    return "";
}

} // namespace lsrecon
