#include "scan/frame_source.hpp"

#include "scan/check.hpp"

namespace lsrecon {

FramesInMemory::FramesInMemory(Scan scan) : scan_(std::move(scan)) {
    check(scan_);
    require_samples(scan_);
    for (Frame& frame : scan_.frames) {
        samples_.push_back(std::move(frame.samples));
        frame.samples = CoilRows(samples_.back().rows(), 0, samples_.back().precision());
    }
    while (samples_[first_good_].largest_part() == 0) {
        ++first_good_; // check() found one that is not
    }
}

Scan FramesInMemory::take_scan() {
    Scan scan = std::move(scan_);
    scan_ = {};
    scan_.frames = scan.frames;
    return scan;
}

Frame FramesInMemory::frame(std::size_t index) {
    Frame frame = scan_.frames[index];
    frame.samples = samples_.size() == 1 ? std::move(samples_[index]) : samples_[index];
    return frame;
}

} // namespace lsrecon
