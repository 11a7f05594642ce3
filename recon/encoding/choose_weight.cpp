#include "encoding/choose_weight.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/numbers.hpp"
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

/// The samples of a frame in two parts, and the equations of the part that is kept.
class Prediction {
public:
    Prediction(const CommonToFrames& common, const Frame& frame, Route route, Listener listener)
        : parts_(hold_out(*frame.sampling)), kept_(subset(frame, parts_.kept)),
          held_(subset(frame, parts_.held)), place_(common), route_(route), listener_(listener),
          energy_(energy_of(*held_.sampling, held_.samples)) {
        place_.common.certified = Certified::never;
        place_.common.make_q = [this](const Sampling& sampling) {
            if (!q_) {
                q_ = compute_q(place_.common.transforms, sampling, place_.common.formulation.grid,
                               listener_);
            }
            return *q_;
        };
    }
    Prediction(const Prediction&) = delete;

    bool is_possible() const { return energy_ > 0 && !parts_.kept.empty(); }

    /// The error of these images, relative to the samples that they predict.
    double error_of(const std::vector<ComplexVector>& images) {
        if (!predicting_) {
            predicting_.emplace(place_, *held_.sampling, Route::transforms);
        }
        return std::sqrt(predicting_->misfit(held_.samples, images, {}) / energy_);
    }

    /// The equations of what is kept, with other regularisers.
    NormalEquations& equations(const Regularisers& regularisers) {
        place_.common.regularisers = regularisers;
        equations_.emplace(place_, *kept_.sampling, route_);
        if (fhd_.empty()) {
            fhd_ = equations_->fhd(kept_.samples, listener_);
        }
        return *equations_;
    }
    const std::vector<Volume>& fhd() const { return fhd_; }

private:
    HeldOut parts_;
    Frame kept_;
    Frame held_;
    PlaceEquations place_;
    Route route_;
    Listener listener_;
    double energy_; ///< of what is held out
    std::optional<Q> q_;
    std::optional<NormalEquations> equations_;
    std::optional<NormalEquations> predicting_;
    std::vector<Volume> fhd_;
};

/// The regulariser of a candidate whose weight is to be chosen: its index.
std::size_t open_one(const Regularisers& candidate) {
    const auto open =
        std::find_if(candidate.begin(), candidate.end(),
                     [](const RegulariserChoice& choice) { return choice.weight == 0; });
    return static_cast<std::size_t>(open - candidate.begin());
}

/// The images of one candidate on their way from weight to weight: one a problem.
class Path {
public:
    Path(Prediction& prediction, const Regularisers& candidate, const SolveOptions& options)
        : prediction_(prediction), options_(options), term_(open_one(candidate)) {
        Regularisers usual = candidate;
        usual[term_].weight = usual_weight;
        NormalEquations& equations = prediction.equations(usual);
        System* const device = solver_of(options).on_device ? equations.on_device() : nullptr;
        system_ = device != nullptr ? device : &equations.on_reference();
        options_.monitor = nullptr;
        options_.iterations = iterations_of_step;
        for (const Volume& b : prediction.fhd()) {
            images_.push_back(system_->first_image(b) / system_->unit());
            scales_.push_back(system_->unit() * images_.back().cwiseAbs().maxCoeff());
        }
    }

    /// The first images, of a few iterations without a regulariser.
    const std::vector<ComplexVector>& images() const { return images_; }

    double prediction_with(double weight) {
        system_->set_weight(term_, weight);
        for (std::size_t p = 0; p < images_.size(); ++p) {
            images_[p] = system_
                             ->solve_from(system_->unit() * images_[p], scales_[p],
                                          prediction_.fhd()[p], options_)
                             .x;
        }
        return prediction_.error_of(images_);
    }

private:
    Prediction& prediction_;
    SolveOptions options_;
    std::size_t term_; ///< whose weight is chosen
    System* system_;
    std::vector<ComplexVector> images_;
    std::vector<double> scales_; ///< their largest voxels
};

std::string name_of(const Regularisers& candidate) {
    return candidate[open_one(candidate)].name;
}

/// `near` is the best weight of another candidate, 0 for the first: those of tv and wavelet are
/// within a factor of four (scripts/study_weights.py).
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
    throw InputError({scan.file, "weight of `reg` " + name_of(any), found,
                      "samples that the image of the others predicts",
                      "give the weight: `reg` " + name_of(any) + ":0.02"});
}

/// Tries all candidates.
void try_all(const std::vector<Regularisers>& candidates, Prediction& prediction,
             const SolveOptions& options, ChosenWeight& chosen) {
    double best = std::numeric_limits<double>::infinity();
    double near = 0;
    for (const Regularisers& candidate : candidates) {
        Path path(prediction, candidate, options);
        if (chosen.curves.empty()) {
            chosen.without = prediction.error_of(path.images());
        }
        chosen.curves.push_back(curve_of(path, candidate, near));
        const WeightPoint here = best_weight(chosen.curves.back());
        near = here.weight;
        if (here.prediction < best) {
            best = here.prediction;
            chosen.prediction = best;
            chosen.regularisers = candidate;
            chosen.regularisers[open_one(candidate)].weight = in_two_digits(here.weight);
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

ChosenWeight choose_weight(const std::vector<Regularisers>& candidates, bool may_be_none,
                           const Scan& scan, const Frame& frame, const CommonToFrames& of_place,
                           Route route, const SolveOptions& options, Reporter& report) {
    const Stage stage(report, "weight");
    ChosenWeight chosen;
    Prediction prediction(of_place, frame, route, report);
    if (prediction.is_possible()) {
        try_all(candidates, prediction, options, chosen);
    }
    const std::string why_not = no_choice(chosen, may_be_none);
    if (!why_not.empty() && !may_be_none) {
        refuse(scan, candidates.front(), why_not);
    }
    if (!why_not.empty()) {
        chosen.regularisers.clear();
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
