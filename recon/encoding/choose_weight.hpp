// The choice of regularisers, and of a weight or lambda, by samples that are held out.

#pragma once

#include "base/report.hpp"
#include "encoding/least_squares.hpp"
#include "scan/image.hpp"
#include "solve/curves.hpp"

namespace lsrecon {

/// A way to solve, one number of which is to be chosen.
struct Candidate {
    /// A weight of 0 stands for the one that is chosen.
    Regularisers regularisers;
    double lambda = 0;
    bool by_lambda = false; ///< lambda is chosen, and all regularisers have a weight

    /// Whether regularisers have a weight that is chosen. Where neither they nor lambda have, this
    /// is the image to compare others with.
    bool has_open_weight() const;
    std::string name() const; ///< WeightCurve::name
};

/// About how many iterations of splitting choose the weight of a candidate.
constexpr int usual_iterations_of_weight = 24;
/// About how many iterations of conjugate gradients choose lambda.
constexpr int usual_iterations_of_lambda = 40;

/// How many virtual coils choose, in most scans: with coil maps, and where each is solved alone.
constexpr std::size_t usual_coils_of_weight = 3;
constexpr std::size_t coils_alone_of_weight = 2;

/// How many frames choose, at most, of a slice whose frames are solved together.
constexpr std::size_t most_frames_of_weight = 8;

/// Whether a choice is by the frames of a slice together: one of the candidates couples them.
bool any_needs_all_frames(const std::vector<Candidate>& candidates);

/// The slice that held-out samples of some of its frames choose for.
struct SliceToWeigh {
    Transforms& transforms;
    const ImageSpace& images;
    KnownImage known;
    Route route;
};

/// Chooses among candidates, and the weight of the best, by cross-validation: an eighth of the
/// samples is held out (scan/trajectories.hpp), and the images of the others, weight by weight from
/// large to small, each begun with the one before, predict it. The frame has its samples, or those
/// of a slice that are solved together have theirs, in time. `chosen_from` says of which frame, ""
/// where there is one. The stage "weight". Where too few samples can be held out, usual weights are
/// taken, with a note.
ChosenSettings choose_weight(const std::vector<Candidate>& candidates,
                             const std::vector<const Frame*>& frames, const SliceToWeigh& slice,
                             const SolveOptions& options, const std::string& chosen_from,
                             Reporter& report);

/// The curves and the choice, for the record.
void add_weight_curves(Image& image, const ChosenSettings& chosen);

} // namespace lsrecon
