// Follows each candidate from large weights to small ones, and compares what they predict.

#include "encoding/choose_weight.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/numbers.hpp"
#include "encoding/joint.hpp"
#include "encoding/sample_energy.hpp"
#include "encoding/solve.hpp"
#include "operators/q.hpp"
#include "scan/coil_transform.hpp"
#include "scan/findings.hpp"
#include "scan/trajectories.hpp"

namespace lsrecon {

namespace {

constexpr double usual_lambda = 0.01;

/// The candidate with this weight where it has none.
Regularisers with_weight(Regularisers regularisers, double weight) {
    for (RegulariserChoice& choice : regularisers) {
        choice.weight = choice.weight == 0 ? weight : choice.weight;
    }
    return regularisers;
}

/// The indices of regularisers whose weight is to be chosen.
std::vector<std::size_t> open_ones(const Regularisers& regularisers) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < regularisers.size(); ++i) {
        if (regularisers[i].weight == 0) {
            open.push_back(i);
        }
    }
    return open;
}

/// The indices of samples, by their distance from the centre of k-space.
std::vector<std::size_t> by_distance(const std::vector<Vec3>& positions) {
    std::vector<std::pair<double, std::size_t>> distances(positions.size());
    for (std::size_t m = 0; m < positions.size(); ++m) {
        const Vec3& k = positions[m];
        distances[m] = {k[0] * k[0] + k[1] * k[1] + k[2] * k[2], m};
    }
    std::sort(distances.begin(), distances.end());
    std::vector<std::size_t> order(positions.size());
    std::transform(distances.begin(), distances.end(), order.begin(),
                   [](const auto& distance) { return distance.second; });
    return order;
}

/// Samples with weights by which all shells of k-space count the same: each shell by the inverse of
/// what a first image leaves of it, of noise and of errors of the model. Else what cannot be
/// predicted decides, as the samples near the centre of scans whose coil maps are wrong.
Frame weighted_by_shell(Frame frame, const Eigen::VectorXd& misfits) {
    constexpr std::size_t most_shells = 8;
    constexpr std::size_t fewest_samples = 32;
    constexpr double least = 0.02; // of all: shells beyond a smooth object hold nothing
    auto trajectory = std::make_shared<Trajectory>(*frame.trajectory);
    const std::size_t samples = trajectory->samples();
    trajectory->weights.resize(static_cast<Eigen::Index>(samples));
    const std::vector<std::size_t> order = by_distance(trajectory->positions);
    const std::size_t shells = std::clamp(samples / fewest_samples, std::size_t(1), most_shells);
    const double mean = misfits.mean();
    for (std::size_t shell = 0; shell < shells; ++shell) {
        const auto first = order.begin() + static_cast<long>(shell * samples / shells);
        const auto end = order.begin() + static_cast<long>((shell + 1) * samples / shells);
        double left = 0;
        for (auto m = first; m < end; ++m) {
            left += misfits(static_cast<Eigen::Index>(*m));
        }
        left = std::max(left / static_cast<double>(end - first), least * mean);
        for (auto m = first; m < end; ++m) {
            trajectory->weights(static_cast<Eigen::Index>(*m)) =
                frame.trajectory->weight(*m) * (left > 0 ? mean / left : 1);
        }
    }
    frame.trajectory = trajectory;
    return frame;
}

/// An image that is a scale times an array; null for zeros.
struct ImageOnDevice {
    const Array* values;
    double scale;
};

/// Samples of virtual coils that choose, in two parts: what is kept of a frame and what is held
/// out. N of each part.
class Prediction {
public:
    Prediction(const SliceToWeigh& slice, const std::vector<const Frame*>& frames,
               const SolveOptions& options, Reporter& report)
        : slice_(slice),
          coil_transform_(coil_transform_of(slice.images.coil_maps, *frames.front())),
          maps_(mixed_maps(slice.images.coil_maps)),
          images_(slice.transforms.device(), slice.images.formulation, maps_),
          on_device_(solver_of(options).on_device), report_(report) {
        for (const Frame* const frame : frames) {
            const Frame of_virtual_coils{
                frame->trajectory, mixed(coil_transform_, frame->samples), "", {}};
            of_frames_.push_back(
                std::make_unique<OfFrame>(of_virtual_coils, hold_out(*frame->trajectory)));
        }
        for (std::size_t f = 0; is_possible() && f < this->frames(); ++f) {
            const std::vector<ComplexVector> first = joint_frame(f).start;
            Part& held = of_frames_[f]->held;
            held.set(weighted_by_shell(held.frame,
                                       Encoding(slice.transforms, images_, *held.frame.trajectory)
                                           .misfits(held.frame.samples, first, report)));
            make_system(held, false);
            noise_alone_ = noise_alone_ && is_noise(of_frames_[f]->kept);
        }
    }
    Prediction(const Prediction&) = delete;

    bool is_possible() const {
        return std::all_of(of_frames_.begin(), of_frames_.end(), [](const auto& frame) {
            return frame->held.energy > 0 && frame->kept.energy > 0;
        });
    }
    std::size_t frames() const { return of_frames_.size(); }
    bool has_sets() const { return maps_.columns() > slice_.images.formulation.grid.voxels(); }
    /// Whether first images leave no more of the samples than noise does. Errors of the model ask
    /// for ever larger weights, which do not mend them.
    bool noise_alone() const { return noise_alone_; }

    /// The error of the images of all frames, relative to the samples that they predict. Each frame
    /// counts by its own energy. An image, by frame and problem, is on the device of what is kept.
    double error_of(const std::function<ImageOnDevice(std::size_t, std::size_t)>& image) {
        double sum = 0;
        for (std::size_t f = 0; f < frames(); ++f) {
            Part& held = of_frames_[f]->held;
            double left = held.energy;
            for (std::size_t p = 0; p < held.fhd.size(); ++p) {
                left -= explained(held, p, image(f, p), of_frames_[f]->kept.system->device());
            }
            sum += std::max(0.0, left) / held.energy;
        }
        return std::sqrt(sum / static_cast<double>(frames()));
    }

    /// Begins with another candidate, whose open weights are usual ones.
    void begin(const Candidate& candidate) {
        settings_.lambda = candidate.lambda;
        settings_.regularisers = with_weight(candidate.regularisers, usual_weight);
        settings_.precondition = slice_.images.formulation.products() == Products::one_convolution;
        shared_.basis.reset(); // of another kind
    }
    /// What is kept of a frame, with the candidate, and its images of a few iterations without
    /// regularisers.
    JointFrame joint_frame(std::size_t f) {
        Part& kept = of_frames_[f]->kept;
        make_system(kept, true);
        JointFrame joint;
        joint.fhd = kept.fhd;
        joint.system = kept.system;
        for (std::size_t p = kept.first.size(); p < kept.fhd.size(); ++p) {
            kept.first.push_back(
                over(kept.system->iterate_briefly(kept.fhd[p]), kept.system->unit()));
        }
        joint.start = kept.first;
        for (const ComplexVector& first : kept.first) {
            joint.scales.push_back(largest_size(first));
        }
        return joint;
    }

private:
    /// What is kept of a frame, or what is held out.
    struct Part {
        explicit Part(Frame of) { set(std::move(of)); }
        void set(Frame of) {
            frame = std::move(of);
            energy = energy_of(*frame.trajectory, frame.samples);
        }

        Frame frame;
        double energy = 0;
        std::optional<Encoding> encoding; ///< with n and fhd, once they are needed
        std::optional<NormalOperator> n;
        std::vector<Volume> fhd;
        std::vector<ComplexVector> first; ///< images of what is kept, once they are needed
        ReferenceSystem on_reference; ///< where the device has no room
        std::shared_ptr<System> system; ///< that was made last
    };
    struct OfFrame {
        OfFrame(const Frame& frame, const HeldOut& parts)
            : kept(subset(frame, parts.kept)), held(subset(frame, parts.held)) {}

        Part kept;
        Part held;
    };

    /// Whether the first images leave no more of what is kept than noise does.
    static bool is_noise(const Part& kept) {
        constexpr double times_estimate = 3;
        double left = kept.energy;
        for (std::size_t p = 0; p < kept.fhd.size(); ++p) {
            left -= kept.system->products_of(kept.first[p], kept.fhd[p]).explained();
        }
        const double noise = most_energy_of_noise(*kept.frame.trajectory, kept.frame.samples) *
                             kept.frame.trajectory->sum_of_weights();
        return left <= times_estimate * noise;
    }

    static double explained(Part& held, std::size_t p, const ImageOnDevice& image, Device& device) {
        if (image.values == nullptr) {
            return 0;
        }
        System& system = *held.system;
        const bool is_there = &system.device() == &device;
        return (is_there
                    ? system.products_of(*image.values, image.scale, held.fhd[p])
                    : system.products_of(image.scale * device.download(*image.values), held.fhd[p]))
            .explained();
    }

    void make_normal_operator(Part& part, bool is_solved) {
        const Trajectory& trajectory = *part.frame.trajectory;
        // The transforms of this encoding go with it: N keeps those of its own, if any.
        part.fhd = Encoding(slice_.transforms, images_, trajectory)
                       .adjoint(part.frame.samples, report_)
                       .volumes;
        part.encoding.emplace(slice_.transforms, images_, trajectory);
        part.n.emplace(
            *part.encoding,
            [&](const Trajectory& of) {
                return compute_q(slice_.transforms, of, slice_.images.formulation.grid, report_);
            },
            NormalOperator::Options{slice_.route, is_solved}, report_);
    }

    /// The system of a part: it must not outlive the part, and its workspace is that of all.
    void make_system(Part& part, bool is_solved) {
        part.system.reset();
        if (!part.n) {
            make_normal_operator(part, is_solved);
        }
        if (on_device_) {
            try {
                part.system = make_kept_system(*part.n, settings_, slice_.known, shared_,
                                               slice_.transforms.precision());
                return;
            } catch (const DeviceError&) { // no room
            }
        }
        part.on_reference = make_reference_system(*part.n, settings_, slice_.known);
        part.system = {std::shared_ptr<System>(), part.on_reference.system.get()};
    }

    /// Few virtual coils predict as all do: those of nearly all energy where coil maps combine
    /// them, the strongest ones where each is solved alone.
    static CoilTransform coil_transform_of(const CoilRows& maps, const Frame& frame) {
        const CoilCompression with_maps{0, 0.99};
        const CoilCompression alone{coils_alone_of_weight};
        return compressed_coils({gram(frame.samples)}, maps.empty() ? alone : with_maps).mixing;
    }
    CoilRows mixed_maps(const CoilRows& maps) const {
        return maps.empty() ? maps : mixed(coil_transform_, maps);
    }

    const SliceToWeigh& slice_;
    CoilTransform coil_transform_;
    CoilRows maps_;
    ImageSpace images_; ///< of virtual coils
    SolveOptions settings_; ///< of the candidate
    SharedWorkspaces shared_;
    bool on_device_;
    Reporter& report_;
    bool noise_alone_ = true;
    std::vector<std::unique_ptr<OfFrame>> of_frames_;
};

/// Images by frame and problem.
using Images = std::vector<std::vector<ComplexVector>>;

/// Least squares on their way from one lambda to the next.
class PathOfLambda {
public:
    PathOfLambda(Prediction& prediction, const Candidate& candidate, const SolveOptions& options)
        : prediction_(prediction), options_(options), x_(prediction.frames()) {
        constexpr int iterations_of_step = 10; ///< from the image of a lambda that is near
        constexpr double tolerance = 1e-4;
        options_.monitor = nullptr;
        if (candidate.by_lambda) {
            options_.iterations = iterations_of_step;
            options_.tolerance = tolerance;
        }
        prediction.begin(candidate);
        for (std::size_t f = 0; f < prediction.frames(); ++f) {
            frames_.push_back(prediction.joint_frame(f));
            System& system = *frames_[f].system;
            for (const Volume& b : frames_[f].fhd) {
                x_[f].push_back(system.device().zeros(b.count(), {true, system.precision()}));
            }
        }
    }

    double prediction_with(double lambda) {
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            frames_[f].system->set_lambda(lambda);
            for (std::size_t p = 0; p < x_[f].size(); ++p) {
                frames_[f].system->improve(x_[f][p], frames_[f].fhd[p], options_);
            }
        }
        return prediction_.error_of([&](std::size_t f, std::size_t p) {
            return ImageOnDevice{&x_[f][p], frames_[f].fhd[p].norm() / frames_[f].system->unit()};
        });
    }
    Images images() const { return {}; } ///< which no other candidate begins with

private:
    Prediction& prediction_;
    SolveOptions options_;
    std::vector<JointFrame> frames_;
    std::vector<std::vector<Array>> x_; ///< Q(0) ||F^H d||^-1 times images, by frame and problem
};

/// The images of one candidate on their way from weight to weight: of all frames together where it
/// couples them, else of each by itself, as they are solved.
class PathOfWeight {
public:
    /// `start` has images to begin with that are near those of a weight; none for first ones.
    PathOfWeight(Prediction& prediction, const Candidate& candidate, const Images& start)
        : prediction_(prediction), open_(open_ones(candidate.regularisers)),
          iterations_(start.empty() ? 8 : 6) {
        prediction.begin(candidate);
        const bool together = need_all_frames(candidate.regularisers);
        std::vector<JointFrame> frames;
        for (std::size_t f = 0; f < prediction.frames(); ++f) {
            frames.push_back(prediction.joint_frame(f));
            if (!start.empty()) {
                frames.back().start = start[f];
            }
            if (!together || f + 1 == prediction.frames()) {
                together_.emplace_back(std::move(frames));
                frames.clear();
            }
        }
    }

    double prediction_with(double weight) {
        constexpr int iterations_of_next = 3; // which begins near its solution
        for (JointPath& path : together_) {
            for (const std::size_t term : open_) {
                path.set_weight(term, weight);
            }
            path.go_on(iterations_);
        }
        iterations_ = iterations_of_next;
        return prediction_.error_of([&](std::size_t f, std::size_t p) { return image_of(f, p); });
    }
    /// The images of the last weight.
    Images images() const {
        Images images;
        for (std::size_t f = 0; f < prediction_.frames(); ++f) {
            images.push_back(path_of(f).images(index_of(f)));
        }
        return images;
    }

private:
    /// All frames are in one path, or each has its own.
    const JointPath& path_of(std::size_t f) const {
        return together_[together_.size() > 1 ? f : 0];
    }
    std::size_t index_of(std::size_t f) const { return together_.size() > 1 ? 0 : f; }
    ImageOnDevice image_of(std::size_t f, std::size_t p) const {
        const SplitPath& path = path_of(f).problems()[p];
        return {path.image(index_of(f)), path.scale(index_of(f))};
    }

    Prediction& prediction_;
    std::vector<std::size_t> open_; ///< whose weight is chosen
    std::vector<JointPath> together_;
    int iterations_; ///< of the next weight
};

/// The weights that a curve may have: from `largest` down, in steps of `step`.
struct Ladder {
    double largest;
    double smallest;
    double step;
    std::size_t fewest; ///< points: the first may be the best as long as it is not solved
};

/// A curve, and the images of its last weight.
struct Followed {
    WeightCurve curve;
    Images images;
};

/// Follows a candidate from large weights to small ones, until predictions become worse.
template <typename Path> Followed follow(Path path, const std::string& name, const Ladder& ladder) {
    constexpr double rounding = 1.0001;
    Followed result{{name, {}}, {}};
    std::vector<WeightPoint>& points = result.curve.points;
    for (double weight = ladder.largest;;) {
        points.push_back({weight, path.prediction_with(weight)});
        weight *= ladder.step;
        if (weight * rounding < ladder.smallest ||
            (points.size() >= ladder.fewest && has_risen(result.curve))) {
            result.images = path.images();
            return result;
        }
    }
}

/// Follows a candidate, and again from 16 times the largest weight for as long as that weight is
/// the best, up to `limit`.
template <typename MakePath> Followed
follow_from_above(const MakePath& make_path, const std::string& name, Ladder ladder, double limit) {
    constexpr double far = 16;
    for (;;) {
        Followed result = follow(make_path(), name, ladder);
        ladder.largest *= far;
        if (&result.curve.lowest() != result.curve.points.data() || ladder.largest > limit) {
            return result;
        }
    }
}

/// The weight in two digits: more would not change what one sees.
double in_two_digits(double weight) {
    return std::stod(rounded(weight));
}

/// `near` is the candidate that was followed before, if that had a weight: those of tv and wavelet
/// are within a factor of four (scripts/study_weights.py), and their images hardly differ.
Followed follow(const Candidate& candidate, const Followed& near, Prediction& prediction,
                const SolveOptions& options) {
    const std::string name = candidate.name();
    const double limit = prediction.noise_alone() ? 20 : 0;
    if (!candidate.has_open_weight()) {
        const auto path = [&] { return PathOfLambda(prediction, candidate, options); };
        return candidate.by_lambda
                   ? follow_from_above(path, name, {0.32, 1e-4, std::sqrt(0.1), 2}, limit)
                   : follow(path(), name, {candidate.lambda, 1, 0, 1});
    }
    const bool is_near = !near.images.empty() && !need_all_frames(candidate.regularisers);
    constexpr double far = 4;
    constexpr double usual_largest = 0.128;
    constexpr double smallest = 0.00025;
    const double weight = is_near ? near.curve.lowest().weight : 0;
    const Images start = is_near ? near.images : Images();
    return follow_from_above([&] { return PathOfWeight(prediction, candidate, start); }, name,
                             is_near
                                 ? Ladder{far * weight, std::max(smallest, weight / far), 0.5, 3}
                                 : Ladder{usual_largest, smallest, 0.5, 4},
                             limit);
}

/// The best weight of all samples over that of those that are kept, which have gaps and more noise.
/// Measured: a third of an octave is best for total variation and wavelets.
constexpr double of_all_samples = 0.71;

/// What a regulariser has to predict, relative to what one before it predicts, to be taken in its
/// stead. Held-out samples do not see what no sample sees, as the corners of k-space, where total
/// variation does better. Measured on 72 images of 160^2 with margins of 0 to 5 %: this one has the
/// least mean error. Images of two sets have none: where the object lies over itself, edges of one
/// part are steps in the slopes of another, and wavelets had errors 4 to 9 % less at each of seven
/// samplings of a brain.
constexpr double clearly = 0.995;

/// Tries all candidates, by the same frames.
void try_all(const std::vector<Candidate>& candidates, Prediction& prediction,
             const SolveOptions& options, Reporter& report, ChosenSettings& chosen) {
    constexpr double next_to_nothing = 0.95; // as of a full Cartesian scan of one coil
    double least = std::numeric_limits<double>::infinity();
    Followed followed;
    for (const Candidate& candidate : candidates) {
        report.progress(static_cast<double>(chosen.curves.size()) /
                        static_cast<double>(candidates.size()));
        followed = follow(candidate, followed, prediction, options);
        const WeightCurve& curve = followed.curve;
        chosen.curves.push_back(curve);
        const bool needs_margin =
            candidate.has_open_weight() && chosen.best != by_lambda && !prediction.has_sets();
        if (curve.lowest().prediction < (needs_margin ? clearly : 1) * least) {
            least = curve.lowest().prediction;
            chosen.best = curve.name;
            chosen.weight =
                in_two_digits(candidate.has_open_weight() ? of_all_samples * best_weight(curve)
                                                          : best_weight(curve));
            if (candidate.by_lambda && chosen.is_full && least > next_to_nothing) {
                chosen.weight = usual_lambda; // any predicts best that makes a dark image
            }
            chosen.lambda = candidate.by_lambda ? chosen.weight : candidate.lambda;
            chosen.regularisers = with_weight(candidate.regularisers, chosen.weight);
        }
    }
}

/// What is taken where nothing can be predicted.
void take_usual(const Candidate& candidate, Reporter& report, ChosenSettings& chosen) {
    chosen.best = candidate.name();
    chosen.weight = candidate.by_lambda ? usual_lambda : usual_weight;
    chosen.lambda = candidate.by_lambda ? usual_lambda : candidate.lambda;
    chosen.regularisers = with_weight(candidate.regularisers, usual_weight);
    report.add({Found::weight_guessed,
                {},
                {{"guess", candidate.by_lambda ? text("lambda ", usual_lambda)
                                               : "`reg` " + in_words(chosen.regularisers)}}});
}

} // namespace

bool Candidate::has_open_weight() const {
    return !open_ones(regularisers).empty();
}

std::string in_words(const ChosenSettings& chosen) {
    const std::string regularisers = in_words(chosen.regularisers);
    std::string words = regularisers;
    if (chosen.best == by_lambda) {
        words = text("lambda ", chosen.lambda, regularisers.empty() ? "" : " with `reg` ",
                     regularisers);
    }
    const std::string clear = chosen.in_words();
    return words + (clear.empty() ? "" : ": " + clear);
}

std::string Candidate::name() const {
    std::string name = has_open_weight() ? "" : lsrecon::by_lambda;
    for (const std::size_t term : open_ones(regularisers)) {
        name += (name.empty() ? "" : "_") + regularisers[term].name;
    }
    return name;
}

bool any_needs_all_frames(const std::vector<Candidate>& candidates) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [](const Candidate& one) { return need_all_frames(one.regularisers); });
}

ChosenSettings choose_weight(const std::vector<Candidate>& candidates,
                             const std::vector<const Frame*>& frames, const SliceToWeigh& slice,
                             const SolveOptions& options, const std::string& chosen_from,
                             Reporter& report) {
    constexpr double full = 0.9; // of k-space
    const Stage stage(report, "weight");
    ChosenSettings chosen;
    const Trajectory& trajectory = *frames.front()->trajectory;
    chosen.is_full =
        coverage(trajectory, reached_by({&trajectory}, slice.images.formulation.grid)) > full;
    Prediction prediction(slice, frames, options, report);
    if (!prediction.is_possible()) {
        take_usual(candidates.front(), report, chosen);
        return chosen;
    }
    try_all(candidates, prediction, options, report, chosen);
    report.info(in_words(chosen) + chosen_from);
    constexpr double large_lambda = 0.1;
    if (chosen.lambda > large_lambda && chosen.best == by_lambda) {
        report.info(text("lambda ", chosen.lambda,
                         " is above 0.1 and blurs: the images of smaller "
                         "ones predict held-out samples worse, by their noise or by errors of the "
                         "model"));
    }
    return chosen;
}

void add_weight_curves(Image& image, const ChosenSettings& chosen) {
    for (const WeightCurve& curve : chosen.curves) {
        RecordTable table{weight_curve_table(curve.name), weight_curve_columns(), {}};
        for (const WeightPoint& point : curve.points) {
            table.values.push_back(point.weight);
            table.values.push_back(point.prediction);
        }
        image.tables.push_back(std::move(table));
    }
    image.record.emplace_back(chosen.best == by_lambda ? "lambda_rule" : "weight_rule",
                              chosen.curves.empty() ? "usual" : held_out_rule);
}

} // namespace lsrecon
