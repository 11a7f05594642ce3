#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/removed_on_signal.hpp"
#include "base/report.hpp"
#include "io/part_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Where finished frames go. Those of a scan of several are safe on disk at once
/// (io/part_file.hpp), so that when the program ends for any reason only the frame in progress is
/// lost; a single frame is kept here.
class ImageSink {
public:
    /// `resume` continues a part that is there; see PartFile for its errors.
    ImageSink(const std::string& image, const Scan& scan, Identity identity, bool resume);

    bool has(std::size_t frame) const { return position_[frame].has_value(); }
    /// Frames that an earlier run had finished.
    std::size_t resumed() const { return resumed_; }

    /// Runs `solve_frames`, which adds every missing frame, and checks that the frames are an
    /// image. After an error that would recur, such as frames that miss the tolerance or are zero
    /// everywhere, the part is removed; after any other a note says what is kept.
    void fill(const std::function<void()>& solve_frames, Reporter& report);

    /// DeviceError when a value is not finite, ToleranceError when floats cannot hold it.
    void add(std::size_t frame, ImageFrame image);

    /// Once it has every frame: those of an image without their values, and the values.
    std::vector<ImageFrame> frames() const;
    FrameValues values() const;
    std::size_t voxels() const { return voxels_; }

    /// After the image is written.
    void remove_part();

private:
    const FinishedFrame& finished(std::size_t frame) const;
    double largest_part() const; ///< of all frames
    std::string kept() const;
    void promise();

    std::string image_;
    std::size_t voxels_;
    std::vector<std::optional<std::size_t>> position_; ///< of each frame among the finished ones
    std::optional<PartFile> part_; ///< of several frames
    std::optional<FinishedFrame> single_;
    std::size_t resumed_ = 0;
    std::optional<SaidOnSignal> promise_;
};

} // namespace lsrecon
