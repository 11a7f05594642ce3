#pragma once

#include <functional>

#include "base/report.hpp"
#include "engines/transforms.hpp"
#include "operators/q_source.hpp"
#include "prepare/prepare_options.hpp"
#include "scan/failed_frames.hpp"
#include "scan/frame_source.hpp"
#include "scan/image_sink.hpp"
#include "solve/effort.hpp"
#include "solve/lambda_rules.hpp"
#include "solve/summary.hpp"

namespace lsrecon {

struct ReconstructOptions {
    PrepareOptions prepare;
    SolveOptions solve; ///< but for what follows from `effort`
    SolveEffort effort;
    /// None for the default: a rule where nothing else keeps noise out. An empty one for the lambda
    /// of `solve`, even 0.
    std::optional<RuleChoice> lambda_rule;
    QSource* q = nullptr; ///< null to compute Q
    std::size_t noise_replicas = 0; ///< for a noise map, at least 2; 0: none
    double certify = 0; ///< largest relative error of an image by its transforms; 0: not asked for
    /// Called with every residual of a frame; null for nobody.
    std::function<void(std::size_t frame, const Iteration& iteration)> on_iteration;
};

/// The rule that was asked for, or the default.
RuleChoice rule_of(const ReconstructOptions& options);
/// UsageError for an option of solvers, by its key, where the method does not solve.
void require_solves(const SolveOptions& solve, const std::string& key);
/// UsageError for options that contradict each other, whatever the scan.
void require_consistent(const ReconstructOptions& options);
/// With the accuracy that the image needs, for engines that are not exact, where none was asked for
/// (ComputeOptions::image_accuracy).
ComputeOptions with_accuracy_of_image(ComputeOptions compute, const ReconstructOptions& options);

/// What is known of an image beside its values.
struct Reconstructed {
    SolveSummary solves;
    Image about; ///< frames without values, numbers, tables, maps of the noise; no record
    std::size_t frames_finished_before = 0; ///< which the sink had
    std::map<std::size_t, FailedFrame> failed; ///< by their indices, of a scan of several
};

/// Reconstructs every frame of a scan that the sink lacks. A frame of several may fail alone; any
/// other failure throws an Error (base/error.hpp).
Reconstructed reconstruct(FrameSource& source, ImageSink& sink, Transforms& transforms,
                          ReconstructOptions options, Reporter& report);
/// The same on a device of its own, as `lsrecon recon` without options does it.
Reconstructed reconstruct(FrameSource& source, ImageSink& sink, ReconstructOptions options = {},
                          ComputeOptions compute = {});

} // namespace lsrecon
