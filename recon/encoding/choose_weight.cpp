#include "encoding/choose_weight.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "encoding/joint.hpp"
#include "encoding/misfit.hpp"
#include "encoding/solvers.hpp"
#include "operators/q.hpp"
#include "scan/held_out.hpp"

namespace lsrecon {

namespace {

constexpr double largest_weight = 0.128;
constexpr double smallest_weight = 0.00025;
constexpr double step = 0.5;
/// Iterations of splitting with each weight: they begin near their solution.
constexpr int iterations_of_step = 5;

/// The samples of frames in two parts each, and the equations of the part that is kept.
class Prediction {
public:
    /// A frame, or those of a place that are solved together.
    Prediction(const CommonToFrames& common, const std::vector<const Frame*>& frames, Route route,
               Listener listener)
        : place_(common), route_(route), listener_(listener) {
        for (const Frame* const frame : frames) {
            of_frames_.push_back(std::make_unique<OfFrame>(*frame));
            energy_ += of_frames_.back()->energy;
        }
        place_.common.certified = Certified::never;
        place_.common.make_q = [this](const Sampling& sampling) { return q_of(sampling); };
    }
    Prediction(const Prediction&) = delete;

    bool is_possible() const {
        return energy_ > 0 &&
               std::none_of(of_frames_.begin(), of_frames_.end(),
                            [](const auto& frame) { return frame->kept.samples.columns() == 0; });
    }
    std::size_t frames() const { return of_frames_.size(); }

    /// The error of the images of each frame, relative to the samples that they predict.
    double error_of(const std::vector<const std::vector<ComplexVector>*>& images) {
        double misfit = 0;
        for (std::size_t f = 0; f < frames(); ++f) {
            OfFrame& frame = *of_frames_[f];
            if (!frame.predicting) {
                frame.predicting.emplace(place_, *frame.held.sampling, Route::transforms);
            }
            misfit += frame.predicting->misfit(frame.held.samples, *images[f], {});
        }
        return std::sqrt(misfit / energy_);
    }

    /// The equations of what is kept of a frame, with other regularisers.
    NormalEquations& equations(std::size_t f, const Regularisers& regularisers) {
        OfFrame& frame = *of_frames_[f];
        place_.common.regularisers = regularisers;
        frame.equations.emplace(place_, *frame.kept.sampling, route_);
        if (frame.fhd.empty()) {
            frame.fhd = frame.equations->fhd(frame.kept.samples, listener_);
        }
        return *frame.equations;
    }
    const std::vector<Volume>& fhd(std::size_t f) const { return of_frames_[f]->fhd; }

private:
    struct OfFrame {
        explicit OfFrame(const Frame& frame) : OfFrame(frame, hold_out(*frame.sampling)) {}
        OfFrame(const Frame& frame, const HeldOut& parts)
            : kept(subset(frame, parts.kept)), held(subset(frame, parts.held)),
              energy(energy_of(*held.sampling, held.samples)) {}

        Frame kept;
        Frame held;
        double energy; ///< of what is held out
        std::optional<Q> q;
        std::optional<NormalEquations> equations;
        std::optional<NormalEquations> predicting;
        std::vector<Volume> fhd;
    };

    const Q& q_of(const Sampling& sampling) {
        const auto found =
            std::find_if(of_frames_.begin(), of_frames_.end(), [&](const auto& frame) {
                return frame->kept.sampling.get() == &sampling;
            });
        OfFrame& frame = **found;
        if (!frame.q) {
            frame.q = compute_q(place_.common.transforms, sampling, place_.common.formulation.grid,
                                listener_);
        }
        return *frame.q;
    }

    PlaceEquations place_;
    Route route_;
    Listener listener_;
    double energy_ = 0; ///< of all that is held out
    std::vector<std::unique_ptr<OfFrame>> of_frames_;
};

/// The candidate with this weight where it has none: of one regulariser, or the same of several.
Regularisers with_weight(Regularisers candidate, double weight) {
    for (RegulariserChoice& choice : candidate) {
        choice.weight = choice.weight == 0 ? weight : choice.weight;
    }
    return candidate;
}

/// The indices of regularisers whose weight is to be chosen.
std::vector<std::size_t> open_ones(const Regularisers& candidate) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
        if (candidate[i].weight == 0) {
            open.push_back(i);
        }
    }
    return open;
}

Regularisers without_open_ones(Regularisers candidate) {
    candidate.erase(std::remove_if(candidate.begin(), candidate.end(),
                                   [](const auto& choice) { return choice.weight == 0; }),
                    candidate.end());
    return candidate;
}

SolveOptions of_a_step(SolveOptions options) {
    options.monitor = nullptr;
    options.iterations = iterations_of_step;
    return options;
}

/// The images of one candidate on their way from weight to weight: of one frame, one a problem.
class PathOfOne {
public:
    PathOfOne(Prediction& prediction, const Regularisers& candidate, const SolveOptions& options)
        : prediction_(prediction), options_(of_a_step(options)), open_(open_ones(candidate)) {
        NormalEquations& equations = prediction.equations(0, with_weight(candidate, usual_weight));
        System* const device = solver_of(options).on_device ? equations.on_device() : nullptr;
        system_ = device != nullptr ? device : &equations.on_reference();
        for (const Volume& b : prediction.fhd(0)) {
            images_.push_back(system_->first_image(b) / system_->unit());
            scales_.push_back(system_->unit() * images_.back().cwiseAbs().maxCoeff());
        }
    }

    double prediction() const { return prediction_.error_of({&images_}); }

    double prediction_with(double weight) {
        for (const std::size_t term : open_) {
            system_->set_weight(term, weight);
        }
        for (std::size_t p = 0; p < images_.size(); ++p) {
            images_[p] = system_
                             ->solve_from(system_->unit() * images_[p], scales_[p],
                                          prediction_.fhd(0)[p], options_)
                             .x;
        }
        return prediction();
    }

private:
    Prediction& prediction_;
    SolveOptions options_;
    std::vector<std::size_t> open_; ///< whose weight is chosen
    System* system_;
    std::vector<ComplexVector> images_;
    std::vector<double> scales_; ///< their largest voxels
};

/// The same of frames that are solved together.
class PathOfFrames {
public:
    PathOfFrames(Prediction& prediction, const Regularisers& candidate, const SolveOptions& options,
                 Reporter& report)
        : prediction_(prediction), options_(of_a_step(options)), open_(open_ones(candidate)),
          path_(begin(prediction, with_weight(candidate, usual_weight), report)) {}

    double prediction() const {
        std::vector<const std::vector<ComplexVector>*> images;
        for (std::size_t f = 0; f < prediction_.frames(); ++f) {
            images.push_back(&path_.images(f));
        }
        return prediction_.error_of(images);
    }

    double prediction_with(double weight) {
        for (const std::size_t term : open_) {
            path_.set_weight(term, weight);
        }
        path_.go_on(options_);
        return prediction();
    }

private:
    static std::vector<JointFrame> begin(Prediction& prediction, const Regularisers& candidate,
                                         Reporter& report) {
        SharedWorkspaces shared;
        std::vector<JointFrame> frames(prediction.frames());
        for (std::size_t f = 0; f < frames.size(); ++f) {
            NormalEquations& equations = prediction.equations(f, candidate);
            frames[f].system = equations.kept_system(shared, report);
            frames[f].fhd = prediction.fhd(f);
        }
        return frames;
    }

    Prediction& prediction_;
    SolveOptions options_;
    std::vector<std::size_t> open_; ///< whose weight is chosen
    JointPath path_;
};

std::string name_of(const Regularisers& candidate) {
    std::string name;
    for (const std::size_t term : open_ones(candidate)) {
        name += (name.empty() ? "" : "_") + candidate[term].name;
    }
    return name;
}

/// `near` is the best weight of a candidate that is like it, 0 for the first: those of tv and
/// wavelet are within a factor of four (scripts/study_weights.py).
template <typename Path>
WeightCurve curve_of(Path& path, const Regularisers& candidate, double near) {
    constexpr double far_above = 8;
    WeightCurve curve{name_of(candidate), {}};
    for (double weight = largest_weight; weight >= smallest_weight && !has_risen(curve);
         weight *= step) {
        if (near == 0 || weight <= far_above * near) {
            curve.points.push_back({weight, path.prediction_with(weight)});
        }
    }
    return curve;
}

/// The weight in two digits: more would not change what one sees.
double in_two_digits(double weight) {
    return std::stod(rounded(weight));
}

[[noreturn]] void refuse(const Scan& scan, const Regularisers& any, const std::string& found) {
    throw InputError({scan.file, "weight of `reg` " + in_words(any), found,
                      "samples that the image of the others predicts",
                      "give the weight: `reg` " + in_words(with_weight(any, 0.02))});
}

/// Tries all candidates, by the same frames.
void try_all(const std::vector<Regularisers>& candidates, Prediction& prediction,
             const SolveOptions& options, Reporter& report, ChosenWeight& chosen) {
    const bool together = any_needs_all_frames(candidates);
    double best = std::numeric_limits<double>::infinity();
    double near = 0;
    for (const Regularisers& candidate : candidates) {
        const auto follow = [&](auto path) {
            if (chosen.curves.empty()) {
                chosen.without = path.prediction();
            }
            chosen.curves.push_back(
                curve_of(path, candidate, need_all_frames(candidate) ? 0 : near));
        };
        if (together) {
            follow(PathOfFrames(prediction, candidate, options, report));
        } else {
            follow(PathOfOne(prediction, candidate, options));
        }
        const WeightPoint here = best_weight(chosen.curves.back());
        near = here.weight;
        if (here.prediction < best) {
            best = here.prediction;
            chosen.prediction = best;
            chosen.regularisers = with_weight(candidate, in_two_digits(here.weight));
        }
    }
}

/// Why there is no choice; "" where there is one.
std::string no_choice(const ChosenWeight& chosen, bool may_be_none) {
    constexpr double nothing =
        0.99; // of what is held out is predicted by an image of zeros as well
    if (chosen.curves.empty()) {
        return "no signal in the samples that are held out";
    }
    if (chosen.prediction > nothing) {
        return text("held-out samples are predicted with an error of ",
                    rounded(100 * chosen.prediction), " %, as by no image");
    }
    return may_be_none && chosen.without <= chosen.prediction
               ? "held-out samples are predicted best without a regulariser"
               : "";
}

} // namespace

bool any_needs_all_frames(const std::vector<Regularisers>& candidates) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [](const Regularisers& one) { return need_all_frames(one); });
}

ChosenWeight choose_weight(const std::vector<Regularisers>& candidates, bool may_be_none,
                           const Scan& scan, const std::vector<const Frame*>& frames,
                           const CommonToFrames& of_place, Route route, const SolveOptions& options,
                           Reporter& report) {
    const Stage stage(report, "weight");
    ChosenWeight chosen;
    Prediction prediction(of_place, frames, route, report);
    if (prediction.is_possible()) {
        try_all(candidates, prediction, options, report, chosen);
    }
    const std::string why_not = no_choice(chosen, may_be_none);
    if (!why_not.empty() && !may_be_none) {
        refuse(scan, candidates.front(), why_not);
    }
    if (!why_not.empty()) {
        chosen.regularisers = without_open_ones(candidates.front());
    }
    report.tell(why_not.empty()
                    ? text(in_words(chosen.regularisers), ": held-out samples are predicted ",
                           rounded(chosen.without / chosen.prediction),
                           " times better than without a regulariser")
                    : "no regulariser: " + why_not);
    return chosen;
}

void add_weight_curves(Image& image, const ChosenWeight& chosen) {
    for (const WeightCurve& curve : chosen.curves) {
        RecordTable table{weight_curve_table(curve.regulariser), weight_curve_columns(), {}};
        for (const WeightPoint& point : curve.points) {
            table.values.push_back(point.weight);
            table.values.push_back(point.prediction);
        }
        image.tables.push_back(std::move(table));
    }
    image.record.emplace_back("weight_rule", "held out");
    image.numbers.emplace_back("prediction_without_regulariser", chosen.without);
}

} // namespace lsrecon
