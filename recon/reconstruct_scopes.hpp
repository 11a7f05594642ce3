// The scopes of a run: what lives for a slice, a trajectory and a frame.

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/report.hpp"
#include "encoding/certificate.hpp"
#include "encoding/joint.hpp"
#include "encoding/methods.hpp"
#include "encoding/noise_map.hpp"
#include "encoding/normal_operator.hpp"
#include "model/model_check.hpp"
#include "model/prepared_scan.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"
#include "plan/settle.hpp"
#include "reconstruct.hpp"

namespace lsrecon {

/// What all scopes of a run have: it is there from the start, and stays as it is.
struct Run {
    PreparedScan& prepared;
    QsOfRun& qs;
    const FormulationOptions& formulation_options;
    const ReconstructOptions& request;
    const SolveFacts& facts;
    const SolveOptions solve_before_choice; ///< settle() by these facts, before data choose numbers
    const FrameShape& shape; ///< of the largest frame
    ModelCheck& model_check;
    Reporter& report;
    bool errors_stay; ///< of the transforms, however exactly they compute
    std::size_t known_findings; ///< before frames are read

    const Scan& scan() const { return prepared.scan(); }
    const Method& method() const { return method_of(request.solve); }
};

/// Reads a frame other than the one of the pass and uses it. Nothing happens where its samples
/// cannot be read: the frame fails in a pass of its own, which reports it.
void with_readable_frame(const std::function<void()>& read_and_use);

/// How a run computes: the transforms, and by them the plans of all trajectories.
struct Compute {
    Compute(const Run& run, const Formulation& formulation, std::shared_ptr<Transforms> by);

    Route route_of(const Trajectory& trajectory) const;

    std::shared_ptr<Transforms> transforms;
    std::vector<TrajectoryPlan> trajectories;
};

/// A slice: its model, and what is made of its frames until they are solved together.
struct SliceScope {
    /// InputError when the model cannot be made. All must outlive it.
    SliceScope(const Run& run, Transforms& transforms, const Slice& slice);
    SliceScope(const SliceScope&) = delete;

    const Slice& slice;
    const Model model;
    const Formulation formulation;
    ImageSpace images;
    const DrawnVoxels drawn; ///< at which F^H d of its frames is certified, if it is
    bool is_compared = false; ///< whether the check of the model has seen this slice
    /// The symmetry of the frame that was begun last; null where it has none, or nobody asks.
    std::shared_ptr<const Symmetry> symmetry;
    KnownImage known() const { return {model.prior.get(), symmetry}; }
    SharedWorkspaces shared;
    std::vector<JointFrame> together; ///< frames that wait for the others of the slice
};

/// A trajectory of a slice: its encoding and normal operator, and once settings are chosen the
/// problem that is solved.
class TrajectoryScope {
public:
    TrajectoryScope(const Run& run, SliceScope& slice, const Compute& compute,
                    const Trajectory& trajectory);
    TrajectoryScope(const TrajectoryScope&) = delete;

    /// F^H d, or what the method has in its place.
    RightHandSides adjoint(const CoilRows& samples) const;
    /// The image of F^H d by the method. `settings` are those of the run, but for what watches a
    /// frame.
    Solved solve(const std::vector<Volume>& fhd, const SolveOptions& settings);
    /// What solve() solves by; made by its first caller, with settings that do not change, and
    /// anew for a frame with a symmetry of its own.
    const LeastSquares& problem(const SolveOptions& settings);
    /// Makes the system of frames that are solved together, which outlives this scope.
    std::shared_ptr<System> kept_system(const SolveOptions& settings);
    /// amplification() with the settings; computed where an image needs it first.
    double amplification(const SolveOptions& settings);

    const Run& run;
    SliceScope& slice;
    const Density weights; ///< of a method that does not solve
    const Encoding encoding;
    const std::optional<NormalOperator> n; ///< of a method that solves
    const std::optional<Certifier> certifier; ///< where transforms may be inexact
    const std::vector<std::size_t> readout_ends; ///< of its readouts, where these are known
    std::optional<ImageNoise> noise; ///< of the frames' images, once noise_of() is asked

private:
    std::optional<LeastSquares> problem_;
    std::shared_ptr<System> kept_system_;
    std::optional<double> amplification_;
};

/// A frame whose samples have become F^H d.
struct FrameData {
    std::size_t index;
    Frame frame; ///< without samples, once settings are chosen
    double energy = 0; ///< of the samples: ||W^1/2 d||^2
    /// The most of `energy` that noise can be where none was measured; else 0.
    double most_noise = 0;
    RightHandSides fhd = {};
    Certificate certificate = {};
    SymmetryOfFrame symmetry = {};
};

/// Reads a frame and transforms it. The model of its slice is compared with others by the first
/// good frame of the slice, whichever this one is: a run that is resumed finds the same.
FrameData begin_frame(const Run& run, TrajectoryScope& at, std::size_t f);
/// Transforms the samples of a frame that was read, which stay.
void transform(const TrajectoryScope& at, FrameData& data);

/// The image of a frame and what is known of its error.
ImageFrame solve_frame(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                       const Monitor& monitor);
/// UsageError where `conjugate_symmetry` has no phase to take out: of several coils without maps,
/// or of voxels off the grid.
void require_use_of_symmetry(const ReconstructOptions& options, const Formulation& formulation,
                             const Scan& scan);
/// InputError where the options need noise samples and there are none.
void require_noise(const Scan& scan, const ReconstructOptions& options);
/// The noise of the images of a trajectory, by the first frame that asks. `settings` are those of
/// the run.
const ImageNoise& noise_of(TrajectoryScope& at, const FrameData& data,
                           const SolveOptions& settings);
/// The image over the deviation of its noise: each real and each imaginary part of the noise then
/// has a standard deviation of 1 (Kellman and McVeigh 2005, MRM 54:1439). 0 where none is.
ImageFrame in_units_of_noise(ImageFrame image, const TrajectoryScope& at, const ImageNoise& noise);

/// What is known of the error of a frame before it is solved, by ||F^H d|| / (Q(0) ||rho||) of an
/// image like its own, and lambda. Refined as after the solve, or without the work that it takes.
ImageFrame errors_by_gain(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                          double gain, bool refined);

/// Keeps a frame for solve_together(). RunError when the device has no room.
void keep_for_others(TrajectoryScope& at, FrameData data, const SolveOptions& settings,
                     const MemoryBudget& budget, Monitor monitor);
/// Solves the frames of a slice that were kept. put(frame, image) is called for each.
void solve_together(const Run& run, const Transforms& transforms, SliceScope& slice,
                    const SolveOptions& settings,
                    const std::function<void(std::size_t f, ImageFrame image)>& put);

} // namespace lsrecon
