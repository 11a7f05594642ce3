#include "io/image_sink.hpp"

#include "base/error.hpp"
#include "base/largest_part.hpp"
#include "io/image_file.hpp"

namespace lsrecon {

ImageSink::ImageSink(const std::string& image, const Scan& scan, Identity identity, bool resume)
    : image_(image), voxels_(scan.voxels ? scan.voxels->size() : scan.grid.voxels()),
      position_(scan.frames.size()) {
    if (scan.frames.size() == 1) {
        return;
    }
    part_.emplace(image, std::move(identity), resume);
    for (const FinishedFrame& frame : part_->frames()) {
        if (frame.index < position_.size()) {
            position_[frame.index] = resumed_++;
        }
    }
    promise();
}

/// "7 of 20 frames are kept in image.h5.part"; "" where none is.
std::string ImageSink::kept() const {
    const std::size_t done = part_ ? part_->frames().size() : 0;
    return done == 0 ? ""
                     : text(done, " of ", position_.size(), " frames are kept in ", part_->path(),
                            "\n  next:     the same command with --resume solves the others");
}

/// What the user reads when a signal ends the program from now on.
void ImageSink::promise() {
    promise_.reset();
    if (!kept().empty()) {
        promise_.emplace("lsrecon: stopped by a signal; " + kept() + "\n");
    }
}

void ImageSink::fill(const std::function<void()>& solve_frames, Reporter& report) {
    try {
        solve_frames();
    } catch (const ToleranceError&) {
        remove_part();
        throw;
    } catch (const Error&) {
        if (!kept().empty()) {
            report.note(kept());
        }
        throw;
    }
    try {
        require_an_image(largest_part());
    } catch (const Error&) {
        remove_part();
        throw;
    }
}

void ImageSink::add(std::size_t frame, ImageFrame image) {
    LargestPart largest;
    largest.add(image.values);
    require_finite_image(largest.value());
    if (largest.value() > static_cast<double>(std::numeric_limits<float>::max())) {
        require_an_image(largest.value());
    }
    FinishedFrame finished{frame, {}, to_floats(image.values), largest.value()};
    image.values.resize(0);
    finished.image = std::move(image);
    if (!part_) {
        single_ = std::move(finished);
        position_[frame] = 0;
        return;
    }
    position_[frame] = part_->frames().size();
    part_->add(std::move(finished));
    promise();
}

const FinishedFrame& ImageSink::finished(std::size_t frame) const {
    return part_ ? part_->frames()[position_[frame].value()] : single_.value();
}

std::vector<ImageFrame> ImageSink::frames() const {
    std::vector<ImageFrame> frames;
    for (std::size_t f = 0; f < position_.size(); ++f) {
        frames.push_back(finished(f).image);
    }
    return frames;
}

FrameValues ImageSink::values() const {
    return [this](std::size_t frame) {
        return part_ ? part_->values(position_[frame].value()) : single_.value().values;
    };
}

double ImageSink::largest_part() const {
    LargestPart largest;
    for (std::size_t f = 0; f < position_.size(); ++f) {
        largest.add(&finished(f).largest_part, 1);
    }
    return largest.value();
}

void ImageSink::remove_part() {
    promise_.reset();
    if (part_) {
        part_->remove();
    }
}

} // namespace lsrecon
