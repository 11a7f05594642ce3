// The frames of a source as the steps of preparation change them.

#pragma once

#include <functional>
#include <map>
#include <vector>

#include "scan/coil_transform.hpp"
#include "scan/scan.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// A change that a step of preparation makes to a frame with its samples, before coils are mixed.
using FrameChange = std::function<void(std::size_t index, Frame& frame)>;

/// The frames of a source as the steps of preparation have changed them: their samples, the
/// trajectories that the scan has now, and mixed coils.
class PreparedFrames {
public:
    /// The source and its scan must outlive it.
    PreparedFrames(FrameSource& source, const Scan& scan) : source_(source), scan_(scan) {}

    /// Changes each frame once more, after the changes so far.
    void change(FrameChange change);
    /// Mixes the coils once more, after the mixing so far.
    void mix(const CoilTransform& mixing);
    const CoilTransform& mixing() const { return mixing_; } ///< a matrix without rows for no mixing
    /// Makes a frame of each of the coils of each frame, after all changes.
    void separate(std::size_t coils);
    std::size_t coils_apart() const { return coils_apart_; } ///< 1 where they are together

    std::size_t first_good() const { return source_.first_good() * coils_apart_; }
    bool is_bad(std::size_t index) const { return source_.bad().count(index / coils_apart_) > 0; }
    /// The frames of a slice that can be used, in the order of their indices.
    std::vector<std::size_t> good_of(const Slice& slice) const;

    /// visit(frame with its samples), which is kept.
    template <typename Visit> auto look_at(std::size_t index, const Visit& visit) {
        struct Kept {
            PreparedFrames& frames;
            std::size_t index;
            Frame frame;
            ~Kept() { frames.keep(index, std::move(frame)); }
        };
        const Kept kept{*this, index, take(index)};
        return visit(kept.frame);
    }
    /// A frame with its samples. The only frame of a scan can be taken once. InputError when it
    /// cannot be read.
    Frame take(std::size_t index);
    /// Keeps a frame until it is taken again: the first good one, and others as long as all fit
    /// into most_kept_bytes().
    void keep(std::size_t index, Frame frame);
    static double most_kept_bytes();
    /// Releases the samples of a frame that takes more than that.
    static void release_large(Frame& frame);

private:
    Frame read(std::size_t index);
    Frame coil_of(std::size_t index);

    FrameSource& source_;
    const Scan& scan_;
    std::vector<FrameChange> changes_;
    CoilTransform mixing_;
    std::map<std::size_t, Frame> kept_;
    std::size_t coils_apart_ = 1; ///< frames that each one of the source is now
    std::map<std::size_t, Frame> whole_; ///< the last one of the source that was read for them
};

} // namespace lsrecon
