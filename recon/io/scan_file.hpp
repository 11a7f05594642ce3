#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "io/formats.hpp"
#include "scan/frame_source.hpp"

namespace lsrecon {

/// A scan file.
///
/// Opening reads the whole file once, checks every value (scan/check.hpp) and hashes it: a NaN in
/// the last frame is found before the first is solved. With ReadOptions::bad_frames such a frame is
/// an error only when it is asked for, unless every frame is one. So is a frame whose trajectory is
/// wrong, while others have theirs; scan() gives it the sampling of another. The samples of a
/// single frame are kept, those of several are read again when their frame comes.
class ScanFile : public FrameSource {
public:
    /// InputError when no format knows the file or something in it is wrong; NotBuiltError when the
    /// format was left out of this build.
    explicit ScanFile(const std::string& path, const ReadOptions& options = {});
    /// The same as a separate stage, which notes the scan's remarks.
    ScanFile(const std::string& path, const ReadOptions& options, Reporter& report);
    ScanFile(ScanFile&&) = default;

    const Scan& scan() const override { return stored_.scan; }
    Scan take_scan() override;
    /// RunError when the file was changed since it was opened.
    Frame frame(std::size_t index) override;
    /// Reports bad frames as failed, before the work on the others.
    void report_bad(Reporter& report) const;

private:
    ScanFile(OpenScan opened, const ReadOptions& options);
    void set_bad_trajectories_aside(const ReadOptions& options);
    std::vector<std::string> check_samples(bool bad_frames);

    std::shared_ptr<InputFile> file_;
    StoredScan stored_;
    std::optional<CoilRows> single_; ///< samples of a single frame
};

} // namespace lsrecon
