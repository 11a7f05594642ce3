#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/report.hpp"
#include "io/formats.hpp"

namespace lsrecon {

/// A scan file whose frames come one at a time. Everything else is known once it is open: grid,
/// samplings, coil maps, labels.
///
/// Opening reads the whole file once, checks every value (scan/check.hpp) and hashes it: a NaN in
/// the last frame is found before the first is solved. With ReadOptions::bad_frames such a frame is
/// an error only when it is asked for, unless every frame is one. So is a frame whose trajectory is
/// wrong, while others have theirs; scan() gives it the sampling of another. The samples of a
/// single frame are kept, those of several are read again when their frame comes.
class FrameSource {
public:
    /// InputError when no format knows the file or something in it is wrong; NotBuiltError when the
    /// format was left out of this build.
    explicit FrameSource(const std::string& path, const ReadOptions& options = {});
    /// The same as a separate stage, which notes the scan's remarks.
    FrameSource(const std::string& path, const ReadOptions& options, Reporter& report);
    FrameSource(FrameSource&&) = default;

    /// Its frames have C x 0 samples; none where the file has no samples.
    const Scan& scan() const { return stored_.scan; }

    /// The scan itself, for who changes it: maps may take most of the memory. Only frames are left
    /// here, as the file has them.
    Scan take_scan();

    /// A frame with its samples. The only frame of a scan can be taken once. InputError when it is
    /// a bad one; RunError when the file was changed since it was opened.
    Frame frame(std::size_t index);
    /// What is wrong with each bad frame.
    const std::map<std::size_t, InputError>& bad() const { return bad_; }
    /// Reports them as failed, before the work on the others.
    void report_bad(Reporter& report) const;
    /// The first frame whose samples can be used and are not all 0.
    std::size_t first_good() const { return first_good_; }

private:
    FrameSource(OpenScan opened, const ReadOptions& options);
    void set_bad_trajectories_aside(const ReadOptions& options);
    std::vector<std::string> check_samples(bool bad_frames);

    std::shared_ptr<InputFile> file_;
    StoredScan stored_;
    std::optional<CoilRows> single_; ///< samples of a single frame
    std::map<std::size_t, InputError> bad_;
    std::size_t first_good_ = 0;
};

} // namespace lsrecon
