#pragma once

#include "base/report.hpp"
#include "encoding/normal_equations.hpp"
#include "scan/image.hpp"
#include "solve/weight_curve.hpp"

namespace lsrecon {

/// How many iterations of splitting choose the weight of a candidate, in most scans.
constexpr int usual_iterations_of_weight = 40;

/// How many frames choose, at most, of a place whose frames are solved together.
constexpr std::size_t most_frames_of_weight = 8;

/// Whether a choice is by the frames of a place together: one of the candidates couples them.
bool any_needs_all_frames(const std::vector<Regularisers>& candidates);

/// Chooses among candidates, each with one regulariser whose weight is 0, and this weight, by
/// cross-validation: an eighth of the samples is held out (scan/held_out.hpp), and the images of
/// the others, weight by weight from large to small, each begun with the one before, predict it.
/// With `may_be_none` the image without a regulariser is a candidate, too. The frame has its
/// samples, or those of a place that are solved together have theirs, in time; the equations are
/// those of their place and engine. The stage "weight". InputError where
/// nothing is left to predict.
ChosenWeight choose_weight(const std::vector<Regularisers>& candidates, bool may_be_none,
                           const Scan& scan, const std::vector<const Frame*>& frames,
                           const CommonToFrames& of_place, Route route, const SolveOptions& options,
                           Reporter& report);

/// The curves and the choice, for the record.
void add_weight_curves(Image& image, const ChosenWeight& chosen);

} // namespace lsrecon
