#pragma once

#include "plan/settle.hpp"
#include "reconstruct_turns.hpp"
#include "scan/image_sink.hpp"

namespace lsrecon {

/// What a run chooses by its samples before its loop.
struct Choices {
    std::optional<ChosenSettings> weight; ///< or lambda, by held-out samples
    std::optional<LambdaCurve> curve; ///< of lambda, by another rule
    template <typename Archive> void each(Archive& archive) { archive(weight, curve); }
};

/// Chooses regularisers and their weight, then lambda, and settles the run. Where the transforms as
/// they are would show in the image, or hide the lambda that is best, they compute more exactly
/// from here on, which is a note; a lambda that was hidden is chosen again. What the user asks for
/// stays. All ranks decide alike, by the same frame. The sink keeps what was chosen, and a run that
/// continues another takes it from there.
Choices choose_by_samples(Run& run, const Formulation& formulation, const SolveFacts& facts,
                          ImageSink& sink, TurnAhead& ahead);

} // namespace lsrecon
