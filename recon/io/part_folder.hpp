#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "io/image/file_values.hpp"
#include "io/record.hpp"
#include "scan/image.hpp"

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

} // namespace lsrecon
