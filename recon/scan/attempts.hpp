#pragma once

#include <exception>
#include <functional>
#include <map>

#include "base/report.hpp"
#include "scan/failed_frames.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Work on the frames of a scan, one of which may fail alone while the others go on.
class Attempts {
public:
    /// `scan` and `report` must outlive it.
    Attempts(const Scan& scan, Reporter& report) : scan_(scan), report_(report) {}

    /// Whether the work was done. An error of the frame is reported; thrown are that of a scan of
    /// one frame and all that are not of a frame: RunError and those of the program.
    bool of(std::size_t frame, const std::function<void()>& work);

    /// Adds a frame that failed elsewhere, as of() does with one that fails here.
    void add(std::size_t frame, const FailedFrame& failed);

    /// Throws the first error when every frame failed.
    void require_some() const;
    /// The failed frames, by their indices.
    const std::map<std::size_t, FailedFrame>& failed() const { return failed_; }

private:
    void add(std::size_t frame, const FailedFrame& failed, const std::exception_ptr& error);

    const Scan& scan_;
    Reporter& report_;
    std::map<std::size_t, FailedFrame> failed_;
    std::exception_ptr first_error_;
};

} // namespace lsrecon
