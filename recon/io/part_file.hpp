#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/image/file_values.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// A frame that was solved: all that the image file needs of it.
struct FinishedFrame {
    std::size_t index = 0; ///< within the scan
    ImageFrame image; ///< without its values
    FileBytes values;
    double largest_part = 0; ///< of the values before they were rounded
};

/// What frames depend on, name and value: a part with another identity is not continued.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// The finished frames of an image that is not finished: IMAGE.part, a file beside it that survives
/// any end of the program. Records are appended and synchronised one by one, each with its
/// SHA-256; the first holds the identity, the others a frame each (docs/formats.md). What follows
/// the last whole record, as of a write that was cut off, does not count.
///
/// The file is locked while this object lives. It is made with the first frame.
class PartFile {
public:
    static std::string path_for(const std::string& image);
    /// UsageError when there is one: without --resume its frames would be lost.
    static void require_none(const std::string& image);

    /// Continues the part of this image when there is one and `resume` says so. InputError when it
    /// has another identity, which names the first difference, is no part, or cannot be read or
    /// written; UsageError when another process has it.
    PartFile(const std::string& image, Identity identity, bool resume);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::string& path() const { return path_; }

    /// Safe on disk when it returns. InputError when the file system refuses; the frames before
    /// stay.
    void add(FinishedFrame frame);
    /// Without their values, in the order in which they were added.
    const std::vector<FinishedFrame>& frames() const { return frames_; }
    FileBytes values(std::size_t position) const;

    void remove();

private:
    void open(bool create);
    void read_frames();
    void append(const std::string& about, const FileBytes& values);
    void require_identity(const std::string& about) const;
    [[noreturn]] void refuse(const std::string& thing, const std::string& found,
                             const std::string& expected, const std::string& next_step) const;

    std::string path_;
    mode_t mode_; ///< that of the image which it will replace
    Identity identity_;
    int file_ = -1;
    std::uint64_t end_ = 0; ///< of the last whole record
    std::vector<FinishedFrame> frames_;
    std::vector<std::uint64_t> at_; ///< their records
};

} // namespace lsrecon
