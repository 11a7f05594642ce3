#pragma once

#include <memory>
#include <optional>

#include "prepare/scan_equations.hpp"
#include "reconstruct.hpp"
#include "scan/attempts.hpp"
#include "solve/joint.hpp"

namespace lsrecon {

/// The frames of a scan, from their samples to the sink: one after another, or those of a place
/// together. A frame that the sink has is left alone. All that it is made of must outlive it.
class FrameSolves {
public:
    struct How {
        Transforms& transforms;
        const Plan& plan;
        const SolveOptions& options;
        const ReconstructOptions& asked;
        /// LambdaPoint::amplification of this lambda; 0 where it is not known: then of the first
        /// frame that needs it.
        double amplified;
    };

    /// InputError when frames that are solved together find no room (reconstruct_cost.hpp).
    FrameSolves(PreparedScan& prepared, ScanEquations& equations, const How& how, ImageSink& sink,
                Reporter& report);

    void solve(std::size_t frame);
    /// One frame's samples at a time become F^H d and Q, which stay, and then all are solved.
    /// RunError when the device has no room.
    void solve_together(const Place& place);

    /// After the last frame. The first error when every frame failed.
    Reconstructed result();
    /// After that, of the first frame that did not fail.
    void add_noise_map(Image& about);

private:
    Monitor monitor_of(std::size_t frame) const;
    JointFrame begin(std::size_t frame, const JointFrame* before, SharedWorkspaces& shared);
    ImageFrame image_of(const Frame& frame, const Solved& solved, double error,
                        const SampledErrors& sampled) const;
    void measure_error(ImageFrame& image, std::size_t frame, double gain,
                       const std::vector<Volume>& fhd);
    void refine(ImageFrame& image, std::size_t frame);
    void put(std::size_t frame, ImageFrame image);

    PreparedScan& prepared_;
    const Scan& scan_;
    ScanEquations& equations_;
    How how_;
    ImageSink& sink_;
    Reporter& report_;
    Attempts attempts_;
    std::optional<FrameProgress> progress_;
    std::vector<ImageFrame> about_; ///< each frame, without values
    std::vector<bool> is_finished_; ///< by an earlier run
    double noise_of_sample_;
    double room_on_device_ = 0; ///< that frames together take, bytes
    std::vector<Volume> of_single_frame_; ///< its F^H d: it cannot be read again
};

} // namespace lsrecon
