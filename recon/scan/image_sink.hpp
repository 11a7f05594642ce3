#pragma once

#include <functional>
#include <optional>

#include "base/error.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// Where frames go as they are done: into a file (reconstruct_file.hpp) or to a caller.
class ImageSink {
public:
    virtual ~ImageSink() = default;

    /// Before any work. The scan is as it is transformed. InputError when the sink cannot hold its
    /// image.
    virtual void check(const Scan& /*scan*/) {}
    /// Before the first frame, with the settings of the solve. The scan has all of its remarks.
    virtual void begin(const Scan& /*scan*/, const Record& /*settings*/) {}
    /// What is known of a frame that need not be solved again; nothing of all others.
    virtual std::optional<ImageFrame> finished(std::size_t /*frame*/) { return std::nullopt; }
    /// A frame that is solved. Errors are those of the frame, but for RunError.
    virtual void put(std::size_t frame, ImageFrame image) = 0;
    /// After the last frame, with all that is known of the image but its values and the record.
    virtual void end(const Scan& /*scan*/, const Image& /*about*/) {}
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
