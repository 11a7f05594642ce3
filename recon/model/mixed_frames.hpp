#pragma once

#include <optional>

#include "model/geometry.hpp"
#include "scan/coil_mixing.hpp"
#include "scan/frame_source.hpp"
#include "scan/place.hpp"

namespace lsrecon {

/// The frames of a source on another grid and with mixed coils, where that is asked for.
class MixedFrames {
public:
    /// The source must outlive it.
    explicit MixedFrames(FrameSource& source) : source_(source) {}

    void change_geometry(Geometry geometry) { geometry_.emplace(std::move(geometry)); }
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
        return visit(*first_);
    }
    /// A frame with its samples. The only frame of a scan can be taken once. InputError when it
    /// cannot be read.
    Frame take(std::size_t index);

private:
    Frame read(std::size_t index);

    FrameSource& source_;
    std::optional<Geometry> geometry_;
    CoilMixing mixing_;
    std::optional<Frame> first_; ///< good one, until it is taken
};

} // namespace lsrecon
