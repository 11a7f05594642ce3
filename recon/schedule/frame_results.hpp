// The results of frames, which ranks divide, on their way to the sink.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/job_ranks.hpp"
#include "base/report.hpp"
#include "model/model_check.hpp"
#include "scan/failed_frames.hpp"
#include "scan/image.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// The results of the frames of a scan, on their way to the sink. Each rank solves some of the
/// frames, one after the other in the order of the loop, and the first rank puts them into its sink
/// in that order. The arguments of the constructor must outlive it.
class FrameResults {
public:
    using OnIteration = std::function<void(std::size_t frame, const Iteration& iteration)>;

    /// `order` is that of the loop.
    FrameResults(const Scan& scan, std::vector<std::size_t> order, ImageSink& sink,
                 const OnIteration& on_iteration, Reporter& report);

    /// Once the sink has begun: these ranks divide among them what is neither finished nor failed.
    /// Before, each rank has every frame.
    void divide(JobRanks& ranks);

    /// Whether a frame is solved here.
    bool has(std::size_t frame) const { return owner_[frame] == ranks_->rank(); }
    bool was_finished(std::size_t frame) const { return is_finished_[frame] != 0; }
    /// What some frames share. Null where none of them is solved here, and where it cannot be made:
    /// each of them then fails with its error.
    template <typename Make> auto shared(const std::vector<std::size_t>& frames, const Make& make)
        -> decltype(make()) {
        decltype(make()) result;
        try {
            if (begin_shared(frames)) {
                result = make();
            }
        } catch (const Error&) {
            fail(frames, std::current_exception());
        }
        return result;
    }
    /// Whether this work on a frame was done; where not, the frame has failed.
    bool attempt(std::size_t frame, const std::function<void()>& work);
    /// A frame, which may fail alone: its image goes to the sink. A frame that another rank has, or
    /// that was finished or has failed, is passed over. Returns whether its image was made here.
    bool take(std::size_t frame, const std::function<ImageFrame()>& make);
    /// The image of a frame that was solved together with others.
    void put(std::size_t frame, ImageFrame image);

    Monitor monitor_of(std::size_t frame);
    /// Whether another rank has the sink and does what follows.
    bool are_elsewhere() const { return !ranks_->is_first(); }
    /// Ends after the last frame: brings the results of the model check of each rank together.
    /// Throws the first error when every frame failed.
    void end(ModelCheck& model_check);

    const std::map<std::size_t, FailedFrame>& failed() const { return attempts_.failed(); }
    /// Each frame, without values.
    const std::vector<ImageFrame>& about() const { return about_; }
    std::size_t finished_before() const;

private:
    /// The report of a rank on a frame that it solved.
    struct FrameResult {
        ImageFrame image; ///< its values follow
        std::uint64_t voxels = 0;
        FailedFrame failed; ///< failure, where there is no image
        Findings findings;
        std::vector<Iteration> iterations;
        template <typename Archive> void each(Archive& archive) {
            archive(image, voxels, failed, findings, iterations);
        }
    };
    FrameResult result_of(std::size_t frame, const std::function<ImageFrame()>& make);
    void bring(std::size_t from, FrameResult& result);
    void deliver(std::size_t frame, FrameResult result, bool is_own);
    void next(std::size_t frame);
    void store(std::size_t frame, ImageFrame image);
    bool begin_shared(const std::vector<std::size_t>& frames);
    void fail(const std::vector<std::size_t>& frames, const std::exception_ptr& error);

    const Scan& scan_;
    const std::vector<std::size_t> loop_; ///< order of all frames
    ImageSink& sink_;
    JobRanks alone_;
    JobRanks* ranks_ = &alone_;
    OnIteration on_iteration_; ///< null for nobody
    Reporter& report_;
    Attempts attempts_;
    std::optional<FrameProgress> progress_; ///< from divide() on
    std::vector<ImageFrame> about_;
    std::string is_shown_; ///< 1 for each frame that progress has come to, else 0
    std::string is_finished_; ///< 1 for each frame that an earlier run finished, else 0
    std::vector<std::size_t> order_; ///< order of the frames that are divided
    std::vector<std::size_t> owner_; ///< rank of each frame; none of those that are done with
    std::vector<std::size_t> rank_in_order_; ///< index of each frame in the order
    std::vector<Iteration> iterations_; ///< iterations of this rank, for the log of the first
};

} // namespace lsrecon
