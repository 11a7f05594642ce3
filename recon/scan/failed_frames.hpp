// Frames that failed while others were made: their words, and the work that goes on without them.

#pragma once

#include <complex>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/report.hpp"
#include "scan/image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A frame that could not be made, while others were.
struct FailedFrame {
    ExitCode code = ExitCode::bug; ///< code of the error that ended it
    std::string error; ///< the whole message
    template <typename Archive> void each(Archive& archive) { archive(code, error); }
};

/// The entry in an image for a frame that failed.
ImageFrame image_of_failed(const Frame& frame, const FailedFrame& failed);

/// "repetition 3"; "" where the label says no more than the frame's index.
std::string label_beside_index(const std::string& label, std::size_t index);
Finding failure_of(const Frame& frame, std::size_t index, const std::string& error);

/// "3,7"; long lists are cut short.
std::string list_of_frames(const std::vector<std::size_t>& indices);
/// "2 of 20 frames failed: 3,7"
std::string list_of_failures(const std::vector<std::size_t>& failed, std::size_t frames);
/// The indices of an image's frames that failed.
std::vector<std::size_t> failed_among(const std::vector<ImageFrame>& frames);

/// The lines of a message as one.
std::string on_one_line(const std::string& message);

/// The values in an image in place of a frame that failed: NaN in every voxel, real and imaginary
/// part. No reader takes it for an image, and frames keep their indices.
template <typename Number = float>
std::vector<std::complex<Number>> values_of_failed(std::size_t voxels) {
    constexpr Number nan = std::numeric_limits<Number>::quiet_NaN();
    return std::vector<std::complex<Number>>(voxels, {nan, nan});
}

/// Marks failed frames in pictures, which have no NaN: a pane of `width` values a row that begins
/// with NaN becomes a cross from corner to corner. `values` are whole panes, one after the other.
void cross_out(std::vector<float>& values, std::size_t width, std::size_t height, float line,
               float ground);

/// Work on the frames of a scan, one of which may fail alone while the others go on.
class Attempts {
public:
    /// `scan` and `report` must outlive it.
    Attempts(const Scan& scan, Reporter& report) : scan_(scan), report_(report) {}

    /// Whether the work was done. An error of the frame is reported, unless the scan has no other
    /// frame: then it is thrown, as are errors that are of no frame (RunError, bugs).
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
