#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "scan/coil_mixing.hpp"
#include "scan/frame_source.hpp"
#include "scan/place.hpp"

namespace lsrecon {

/// What a step of preparation makes of a frame with its samples, before coils are mixed.
using FrameChange = std::function<void(std::size_t index, Frame& frame)>;

/// The frames of a source as the steps of preparation have changed them: their samples, the
/// samplings that the scan has now, and mixed coils.
class MixedFrames {
public:
    /// The source and its scan must outlive it.
    MixedFrames(FrameSource& source, const Scan& scan) : source_(source), scan_(scan) {}

    /// Changes each frame once more, after the changes so far.
    void change(FrameChange change);
    /// Mixes the coils once more, after the mixing so far.
    void mix(const CoilMixing& mixing);
    const CoilMixing& mixing() const { return mixing_; } ///< a matrix without rows for no mixing

    std::size_t first_good() const { return source_.first_good(); }
    bool is_bad(std::size_t index) const { return source_.bad().count(index) > 0; }
    /// The frames of a place that can be used, in the order of their indices.
    std::vector<std::size_t> good_of(const Place& place) const;

    /// visit(frame with its samples). The first good one stays in memory until it is taken.
    template <typename Visit> auto look_at(std::size_t index, const Visit& visit) {
        if (index != first_good()) {
            return visit(read(index));
        }
        if (!first_) {
            first_ = read(index);
        }
        first_->sampling = scan_.frames[index].sampling;
        return visit(*first_);
    }
    /// A frame with its samples. The only frame of a scan can be taken once. InputError when it
    /// cannot be read.
    Frame take(std::size_t index);

private:
    Frame read(std::size_t index);

    FrameSource& source_;
    const Scan& scan_;
    std::vector<FrameChange> changes_;
    CoilMixing mixing_;
    std::optional<Frame> first_; ///< good one, until it is taken
};

} // namespace lsrecon
