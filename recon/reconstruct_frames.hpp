#pragma once

#include <map>
#include <memory>
#include <optional>

#include "prepare/scan_equations.hpp"
#include "reconstruct.hpp"
#include "scan/attempts.hpp"
#include "solve/joint.hpp"

namespace lsrecon {

/// The frames of a scan, from their samples to the sink: one after another, or those of a place
/// together. A frame that the sink has is left alone. Ranks solve frames of a series each, as many
/// at a time as there are ranks, and the first one puts them into its sink in their order. All that
/// it is made of must outlive it.
class FrameSolves {
public:
    struct How {
        Transforms& transforms;
        const Plan& plan;
        const SolveOptions& options;
        const ReconstructOptions& asked;
        const LambdaCurve* curve; ///< by which lambda was chosen; null where it was not
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
    /// Whether another rank has the frames, and what follows is its to do.
    bool are_elsewhere() const { return !ranks_->is_first(); }
    /// After that, of the first frame that did not fail.
    void add_noise_map(Image& about);

private:
    /// What a rank has to tell of a frame that it solved.
    struct Told {
        ImageFrame image; ///< its values follow
        std::uint64_t voxels = 0;
        FailedFrame failed; ///< where there is no image
        std::vector<std::string> notes;
        std::vector<Iteration> iterations;
        template <typename Archive> void each(Archive& archive) {
            archive(image, voxels, failed, notes, iterations);
        }
    };
    void solve_round();
    Told solved_here(std::size_t frame);
    void bring(std::size_t from, Told& told);
    void take(std::size_t frame, Told told, bool is_own);
    void bring_models();
    static void add_scales_of_maps(Image& about);
    ImageFrame solve_alone(std::size_t frame);
    Monitor monitor_of(std::size_t frame);
    JointFrame begin(std::size_t frame, const JointFrame* before, SharedWorkspaces& shared);
    ImageFrame image_of(const Frame& frame, const Solved& solved, double error,
                        const SampledErrors& sampled, std::size_t unknowns) const;
    void measure_error(ImageFrame& image, std::size_t frame, double gain,
                       const std::vector<Volume>& fhd);
    void refine(ImageFrame& image, std::size_t frame);
    void give_units_of_maps(ImageFrame& image);
    double& amplification_of(std::size_t frame);
    void put(std::size_t frame, ImageFrame image);
    SolvedWith solved_with() const;

    PreparedScan& prepared_;
    const Scan& scan_;
    ScanEquations& equations_;
    How how_;
    ImageSink& sink_;
    Reporter& report_;
    Attempts attempts_;
    std::optional<FrameProgress> progress_;
    std::vector<ImageFrame> about_; ///< each frame, without values
    std::string is_finished_; ///< of each, 1 if by an earlier run, else 0
    JobRanks alone_;
    JobRanks* ranks_ = &alone_; ///< that solve frames each
    std::vector<std::size_t> round_; ///< frames that they solve next, one each
    std::vector<Iteration> iterations_; ///< of this rank's, for the log of the first
    double noise_of_sample_;
    double room_on_device_ = 0; ///< that frames together take, bytes
    std::vector<Volume> of_single_frame_; ///< its F^H d: it cannot be read again
    /// LambdaPoint::amplification of a place and a sampling, where a frame of them needed it.
    std::map<std::pair<std::size_t, const Sampling*>, double> amplifications_;
};

} // namespace lsrecon
