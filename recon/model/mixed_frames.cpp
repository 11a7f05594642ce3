#include "model/mixed_frames.hpp"

#include <algorithm>
#include <iterator>

namespace lsrecon {

std::vector<std::size_t> MixedFrames::good_of(const Place& place) const {
    const std::vector<std::size_t> frames = place.frames();
    std::vector<std::size_t> good;
    std::copy_if(frames.begin(), frames.end(), std::back_inserter(good),
                 [&](std::size_t f) { return !is_bad(f); });
    std::sort(good.begin(), good.end());
    return good;
}

void MixedFrames::change(FrameChange change) {
    if (first_) {
        change(first_good(), *first_);
    }
    changes_.push_back(std::move(change));
}

void MixedFrames::mix(const CoilMixing& mixing) {
    mixing_ = mixing_.rows() > 0 ? CoilMixing(mixing * mixing_) : mixing;
    if (first_) {
        first_->samples = mixed(mixing, first_->samples);
    }
}

Frame MixedFrames::read(std::size_t index) {
    Frame frame = source_.frame(index);
    for (const FrameChange& change : changes_) {
        change(index, frame);
    }
    frame.sampling = scan_.frames[index].sampling;
    if (mixing_.rows() > 0) {
        frame.samples = mixed(mixing_, frame.samples);
    }
    return frame;
}

Frame MixedFrames::take(std::size_t index) {
    const bool known = first_ && index == first_good();
    Frame frame = known ? std::move(*first_) : read(index);
    if (known) {
        first_.reset();
        frame.sampling = scan_.frames[index].sampling;
    }
    return frame;
}

} // namespace lsrecon
