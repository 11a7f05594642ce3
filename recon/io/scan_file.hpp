// A scan of any format as a source of frames.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "io/formats.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A scan file whose samples were not read, or of raw data not checked; all else is sound.
struct LoadedScan {
    std::shared_ptr<InputFile> file;
    StoredScan stored;
    std::map<std::size_t, InputError> bad; ///< frames whose trajectory cannot be used
};

/// InputError with the first thing that is wrong. What else may be read of the file is let go.
LoadedScan load_scan(OpenScan opened, const ReadOptions& options);

/// A scan file.
///
/// Opening reads the whole file once, checks every value (scan/check.hpp) and hashes it: a NaN in
/// the last frame is found before the first is solved. With ReadOptions::bad_frames such a frame is
/// an error only when it is asked for, unless every frame is one. So is a frame whose trajectory is
/// wrong, while others have theirs; scan() gives it the sampling of another. The samples of a
/// single frame are kept, those of several are read again when their frame comes.
class ScanFile : public FrameSource {
public:
    /// Opens and reads in one go, for callers that ask for no other room than that of a
    /// reconstruction without options (scan/check.hpp). InputError when no format knows the file or
    /// something in it is wrong; NotBuiltError when the format was left out of this build.
    explicit ScanFile(const std::string& path, const ReadOptions& options = {});
    /// Reads as a separate stage, which reports the facts of the scan.
    ScanFile(const std::string& path, const ReadOptions& options, Reporter& report);
    /// Reads and checks all samples of a scan that was opened and loaded.
    ScanFile(LoadedScan loaded, const ReadOptions& options);
    ScanFile(ScanFile&&) = default;

    const Scan& scan() const override { return stored_.scan; }
    Scan take_scan() override;
    /// RunError when the file was changed since it was opened.
    Frame frame(std::size_t index) override;
    /// The findings on the scan, from which callers remove those that do not matter to them.
    Findings& findings() { return stored_.scan.findings; }
    /// Tells the scan's facts and findings.
    void report_scan_facts(Reporter& report) const;
    /// Reports bad frames as failed, before the work on the others.
    void report_bad(Reporter& report) const;

private:
    Findings check_samples(bool bad_frames);

    std::shared_ptr<InputFile> file_;
    StoredScan stored_;
    std::optional<CoilRows> single_; ///< samples of a single frame
};

} // namespace lsrecon
