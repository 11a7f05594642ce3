#include "prepare/mixed_frames.hpp"

namespace lsrecon {

void MixedFrames::mix(const CoilMixing& mixing) {
    mixing_ = mixing_.rows() > 0 ? CoilMixing(mixing * mixing_) : mixing;
    if (first_) {
        first_->samples = mixed(mixing, first_->samples);
    }
}

Frame MixedFrames::read(std::size_t index) {
    Frame frame = source_.frame(index);
    if (geometry_) {
        geometry_->apply(index, frame);
    }
    if (mixing_.rows() > 0) {
        frame.samples = mixed(mixing_, frame.samples);
    }
    return frame;
}

Frame MixedFrames::take(std::size_t index) {
    if (!first_ || index != first_good()) {
        return read(index);
    }
    Frame frame = std::move(*first_);
    first_.reset();
    return frame;
}

} // namespace lsrecon
