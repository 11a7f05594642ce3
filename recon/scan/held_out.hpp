#pragma once

#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// A division of the samples of one frame, for cross-validation: the image of those that are kept
/// predicts those that are held out.
struct HeldOut {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> held; ///< none of weight 0
};

/// Holds out about an eighth of a sampling, in pieces of up to 8 cycles/FOV along the readouts: a
/// single sample is predicted by its neighbours, whatever the image is; of a whole readout little
/// can be predicted where the next one is far (docs/maths.md). Pieces are sorted by |k|, and one of
/// eight that follow each other is drawn, so that every shell of k-space is predicted; those within
/// a cycle/FOV of the centre are kept, without which there is no image. The draw is pseudo-random,
/// the same on every machine. Pieces that were sampled twice are held out together.
HeldOut hold_out(const Sampling& sampling);

} // namespace lsrecon
