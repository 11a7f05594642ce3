#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/report.hpp"
#include "encoding/choose_weight.hpp"
#include "encoding/normal_equations.hpp"
#include "encoding/qs_of_run.hpp"
#include "model/model_check.hpp"
#include "model/prepared_scan.hpp"
#include "reconstruct.hpp"

namespace lsrecon {

/// What all turns of a run have: all but `how` is there from the start.
struct Run {
    PreparedScan& prepared;
    Transforms& transforms;
    QsOfRun& qs;
    const FormulationOptions& formulation_options;
    const ReconstructOptions& asked;
    SolveOptions how; ///< settled; lambda is the smallest until it is chosen
    ModelCheck& model_check;
    Reporter& report;
    double frames_of_each; ///< sampling, on average; 0 where Q is given

    const Scan& scan() const { return prepared.scan(); }
};

/// The turn of a place: its model, and what the equations of its frames share.
class PlaceTurn {
public:
    /// InputError when the model cannot be made. Both must outlive it.
    PlaceTurn(const Run& run, const Place& place);
    PlaceTurn(const PlaceTurn&) = delete;

    const Place& place;
    const Model model;
    const Formulation formulation;
    PlaceEquations equations;
    bool is_compared = false; ///< whether the check of the model has seen this place
};

/// The turn of a sampling at a place.
struct SamplingTurn {
    SamplingTurn(const Run& run, PlaceTurn& of, const Sampling& by);

    PlaceTurn& here;
    const Sampling& sampling;
    NormalEquations equations;
    double amplification = 0; ///< of encoding/lambda_curve.hpp; 0 where no frame needed it
};

/// Makes what the first frame of the turns needs, where they have not begun.
void begin(const Run& run, const Place& place, const Sampling& sampling,
           std::unique_ptr<PlaceTurn>& here, std::unique_ptr<SamplingTurn>& turn);

/// The turn of a frame: its samples have become F^H d.
struct FrameTurn {
    Frame frame; ///< without samples
    std::vector<Volume> fhd;
    double energy = 0; ///< of the samples: ||W^1/2 d||^2
    Certificate certificate = {}; ///< of F^H d
    double most_noise =
        0; ///< the most of `energy` that noise can be where none was measured; else 0
};

/// Reads a frame and transforms it. The model of its place is compared with others by the first
/// good frame, whichever is at hand: a run that is resumed says the same.
FrameTurn begin_frame(const Run& run, SamplingTurn& turn, std::size_t frame);

/// The image of a frame and what is known of its error.
ImageFrame solve_frame(const Run& run, SamplingTurn& turn, FrameTurn& of_frame,
                       const Monitor& monitor);
/// The same of a frame that was solved; over so many unknowns errors of F^H d are spread.
ImageFrame image_of(const Run& run, const Frame& frame, const Solved& solved, double error,
                    const Certificate& certificate, std::size_t unknowns);
/// What is known of the error of a frame before it is solved, by ||F^H d|| / (Q(0) ||rho||) of an
/// image like its own, and lambda. Refined as after the solve, or without the work that it takes.
ImageFrame errors_by_gain(const Run& run, SamplingTurn& turn, FrameTurn& of_frame, double gain,
                          bool refined);
/// Coil maps of the model were divided by a number, and so is the image now.
ImageFrame in_units_of_maps(ImageFrame image, const Model& model);

/// A turn that ran before the loop, in which a number was chosen: the loop goes on with it.
struct TurnAhead {
    std::size_t frame = 0;
    std::unique_ptr<PlaceTurn> place;
    std::unique_ptr<SamplingTurn> sampling;
    std::optional<FrameTurn> of_frame; ///< with its samples until go_on_with()

    /// Drops what the transforms made: the samples stay, which may be read once.
    void drop_transformed();
    /// Gives up the turn that was made ahead if it is this one, else null.
    std::unique_ptr<PlaceTurn> take(const Place& of);
    std::unique_ptr<SamplingTurn> take(const PlaceTurn& here, const Sampling& of);
    std::optional<FrameTurn> take(std::size_t of);
};

/// Chooses lambda for all frames by a bright one (encoding/choose_lambda.hpp).
LambdaCurve choose_lambda_ahead(const Run& run, const RuleChoice& rule, TurnAhead& ahead);
/// Chooses among candidates for all frames by the same (encoding/choose_weight.hpp).
ChosenSettings choose_weight_ahead(const Run& run, const std::vector<Candidate>& candidates,
                                   TurnAhead& ahead);
/// Begins the turns of the frame ahead again, or of the first good one; false where it is refused.
bool look_ahead(const Run& run, TurnAhead& ahead);
/// Puts what the run has chosen into the equations.
void put_choices(const Run& run, TurnAhead& ahead);
/// Drops the samples, and the turns of place and sampling that the loop does not begin with: their
/// memory. F^H d waits for its frame.
void go_on_with(TurnAhead& ahead, const Run& run);

} // namespace lsrecon
