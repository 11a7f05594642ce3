// The settings of a run: as asked for, as an earlier run chose them, or by the reference frame; and
// what is known of the image that they made.

#pragma once

#include "reconstruct_scopes.hpp"
#include "scan/image.hpp"
#include "schedule/frame_results.hpp"

namespace lsrecon {

/// What a run chooses by the samples of one frame.
struct Choices {
    std::optional<ChosenSettings> weight; ///< or lambda, by held-out samples
    std::optional<LambdaCurve> curve; ///< of lambda, by another rule
    template <typename Archive> void each(Archive& archive) { archive(weight, curve); }
};

/// How all frames of a run are solved.
struct Settings {
    SolveOptions solve;
    Compute compute;
    Choices choices;
    MemoryBudget room = {}; ///< of frames that are solved together
    std::string kept = {}; ///< for a run that continues this one

    bool are_for_all_frames_together() const { return need_all_frames(solve.regularisers); }
};

/// Whether numbers are chosen by samples.
bool is_any_chosen(const Run& run);

/// The reference frame, by which settings are chosen for all others: the first good one, or where
/// numbers are chosen by samples the one of some whose samples have the most energy. A slice at the
/// edge, or a contrast without signal, has too large a lambda for all others.
std::size_t reference_frame(const Run& run);

/// How the pass that chooses computes. All must outlive it.
Compute compute_to_choose_by(const Run& run, Transforms& requested, const Formulation& formulation);

/// Chooses regularisers and their weight, or lambda, by a frame whose samples are there. Where the
/// transforms as they are would show in the image, or hide the lambda that is best, other settings
/// have more exact ones, which is a note; a lambda that was hidden is chosen again. What the user
/// asks for, `asked`, stays. The scope and F^H d of the frame are made anew with other transforms.
/// All ranks choose the same, by the same frame.
Settings choose_settings(const Run& run, const ComputeOptions& requested,
                         const Formulation& formulation, Compute compute,
                         std::unique_ptr<TrajectoryScope>& at, FrameData& data);

/// The settings where the request says all: no number is chosen, and no frame has to show whether
/// the transforms are exact enough.
std::optional<Settings> settings_of_request(const Run& run, const Compute& compute,
                                            const Formulation& formulation);

/// The settings of an earlier run that this one continues; none where there are none, or where the
/// device cannot compute like that.
std::optional<Settings> settings_of_part(const Run& run, ImageSink& sink, Transforms& transforms,
                                         const Formulation& formulation);

/// Adds the noise map of a frame that was solved, if it is asked for.
void add_noise_map(Image& about, TrajectoryScope& at, const FrameData& data,
                   const Settings& settings, const FrameResults& frames);

/// What is known of an image once all frames are there: adds numbers, tables and the noise map,
/// where no frame had one, and reports what a user should know of the solves.
SolveSummary summarise(Image& about, const Run& run, const Settings& settings,
                       const Formulation& formulation, const FrameResults& frames);

} // namespace lsrecon
