#include "reconstruct_frames.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/packed.hpp"
#include "reconstruct_cost.hpp"
#include "solve/late_change.hpp"
#include "solve/methods.hpp"
#include "solve/noise_map.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

namespace {

/// A bound that is relative to the image that was made, which the error may have made larger.
double relative_to_exact(double bound) {
    return bound < 1 ? bound / (1 - bound) : std::numeric_limits<double>::infinity();
}

} // namespace

FrameSolves::FrameSolves(PreparedScan& prepared, ScanEquations& equations, const How& how,
                         ImageSink& sink, Reporter& report)
    : prepared_(prepared), scan_(prepared.scan()), equations_(equations), how_(how), sink_(sink),
      report_(report), attempts_(scan_, report), about_(scan_.frames.size()),
      is_finished_(scan_.frames.size(), 0), noise_of_sample_(energy_of_noise(scan_.noise)) {
    if (need_all_frames(how_.options.regularisers)) {
        const JointRoom room = require_joint_room(
            how_.transforms, scan_,
            FrameShape(scan_.grid, scan_.coils(), how_.plan.coils_share_one_problem), how_.options);
        room_on_device_ = room.on_device;
        report_.tell(room.words);
    } else {
        progress_.emplace(report_, scan_.frames.size());
    }
    for (std::size_t f = 0; f < about_.size(); ++f) {
        if (std::optional<ImageFrame> finished = sink_.finished(f)) {
            about_[f] = std::move(*finished);
            is_finished_[f] = 1;
        }
    }
    if (how_.curve != nullptr) {
        amplification_of(how_.curve->frame) = how_.curve->at_chosen().amplification;
    }
    if (!need_all_frames(how_.options.regularisers) && about_.size() > 1) {
        ranks_ = &how_.transforms.part_ranks();
        ranks_->broadcast(0, is_finished_);
    }
}

Monitor FrameSolves::monitor_of(std::size_t frame) {
    if (!how_.asked.on_iteration) {
        return nullptr;
    }
    if (are_elsewhere()) {
        return [this](const Iteration& iteration) { iterations_.push_back(iteration); };
    }
    return [this, frame](const Iteration& iteration) { how_.asked.on_iteration(frame, iteration); };
}

ImageFrame FrameSolves::image_of(const Frame& frame, const Solved& solved, double error,
                                 const SampledErrors& sampled, std::size_t unknowns) const {
    ImageFrame image = to_image(frame, solved);
    estimate_rounding(image, solved.gains, how_.options.lambda, error, how_.transforms.epsilon());
    estimate_by_samples(image, solved, sampled, how_.options.lambda, unknowns);
    return image;
}

/// Where neither iterations nor lambda tell: of another solve, with errors of F^H d of the size of
/// their bound.
void FrameSolves::measure_error(ImageFrame& image, std::size_t frame, double gain,
                                const std::vector<Volume>& fhd) {
    const SampledError error = error_of_equations(image.sampled, gain);
    if (how_.asked.certify == 0 || image.sampled.image.upper > 0 || error.upper == 0) {
        return;
    }
    const Stage stage(report_, "certify");
    Reporter silent; // what this solve has to tell, the frame has told
    const Solved other =
        lsrecon::solve(equations_.of(frame), with_errors(fhd, error.upper), how_.options, silent);
    const double moved = relative_change(image.values, other.image);
    image.sampled.image = {moved * error.estimate / error.upper, moved};
    image.image_error = image.sampled.image.estimate;
}

/// The samples determine most of many images: then lambda is not all that holds errors.
void FrameSolves::refine(ImageFrame& image, std::size_t frame) {
    const double lambda = how_.options.lambda;
    const bool by_iterations = image.sampled.voxels > 0 && !how_.options.precondition;
    const double asked = how_.asked.certify > 0 ? how_.asked.certify : how_.options.image_tolerance;
    if (std::max(image.image_error, image.sampled.image.upper) <= asked || by_iterations ||
        how_.plan.products() != Products::one_convolution) {
        return;
    }
    double& amplified = amplification_of(frame);
    if (amplified == 0) {
        amplified = amplification(equations_.of(frame), lambda, how_.options, report_);
    }
    const double less = std::min(1.0, lambda * amplified);
    SampledError& sampled = image.sampled.image;
    sampled.upper *= less;
    sampled.estimate = std::min(sampled.estimate, sampled.upper);
    image.image_error = sampled.upper > 0 ? sampled.estimate : less * image.image_error;
}

/// Coil maps of the place of the last equations were divided by a number, and so is the image now.
void FrameSolves::give_units_of_maps(ImageFrame& image) {
    image.maps_scale = equations_.place().maps_scale;
    if (image.maps_scale != 1) {
        image.values /= image.maps_scale;
    }
}

/// 0 where it is not known yet.
double& FrameSolves::amplification_of(std::size_t frame) {
    return amplifications_[{prepared_.place_of(frame).index, scan_.frames[frame].sampling.get()}];
}

void FrameSolves::put(std::size_t frame, ImageFrame image) {
    image.sampled.image.upper = relative_to_exact(image.sampled.image.upper);
    ComplexVector values = std::move(image.values);
    image.values.resize(0);
    about_[frame] = image;
    image.values = std::move(values);
    sink_.put(frame, std::move(image));
}

void FrameSolves::solve(std::size_t f) {
    if (is_finished_[f] != 0) {
        progress_->next(label_beside_index(scan_.frames[f].label, f));
        return;
    }
    round_.push_back(f);
    if (round_.size() == ranks_->count()) {
        solve_round();
    }
}

/// The ranks do not wait for each other but for the first, which takes each frame when its own is
/// done.
void FrameSolves::solve_round() {
    for (std::size_t rank = 0; rank < round_.size(); ++rank) {
        const std::size_t f = round_[rank];
        progress_->next(label_beside_index(scan_.frames[f].label, f));
        const bool is_own = rank == ranks_->here();
        if (is_own || ranks_->is_first()) {
            Told told = is_own ? solved_here(f) : Told();
            bring(rank, told);
            take(f, std::move(told), is_own);
        }
    }
    round_.clear();
}

FrameSolves::Told FrameSolves::solved_here(std::size_t f) {
    Told told;
    const std::size_t known_notes = report_.notes().size();
    iterations_.clear();
    if (!attempts_.of(f, [&] { told.image = solve_alone(f); })) {
        told.failed = attempts_.failed().at(f);
    }
    told.voxels = static_cast<std::size_t>(told.image.values.size());
    told.notes.assign(report_.notes().begin() + static_cast<long>(known_notes),
                      report_.notes().end());
    told.iterations = std::move(iterations_);
    return told;
}

void FrameSolves::bring(std::size_t from, Told& told) {
    if (from == 0) {
        return;
    }
    std::string words = are_elsewhere() ? packed(told) : "";
    ranks_->bring_to_first(from, words);
    if (!are_elsewhere()) {
        told = unpacked<Told>(words);
        told.image.values.resize(static_cast<Eigen::Index>(told.voxels));
    }
    ranks_->bring_to_first(from, told.image.values.data(), told.voxels * sizeof(Complex));
}

/// On the first rank.
void FrameSolves::take(std::size_t f, Told told, bool is_own) {
    if (are_elsewhere()) {
        return;
    }
    for (const std::string& note : told.notes) {
        report_.note(note);
    }
    for (const Iteration& iteration : told.iterations) {
        how_.asked.on_iteration(f, iteration);
    }
    if (told.voxels > 0) {
        told.image.label = scan_.frames[f].label;
        told.image.position = scan_.frames[f].position;
        attempts_.of(f, [&] { put(f, std::move(told.image)); });
    } else if (!is_own) {
        attempts_.add(f, told.failed);
    }
}

ImageFrame FrameSolves::solve_alone(std::size_t f) {
    constexpr int many = 20; // iterations, to which another one adds little
    auto [frame, fhd, energy, sampled, most_noise] = equations_.transformed(f);
    NormalEquations& equations = equations_.of(f);
    SolveOptions options = how_.options;
    options.monitor = monitor_of(f);
    options.looks_ahead =
        !options.precondition &&
        (how_.asked.certify > 0 || (options.iterations >= many && equations.are_sampled()));
    const Solved solved = lsrecon::solve(equations, fhd, options, report_);
    equations.add_errors_of_gram(sampled, report_);
    ImageFrame image = image_of(frame, solved, equations.error(), sampled, equations.unknowns());
    refine(image, f);
    if (!solved.gains.empty()) { // of a solve
        measure_error(image, f, *std::min_element(solved.gains.begin(), solved.gains.end()), fhd);
    }
    if (how_.asked.noise_replicas > 0 && scan_.frames.size() == 1) {
        of_single_frame_ = std::move(fhd);
    }
    give_back_memory();
    compare_with_samples(image, solved.explained, energy,
                         noise_of_sample_ * frame.sampling->sum_of_weights(), most_noise);
    give_units_of_maps(image);
    return image;
}

/// What each rank found of the models of its places.
void FrameSolves::bring_models() {
    for (std::size_t rank = 1; rank < ranks_->count(); ++rank) {
        std::string found = packed(equations_.model().places());
        ranks_->bring_to_first(rank, found);
        if (!are_elsewhere()) {
            for (auto& place : unpacked<std::vector<ModelCheck::OfPlace>>(found)) {
                equations_.model().add(std::move(place));
            }
        }
    }
}

JointFrame FrameSolves::begin(std::size_t f, const JointFrame* before, SharedWorkspaces& shared) {
    ScanEquations::Transformed transformed = equations_.transformed(f);
    NormalEquations& equations = equations_.of(f);
    JointFrame frame{f, std::move(transformed.frame), nullptr, std::move(transformed.fhd)};
    if (before != nullptr && before->about.sampling == frame.about.sampling) {
        frame.system = before->system;
    } else {
        frame.system = equations.kept_system(shared, report_);
    }
    frame.error = equations.error();
    frame.sampled = transformed.sampled;
    equations.add_errors_of_gram(frame.sampled, report_);
    frame.monitor = monitor_of(f);
    return frame;
}

void FrameSolves::solve_together(const Place& place) {
    SharedWorkspaces shared;
    shared.needed = room_on_device_;
    std::vector<JointFrame> frames;
    const std::vector<std::size_t> all = place.frames();
    progress_.emplace(report_, all.size());
    for (const std::size_t f : all) {
        progress_->next(label_beside_index(scan_.frames[f].label, f));
        attempts_.of(f, [&] {
            try {
                frames.push_back(begin(f, frames.empty() ? nullptr : &frames.back(), shared));
            } catch (const DeviceError& error) {
                throw RunError({scan_.file, "frames that are solved together",
                                text("no room on the device after ", frames.size(),
                                     " of them: ", error.what()),
                                "room for all of them",
                                "choose some with `frames`, or leave " +
                                    flags_over_frames(how_.options.regularisers) + " out"});
            }
        });
    }
    progress_.reset();
    if (frames.empty()) {
        return;
    }
    std::sort(frames.begin(), frames.end(), // in time, not by their samplings, as they began
              [](const JointFrame& a, const JointFrame& b) { return a.index < b.index; });
    std::vector<Solved> solved =
        solve_jointly(frames, *equations_.place().coil_maps, how_.options, report_);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const JointFrame& frame = frames[i];
        attempts_.of(frame.index, [&] {
            ImageFrame image = image_of(frame.about, solved[i], frame.error, frame.sampled,
                                        static_cast<std::size_t>(solved[i].image.size()));
            give_units_of_maps(image);
            put(frame.index, std::move(image));
        });
        solved[i] = {};
    }
}

/// Where they were divided by a number: of the frames, one or the range.
void FrameSolves::add_scales_of_maps(Image& about) {
    std::vector<double> scales;
    for (const ImageFrame& frame : about.frames) {
        if (!frame.failed()) {
            scales.push_back(frame.maps_scale);
        }
    }
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    if (scales.empty() || (*least == 1 && *most == 1)) {
        return;
    }
    about.numbers.emplace_back("coil_maps_divided_by", *most);
    if (*least != *most) {
        about.numbers.emplace_back("coil_maps_divided_by_least", *least);
    }
}

SolvedWith FrameSolves::solved_with() const {
    const SamplePoints points = scan_.frames[prepared_.first_good()].sampling->points();
    Transforms& transforms = how_.transforms;
    return {transforms.epsilon(),
            !method_of(how_.options).solves ||
                transforms.engine_for(points, how_.plan.voxels).exact,
            how_.plan.off_resonance && transforms.segment_error() > 0,
            how_.asked.effort.iterations.has_value(),
            how_.plan.coils_share_one_problem,
            how_.plan.off_resonance};
}

Reconstructed FrameSolves::result() {
    solve_round();
    bring_models();
    progress_.reset();
    const auto before =
        static_cast<std::size_t>(std::count(is_finished_.begin(), is_finished_.end(), 1));
    Reconstructed result{SolveSummary(how_.options, solved_with()), empty_image(scan_), before, {}};
    if (are_elsewhere()) {
        return result;
    }
    attempts_.require_some();
    for (const auto& [f, failed] : attempts_.failed()) {
        about_[f] = image_of_failed(scan_.frames[f], failed);
    }
    result.failed = attempts_.failed();
    for (const ImageFrame& frame : about_) {
        result.solves.add(frame);
    }
    Image& about = result.about;
    about.frames = about_;
    about.record.emplace_back("solver", solvers_of(about));
    about.numbers = result.solves.numbers();
    const std::shared_ptr<const CoilRows> maps_of_all =
        prepared_.maps_differ() ? nullptr : prepared_.at(0).coil_maps;
    if (maps_of_all && !maps_of_all->empty()) {
        const SumOfSquares squares = sum_of_squares(*maps_of_all);
        const double scale = prepared_.at(0).maps_scale;
        about.numbers.emplace_back("coil_maps_squares_largest", scale * scale * squares.largest);
        about.numbers.emplace_back("coil_maps_squares_mean", scale * scale * squares.mean);
    }
    add_scales_of_maps(about);
    if (!result.failed.empty()) {
        about.numbers.emplace_back("frames_failed", static_cast<double>(result.failed.size()));
    }
    if (before > 0) {
        about.numbers.emplace_back("frames_resumed", static_cast<double>(before));
    }
    for (const auto& number : equations_.model().numbers()) {
        about.numbers.push_back(number);
    }
    return result;
}

void FrameSolves::add_noise_map(Image& about) {
    const auto made = std::find_if(about_.begin(), about_.end(),
                                   [](const ImageFrame& frame) { return !frame.failed(); });
    const auto f = static_cast<std::size_t>(made - about_.begin());
    const std::vector<Volume> fhd =
        scan_.frames.size() == 1 ? std::move(of_single_frame_) : equations_.transformed(f).fhd;
    NormalEquations& equations = equations_.of(f);
    lsrecon::add_noise_map(about, f, equations, fhd, scan_, how_.options, how_.asked.noise_replicas,
                           equations_.place().maps_scale, report_);
}

} // namespace lsrecon
