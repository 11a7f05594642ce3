// Finished frames of an image that is not finished: on disk, or here.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/report.hpp"
#include "io/hdf5/writer.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"
#include "scan/image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A frame that was solved: all that the image file needs of it.
struct FinishedFrame {
    std::size_t index = 0; ///< within the scan
    ImageFrame image; ///< without its values
    FileBytes values;
    double largest_part = 0; ///< largest part of the values before they were rounded
};

/// The finished frames of an image that is not finished: IMAGE.part, a folder beside it that
/// survives any end of the program. Each frame is a file that appears when it is whole, and says
/// what the frame depends on, with a hash of all of it (docs/formats.md). Another file has what the
/// run chose before them. Whatever has another name is ignored.
///
/// The folder is locked while this object lives. It is made with the first frame.
class PartFolder {
public:
    static std::string path_for(const std::string& image);
    /// UsageError when there is one: without --resume its frames would be lost.
    static void require_none(const std::string& image);

    /// What a run with this identity had chosen before the frames in the part of this image; ""
    /// where there is none.
    static std::string chosen_in(const std::string& image, const Record& identity);

    /// Continues the part of this image, of so many frames, when there is one and `resume` says so.
    /// InputError when its frames have another identity (io/record.hpp), of which it names the
    /// first difference, when one is something else, or cannot be read or written; UsageError when
    /// another process has it. A new part keeps `chosen` for later runs.
    PartFolder(const std::string& image, std::size_t frames, Record identity, bool resume,
               std::string chosen = "");
    ~PartFolder();
    PartFolder(const PartFolder&) = delete;
    PartFolder& operator=(const PartFolder&) = delete;

    const std::string& path() const { return path_; }

    /// Safe on disk when it returns. InputError when the file system refuses; the frames before
    /// stay.
    void add(FinishedFrame frame);
    /// The frames without their values; those of an earlier run come first.
    const std::vector<FinishedFrame>& frames() const { return frames_; }
    /// Frames of an earlier run whose files are damaged: they are no frames here.
    const std::vector<std::size_t>& damaged() const { return damaged_; }
    /// InputError when the file was damaged since.
    FileBytes values(std::size_t position) const;

    void remove();

private:
    PartFolder(const std::string& image, Record identity, std::string chosen);
    void open();
    void begin();
    void read_frames(std::size_t count);
    void require_same(const Record& stored) const;
    [[noreturn]] void refuse(const std::string& thing, const std::string& found,
                             const std::string& expected, const std::string& next_step) const;

    std::string path_;
    mode_t mode_; ///< mode of the image that it will replace
    Record identity_;
    std::string chosen_;
    int folder_ = -1; ///< open for its lock
    std::vector<FinishedFrame> frames_;
    std::vector<std::size_t> damaged_;
};

/// The finished frames of an image or of F^H d until its file is written. Of a scan of several each
/// is safe on disk at once, so that only the frame in progress is lost when the program ends. A
/// single frame is kept here, and so are frames that are solved together, because a later run has
/// no use for some of them.
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
    std::vector<FinishedFrame> kept_; ///< without a part
    std::size_t resumed_ = 0;
    std::optional<SaidOnSignal> promise_;
};

} // namespace lsrecon
