// The options of a reconstruction, and the rows by which users give them.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/option.hpp"
#include "encoding/q_store.hpp"
#include "engines/transforms.hpp"
#include "model/prepare_options.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/curves.hpp"

namespace lsrecon {

/// The part of SolveOptions that the user gives.
struct SolveEffort {
    std::optional<int> iterations;
    std::optional<double> tolerance;
    std::optional<bool> precondition;
};

struct ReconstructOptions {
    PrepareOptions prepare;
    SolveOptions solve; ///< but for what follows from `effort`
    SolveEffort effort;
    /// None for the default: a rule where nothing else keeps noise out. An empty one for the lambda
    /// of `solve`, even 0.
    std::optional<RuleChoice> lambda_rule;
    /// Whether regularisers that nobody names are tried beside least squares ("reg auto", "reg
    /// none"). By default where nothing else keeps noise out.
    std::optional<bool> best_regulariser;
    QStore* q = nullptr; ///< null to compute every Q
    std::size_t noise_solves = 0; ///< for a noise map at most, at least 2; 0: none
    bool conjugate_symmetry = false; ///< whether images of partial Fourier are nearly real
    bool snr_units = false; ///< whether images are divided by the deviation of their noise
    std::size_t most_noise_solves() const {
        return noise_solves > 0 ? noise_solves : usual_noise_solves;
    }
    static constexpr std::size_t usual_noise_solves = 150; ///< replicas then have an error of 4 %
    double certify = 0; ///< largest relative error of an image by its transforms; 0: not asked for
    /// Whether the model is compared with others, and noted what images leave of readouts and
    /// coils.
    bool is_checked = true;
    /// Called with every residual of a frame; null for nobody.
    std::function<void(std::size_t frame, const Iteration& iteration)> on_iteration;
};

/// UsageError for an option of solvers, by its key, where the method does not solve.
void require_solves(const SolveOptions& solve, const std::string& key);
/// UsageError for options that contradict each other, whatever the scan.
void require_consistent(const ReconstructOptions& options);

} // namespace lsrecon

namespace lsrecon::option {

/// The rows that several commands take, bound to the members of their structs.
OptionTable geometry_options(GeometryOptions& geometry);
OptionTable field_options(PrepareOptions& prepare);
OptionTable readout_options(PrepareOptions& prepare);
OptionTable maps_options(PrepareOptions& prepare,
                         const std::string& by_default = "the scan's, or espirit");
OptionTable device_options(ComputeOptions& compute,
                           const std::string& default_kernel = "the usual one",
                           const std::string& about_kernel =
                               "It settles the engine. `lsrecon devices` lists the kernels.");
Option device_option(std::string& device);
/// The options of the model and its solve, from the geometry of the image to the solver.
OptionTable solve_options(ReconstructOptions& options);
/// The files in which Q is kept.
OptionTable kept_q_options(std::string& q_file, std::string& q_folder);
/// Options by which an image reports its own noise and error.
OptionTable error_options(ReconstructOptions& options);

} // namespace lsrecon::option

namespace lsrecon {

/// A request: the options of a reconstruction and of the device that computes it.
struct Request {
    ReconstructOptions reconstruct;
    ComputeOptions compute;
};
/// The options of `recon` but those of files, by their keys: {{"lambda", "auto"}, {"reg", "tv"}}.
/// UsageError, in the words of the command line, for what no option takes and for options that
/// contradict each other. A file that one names is not read (read_values of reconstruct_file.hpp).
Request options_from(const option::Keywords& given);

} // namespace lsrecon
