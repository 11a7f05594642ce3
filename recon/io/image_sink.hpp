#pragma once

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/removed_on_signal.hpp"
#include "base/report.hpp"
#include "io/failed_frames.hpp"
#include "io/part_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Where finished frames go. Those of a scan of several are safe on disk at once
/// (io/part_file.hpp), so that when the program ends for any reason only the frame in progress is
/// lost; a single frame is kept here.
class ImageSink {
public:
    /// `resume` continues a part that is there; see PartFile for its errors. The scan must outlive
    /// it.
    ImageSink(const std::string& image, const Scan& scan, Identity identity, bool resume,
              std::size_t volumes = 1);

    bool has(std::size_t frame) const { return position_[frame].has_value(); }
    /// Frames that an earlier run had finished.
    std::size_t resumed() const { return resumed_; }

    /// Solves every frame that is missing, in this order. A frame of several whose solve is an
    /// error, whose values are not finite or are beyond floats, fails alone: it is reported, and
    /// the others go on. The error of the first is thrown when none is left, and every error that
    /// is not of one frame (RunError and those of the program); a note then says what is kept.
    /// After frames that are zero everywhere the part is removed, because that would recur.
    void fill(const std::vector<std::size_t>& order,
              const std::function<ImageFrame(std::size_t frame)>& solved, Reporter& report);

    /// In the order of their indices.
    std::vector<FailedFrame> failed() const;

    /// Once it is filled: the frames of an image without their values, and the values.
    std::vector<ImageFrame> frames() const;
    FrameValues values() const;
    std::size_t voxels() const { return voxels_; }
    std::size_t volumes() const { return volumes_; }

    /// After the image is written: removes the part, unless frames failed and the next run with
    /// `resume` needs the others.
    void finish();

private:
    void add(std::size_t frame, const std::function<ImageFrame(std::size_t frame)>& solved,
             Reporter& report);
    void keep(FinishedFrame finished);
    void remove_part();
    const FinishedFrame& finished(std::size_t frame) const;
    double largest_part() const; ///< of all finished frames
    std::string kept() const;
    void promise();

    std::string image_;
    const Scan& scan_;
    std::size_t voxels_; ///< of a volume
    std::size_t volumes_; ///< of a frame
    std::vector<std::optional<std::size_t>> position_; ///< of each frame among the finished ones
    std::optional<PartFile> part_; ///< of several frames
    std::optional<FinishedFrame> single_;
    std::size_t resumed_ = 0;
    std::map<std::size_t, FailedFrame> failed_;
    std::exception_ptr first_error_; ///< of those
    std::optional<SaidOnSignal> promise_;
};

} // namespace lsrecon
