#pragma once

#include <functional>
#include <map>
#include <optional>

#include "base/job_ranks.hpp"
#include "base/report.hpp"
#include "model/model_check.hpp"
#include "scan/attempts.hpp"
#include "scan/image_sink.hpp"
#include "scan/place.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// The results of the frames of a scan, from their turns to the sink. Each rank has the turns of a
/// series of frames, one after the other in the order of the loop, and the first rank puts them
/// into its sink in that order. The arguments of the constructor must outlive it.
class FrameResults {
public:
    using OnIteration = std::function<void(std::size_t frame, const Iteration& iteration)>;

    /// `ranks` divide frames among them. Frames that are already in the sink are left alone.
    FrameResults(const Scan& scan, const std::vector<Place>& places, ImageSink& sink,
                 JobRanks& ranks, const OnIteration& on_iteration, Reporter& report);

    /// Whether a frame has its turn here.
    bool has(std::size_t frame) const { return owner_[frame] == ranks_.here(); }
    bool was_finished(std::size_t frame) const { return is_finished_[frame] != 0; }
    /// The turn of a frame, which may fail alone: its image goes to the sink. A frame that another
    /// rank has, or that was finished, is passed over. Returns whether its image was made here.
    bool take(std::size_t frame, const std::function<ImageFrame()>& make);

    /// The turns of frames that begin one after the other and end together: `frames` of them, each
    /// of which is attempted as it begins and as it ends.
    void begin_together(std::size_t frames);
    void end_together();
    bool attempt(std::size_t frame, const std::function<void()>& work);
    void put(std::size_t frame, ImageFrame image);

    Monitor monitor_of(std::size_t frame);
    /// Whether another rank has the sink and does what follows.
    bool are_elsewhere() const { return !ranks_.is_first(); }
    /// Ends after the last frame: brings the results of the model check of each rank together.
    /// Throws the first error when every frame failed.
    void end(ModelCheck& model_check);

    const std::map<std::size_t, FailedFrame>& failed() const { return attempts_.failed(); }
    /// Each frame, without values.
    const std::vector<ImageFrame>& about() const { return about_; }
    std::size_t finished_before() const;

private:
    /// The report of a rank on a frame that it solved.
    struct Told {
        ImageFrame image; ///< its values follow
        std::uint64_t voxels = 0;
        FailedFrame failed; ///< failure, where there is no image
        Findings findings;
        std::vector<Iteration> iterations;
        template <typename Archive> void each(Archive& archive) {
            archive(image, voxels, failed, findings, iterations);
        }
    };
    Told told_of(std::size_t frame, const std::function<ImageFrame()>& make);
    void bring(std::size_t from, Told& told);
    void deliver(std::size_t frame, Told told, bool is_own);
    void next(std::size_t frame);

    const Scan& scan_;
    ImageSink& sink_;
    JobRanks& ranks_;
    OnIteration on_iteration_; ///< null for nobody
    Reporter& report_;
    Attempts attempts_;
    std::optional<FrameProgress> progress_;
    std::vector<ImageFrame> about_;
    std::string is_finished_; ///< 1 for each frame that an earlier run finished, else 0
    std::vector<std::size_t> order_; ///< order of the frames that are solved
    std::vector<std::size_t> owner_; ///< rank of each frame; none of those that were finished
    std::vector<std::size_t> turn_; ///< place of each frame in the order
    std::vector<Iteration> iterations_; ///< iterations of this rank, for the log of the first
};

} // namespace lsrecon
