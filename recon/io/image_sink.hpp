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
#include "io/image/file_values.hpp"
#include "io/part_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Where finished frames go. Those of a scan of several are safe on disk at once
/// (io/part_file.hpp), so that when the program ends for any reason only the frame in progress is
/// lost. A single frame is kept here, and so are frames that are solved together, because a later
/// run has no use for some of them.
class ImageSink {
public:
    /// `resume` continues a part that is there; see PartFile for its errors. Without an identity
    /// frames are kept here. The scan must outlive it.
    ImageSink(const std::string& image, const Scan& scan, std::optional<Identity> identity,
              bool resume, std::size_t volumes = 1, Precision precision = Precision::float32);

    bool has(std::size_t frame) const { return position_[frame].has_value(); }
    /// Frames that an earlier run had finished.
    std::size_t resumed() const { return resumed_; }

    /// Solves every frame that is missing, in this order. A frame of several whose solve is an
    /// error, whose values are not finite or are beyond floats, fails alone: it is reported, and
    /// the others go on. The error of the first is thrown when none is left, and every error that
    /// is not of one frame (RunError and those of the program); a note then says what is kept.
    /// After frames that are zero everywhere the part is removed, because that would recur.
    using Solved = std::function<ImageFrame(std::size_t frame)>;
    void fill(const std::vector<std::size_t>& order, const Solved& solved, Reporter& report);

    /// The same for frames whose values are put where they stay, a part of a volume after another:
    /// in doubles together they would take several times as much memory.
    using Made = std::function<ImageFrame(std::size_t frame, FileValues& values)>;
    void fill(const std::vector<std::size_t>& order, const Made& made, Reporter& report);

    /// The same for frames of which each of several stacks is solved together, once all of its
    /// frames have begun: one that fails to begin is not in the stack, and an error of the solve is
    /// one of the run. `solved` is asked for every frame that began.
    struct Together {
        std::function<void(std::size_t frame)> begin;
        std::function<void()> solve;
        Solved solved;
    };
    void fill(const std::vector<std::vector<std::size_t>>& stacks, const Together& together,
              Reporter& report);

    /// In the order of their indices.
    std::vector<FailedFrame> failed() const;

    /// Once it is filled: the frames of an image without their values, and the values.
    std::vector<ImageFrame> frames() const;
    PartValues stored() const;
    FrameValues values() const; ///< in single precision
    std::size_t voxels() const { return voxels_; }

    /// After the image is written: removes the part, unless frames failed and the next run with
    /// `resume` needs the others.
    void finish();

private:
    /// Whether the work on a frame was no error of that frame, which is then reported.
    bool succeeds(std::size_t frame, const std::function<void()>& work, Reporter& report);
    void add(std::size_t frame, const Made& made, Reporter& report);
    void require_some();
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
    Precision precision_; ///< of the file
    std::vector<std::optional<std::size_t>> position_; ///< of each frame among the finished ones
    std::optional<PartFile> part_;
    std::vector<FinishedFrame> here_; ///< without a part
    std::size_t resumed_ = 0;
    std::map<std::size_t, FailedFrame> failed_;
    std::exception_ptr first_error_; ///< of those
    std::optional<SaidOnSignal> promise_;
};

} // namespace lsrecon
