#pragma once

#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/report.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A scan whose frames come one at a time: from a file (io/scan_file.hpp) or from memory.
/// Everything but samples is known from the start.
class FrameSource {
public:
    virtual ~FrameSource() = default;

    /// The scan without values: its frames have C x 0 samples, or none where nothing was sampled.
    virtual const Scan& scan() const = 0;
    /// Gives the scan itself away to a caller that changes it: maps may take most of the memory.
    /// Only the frames stay here.
    virtual Scan take_scan() = 0;

    /// A frame with its samples. The only frame of a scan can be taken once. InputError when it is
    /// a bad one; RunError when no frame can be read any more.
    virtual Frame frame(std::size_t index) = 0;

    /// The error of each bad frame.
    const std::map<std::size_t, InputError>& bad() const { return bad_; }
    /// The first frame whose samples can be used and are not all 0.
    std::size_t first_good() const { return first_good_; }

protected:
    std::map<std::size_t, InputError> bad_;
    std::size_t first_good_ = 0;
};

/// A scan in memory, whose frames have their samples.
class FramesInMemory : public FrameSource {
public:
    /// InputError as of check() (scan/check.hpp): the first thing that is wrong with the scan.
    explicit FramesInMemory(Scan scan);

    const Scan& scan() const override { return scan_; }
    Scan take_scan() override;
    Frame frame(std::size_t index) override;

private:
    Scan scan_;
    std::vector<CoilRows> samples_; ///< samples of each frame
};

} // namespace lsrecon
