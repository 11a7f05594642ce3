// Assigns the frames of the loop to ranks in rotation, and brings images, failures and iterations
// to the first rank.

#include "schedule/frame_results.hpp"

#include <algorithm>
#include <limits>

#include "base/packed.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t no_rank = std::numeric_limits<std::size_t>::max();

/// A bound that is relative to the image that was made, which the error may have made larger.
double relative_to_exact(double bound) {
    return bound < 1 ? bound / (1 - bound) : std::numeric_limits<double>::infinity();
}

} // namespace

FrameResults::FrameResults(const Scan& scan, std::vector<std::size_t> order, ImageSink& sink,
                           const OnIteration& on_iteration, Reporter& report)
    : scan_(scan), loop_(std::move(order)), sink_(sink), on_iteration_(on_iteration),
      report_(report), attempts_(scan, report), about_(scan.frames.size()),
      is_shown_(scan.frames.size(), 0), is_finished_(scan.frames.size(), 0),
      owner_(scan.frames.size(), alone_.rank()), rank_in_order_(scan.frames.size()) {}

void FrameResults::divide(JobRanks& ranks) {
    for (std::size_t f = 0; f < about_.size(); ++f) {
        if (std::optional<ImageFrame> finished = sink_.finished(f)) {
            about_[f] = std::move(*finished);
            is_finished_[f] = 1;
        }
    }
    progress_.emplace(report_, scan_.frames.size());
    ranks_ = &ranks;
    ranks_->broadcast(0, is_finished_);
    for (const std::size_t f : loop_) {
        owner_[f] = no_rank;
        if (!was_finished(f) && failed().count(f) == 0) {
            rank_in_order_[f] = order_.size();
            owner_[f] = order_.size() % ranks_->count();
            order_.push_back(f);
        }
    }
}

bool FrameResults::begin_shared(const std::vector<std::size_t>& frames) {
    for (const std::size_t f : frames) {
        if (was_finished(f)) {
            next(f);
        } else if (has(f)) {
            next(f); // the stages of what is shared are those of its first frame
            return true;
        }
    }
    return false;
}

void FrameResults::fail(const std::vector<std::size_t>& frames, const std::exception_ptr& error) {
    for (const std::size_t f : frames) {
        if (has(f)) {
            take(f, [&]() -> ImageFrame { std::rethrow_exception(error); });
        }
    }
}

void FrameResults::next(std::size_t f) {
    if (!progress_ || is_shown_[f] != 0) {
        return;
    }
    is_shown_[f] = 1;
    progress_->next(label_beside_index(scan_.frames[f].label, f));
}

/// The ranks do not wait for each other but for the first, which takes each frame when its own is
/// done.
bool FrameResults::take(std::size_t f, const std::function<ImageFrame()>& make) {
    if (was_finished(f)) {
        next(f);
    }
    if (!has(f)) {
        return false;
    }
    next(f);
    FrameResult own = result_of(f, make);
    const bool is_made = own.voxels > 0;
    owner_[f] = no_rank;
    if (are_elsewhere()) {
        bring(ranks_->rank(), own);
        return is_made;
    }
    deliver(f, std::move(own), true);
    for (std::size_t rank = 1; rank < ranks_->count() && rank_in_order_[f] + rank < order_.size();
         ++rank) {
        const std::size_t other = order_[rank_in_order_[f] + rank];
        next(other);
        FrameResult result;
        bring(rank, result);
        deliver(other, std::move(result), false);
    }
    return is_made;
}

FrameResults::FrameResult FrameResults::result_of(std::size_t f,
                                                  const std::function<ImageFrame()>& make) {
    FrameResult result;
    const std::size_t known = report_.findings().size();
    iterations_.clear();
    if (!attempts_.of(f, [&] { result.image = make(); })) {
        result.failed = attempts_.failed().at(f);
    }
    result.voxels = static_cast<std::size_t>(result.image.values.size());
    result.findings.assign(report_.findings().begin() + static_cast<long>(known),
                           report_.findings().end());
    result.iterations = std::move(iterations_);
    return result;
}

void FrameResults::bring(std::size_t from, FrameResult& result) {
    std::string words = are_elsewhere() ? packed(result) : "";
    ranks_->bring_to_first(from, words);
    if (!are_elsewhere()) {
        result = unpacked<FrameResult>(words);
        result.image.values.resize(static_cast<Eigen::Index>(result.voxels));
    }
    ranks_->bring_to_first(from, result.image.values.data(), result.voxels * sizeof(Complex));
}

/// Delivers the results of a frame on the first rank.
void FrameResults::deliver(std::size_t f, FrameResult result, bool is_own) {
    report_.add(result.findings);
    for (const Iteration& iteration : result.iterations) {
        on_iteration_(f, iteration);
    }
    if (result.voxels > 0) {
        result.image.label = scan_.frames[f].label;
        result.image.position = scan_.frames[f].position;
        attempts_.of(f, [&] { store(f, std::move(result.image)); });
    } else if (!is_own) {
        attempts_.add(f, result.failed);
    }
}

bool FrameResults::attempt(std::size_t f, const std::function<void()>& work) {
    next(f);
    const bool is_done = attempts_.of(f, work);
    if (!is_done) {
        owner_[f] = no_rank;
    }
    return is_done;
}

void FrameResults::put(std::size_t f, ImageFrame image) {
    attempts_.of(f, [&] { store(f, std::move(image)); });
}

void FrameResults::store(std::size_t f, ImageFrame image) {
    double& upper = image.certificate.image.upper;
    upper = relative_to_exact(upper);
    ComplexVector values = std::move(image.values);
    image.values.resize(0);
    about_[f] = image;
    image.values = std::move(values);
    sink_.put(f, std::move(image));
}

Monitor FrameResults::monitor_of(std::size_t frame) {
    if (!on_iteration_) {
        return nullptr;
    }
    if (are_elsewhere()) {
        return [this](const Iteration& iteration) { iterations_.push_back(iteration); };
    }
    return [this, frame](const Iteration& iteration) { on_iteration_(frame, iteration); };
}

void FrameResults::end(ModelCheck& model_check) {
    progress_.reset();
    for (std::size_t rank = 1; rank < ranks_->count(); ++rank) {
        std::string found = packed(model_check.slices_compared());
        ranks_->bring_to_first(rank, found);
        if (!are_elsewhere()) {
            for (auto& slice : unpacked<std::vector<ModelCheck::OfSlice>>(found)) {
                model_check.add(std::move(slice));
            }
        }
    }
    if (are_elsewhere()) {
        return;
    }
    attempts_.require_some();
    for (const auto& [f, failed] : attempts_.failed()) {
        about_[f] = image_of_failed(scan_.frames[f], failed);
    }
}

std::size_t FrameResults::finished_before() const {
    return static_cast<std::size_t>(std::count(is_finished_.begin(), is_finished_.end(), 1));
}

} // namespace lsrecon
