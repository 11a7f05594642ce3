// The trajectories of a scan's frames: those that frames share, and the division of one for
// cross-validation.

#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// Finds frames of one trajectory, in any order, by a hash of what their trajectories hold: they
/// share one Trajectory, so that Q is computed once for all of them.
class TrajectoryPool {
public:
    /// An equal one that was shared before, or else this one.
    std::shared_ptr<const Trajectory> share(Trajectory trajectory);

private:
    std::unordered_multimap<std::size_t, std::shared_ptr<const Trajectory>> known_;
};

/// Each sampling of the frames once, in the order in which they first occur.
std::vector<const Trajectory*> trajectories_of(const std::vector<Frame>& frames);

/// The indices of all frames, those of one trajectory one after the other: what is made for a
/// sampling, as Q, is then made once and let go before the next.
std::vector<std::size_t> by_trajectory(const std::vector<Frame>& frames);

/// A division of the samples of one frame, for cross-validation: the image of those that are kept
/// predicts those that are held out.
struct HeldOut {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> held; ///< none of weight 0
};

/// Holds out about an eighth of a trajectory, in pieces of up to 8 cycles/FOV along the readouts: a
/// single sample is predicted by its neighbours, whatever the image is; of a whole readout little
/// can be predicted where the next one is far (docs/maths.md). Pieces are sorted by |k|, and one of
/// eight that follow each other is drawn, so that every shell of k-space is predicted; those within
/// a cycle/FOV of the centre are kept, without which there is no image. The draw is pseudo-random,
/// the same on every machine. Pieces that were sampled twice are held out together.
HeldOut hold_out(const Trajectory& trajectory);

} // namespace lsrecon
