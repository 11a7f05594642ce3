#pragma once

#include <functional>
#include <optional>

#include "base/computation.hpp"
#include "base/error.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The destination of finished frames: a file (reconstruct_file.hpp) or a caller.
class ImageSink {
public:
    virtual ~ImageSink() = default;

    /// Checks the scan before any work, as it is transformed. InputError when the sink cannot hold
    /// its image.
    virtual void check(const Scan& /*scan*/) {}
    /// What an earlier run, which is continued, had chosen by the samples of this scan, as
    /// keep_chosen() was given it; "" for none. After check().
    virtual std::string chosen(const Scan& /*scan*/) { return ""; }
    virtual void keep_chosen(std::string /*bytes*/) {}
    /// Begins before the first frame, with the settings of the solve. `by_frame` is whether each
    /// frame is solved alone: one that is put is done with. The scan has all of its findings.
    virtual void begin(const Scan& /*scan*/, const Record& /*settings*/, bool /*by_frame*/) {}
    /// The entry of a frame that need not be solved again; nothing for all others.
    virtual std::optional<ImageFrame> finished(std::size_t /*frame*/) { return std::nullopt; }
    /// A frame that is solved. Errors are those of the frame, but for RunError.
    virtual void put(std::size_t frame, ImageFrame image) = 0;
    /// Ends after the last frame, with all that is known of the image but its values and the
    /// record.
    virtual void end(const Scan& /*scan*/, const Image& /*about*/, const ComputedBy& /*by*/) {}
};

/// Hands each frame to a function.
class FramesToCaller : public ImageSink {
public:
    using Take = std::function<void(std::size_t frame, ImageFrame image)>;
    explicit FramesToCaller(Take take) : take_(std::move(take)) {}
    void put(std::size_t frame, ImageFrame image) override { take_(frame, std::move(image)); }

private:
    Take take_;
};

} // namespace lsrecon
