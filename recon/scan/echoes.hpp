// The echoes of one scan or of several, as the frames of one scan.

#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scan/slice.hpp"

namespace lsrecon {

/// The frames of each slice that are its echoes, of one scan or of several on one grid: one frame
/// an echo, the first where there are repetitions, by their times. Images of one slice are made
/// with the same coil maps, so that the phases of these cancel.
class EchoFrames : public FrameSource {
public:
    /// `times` in s are those of the frames of each slice, in their order; none for those that the
    /// scans say. The scans must outlive it; the first gives its scan away. InputError when there
    /// are fewer than two echoes, their times are not known, or the scans do not fit together.
    EchoFrames(const std::vector<FrameSource*>& scans, const std::vector<double>& times);

    const Scan& scan() const override { return scan_; }
    /// A copy: images are made twice.
    Scan take_scan() override { return scan_; }
    Frame frame(std::size_t index) override;

private:
    void take(const std::vector<FrameSource*>& scans);
    void choose(std::vector<std::size_t> frames_of_slice, const std::vector<double>& times,
                std::vector<std::size_t>& chosen);

    Scan scan_;
    std::vector<std::pair<FrameSource*, std::size_t>> sources_; ///< of each frame
    std::map<std::size_t, Frame> only_; ///< those of scans of one frame, which are given once
};

} // namespace lsrecon
