#pragma once

#include <string>

#include "base/option.hpp"
#include "plan/options.hpp"

namespace lsrecon::option {

/// The rows that several commands take, bound to the members of their structs.
OptionTable place_options(GeometryOptions& geometry);
OptionTable field_options(PrepareOptions& prepare);
OptionTable maps_options(PrepareOptions& prepare,
                         const std::string& usual = "the scan's, or espirit");
OptionTable coils_options(PrepareOptions& prepare);
OptionTable regularisation_options(std::string& lambda, ReconstructOptions& options);
OptionTable method_options(SolveOptions& solve);
OptionTable solver_options(SolveOptions& solve, SolveEffort& effort, std::string& q_file,
                           std::string& q_folder);
OptionTable device_options(ComputeOptions& compute,
                           const std::string& usual_kernel = "the usual one",
                           const std::string& about_kernel =
                               "It settles the engine. `lsrecon devices` lists the kernels.");
Option device_option(std::string& device);
/// What an image says of its own noise and error.
OptionTable error_options(ReconstructOptions& options);

} // namespace lsrecon::option
