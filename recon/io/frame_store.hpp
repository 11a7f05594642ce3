#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "io/image/file_values.hpp"
#include "io/part_folder.hpp"
#include "scan/failed_frames.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The finished frames of an image or of F^H d until its file is written. Those of a scan of
/// several are safe on disk at once (io/part_folder.hpp), so that when the program ends for any
/// reason only the frame in progress is lost. A single frame is kept here, and so are frames that
/// are solved together, because a later run has no use for some of them.
class FrameStore {
public:
    /// `resume` continues a part that is there and notes what is damaged in it; see PartFolder for
    /// its errors. Without an identity frames are kept here. The scan must outlive it. `chosen` is
    /// for PartFolder, too.
    FrameStore(const std::string& image, const Scan& scan, std::optional<Record> identity,
               bool resume, Reporter& report, std::string chosen = "", std::size_t volumes = 1,
               Precision precision = Precision::float32);

    bool has(std::size_t frame) const { return position_[frame].has_value(); }
    /// Frames that an earlier run had finished.
    std::size_t resumed() const { return resumed_; }
    /// The entry of a frame without its values.
    const ImageFrame& about(std::size_t frame) const { return finished(frame).image; }

    /// Keeps a frame. `write` puts its values where they stay, a part of a volume after another: in
    /// doubles together they would take several times as much memory. Errors as of FileValues and
    /// PartFolder.
    void put(std::size_t frame, const std::function<ImageFrame(FileValues& values)>& write);
    void put(std::size_t frame, ImageFrame image);

    /// InputError or ToleranceError when all frames are zeros or cannot be held; the part is then
    /// removed, because that would recur.
    void require_some();
    /// How many frames are kept where, and how to go on; nothing where none is.
    std::optional<Finding> kept() const;

    /// The frames without their values, those that failed in their places; and the values.
    std::vector<ImageFrame> frames(const std::map<std::size_t, FailedFrame>& failed) const;
    PartValues stored() const;
    FrameValues values() const; ///< values in single precision
    std::size_t voxels() const { return voxels_; }

    /// Ends after the image is written: removes the part, unless frames failed and the next run
    /// with `resume` needs the others.
    void finish(bool all);

private:
    void remove_part();
    const FinishedFrame& finished(std::size_t frame) const;
    void promise();

    const Scan& scan_;
    std::size_t voxels_; ///< voxels of a volume
    std::size_t volumes_; ///< volumes of a frame
    Precision precision_; ///< precision of the file
    /// Position of each frame among the finished ones.
    std::vector<std::optional<std::size_t>> position_;
    std::optional<PartFolder> part_;
    std::vector<FinishedFrame> here_; ///< without a part
    std::size_t resumed_ = 0;
    std::optional<SaidOnSignal> promise_;
};

} // namespace lsrecon
