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
OptionTable device_options(ComputeOptions& compute,
                           const std::string& usual_kernel = "the usual one",
                           const std::string& about_kernel =
                               "It settles the engine. `lsrecon devices` lists the kernels.");
Option device_option(std::string& device);
/// What is solved, from the slice of the image to the solver.
OptionTable solve_options(ReconstructOptions& options);
/// The files in which Q is kept.
OptionTable kept_q_options(std::string& q_file, std::string& q_folder);
/// What an image says of its own noise and error.
OptionTable error_options(ReconstructOptions& options);

} // namespace lsrecon::option

namespace lsrecon {

/// What is asked of a reconstruction.
struct Request {
    ReconstructOptions reconstruct;
    ComputeOptions compute;
};
/// The options of `recon` but those of files, by their keys: {{"lambda", "auto"}, {"reg", "tv"}}.
/// UsageError, in the words of the command line, for what no option takes and for options that
/// contradict each other. A file that one names is not read (read_values of reconstruct_file.hpp).
Request options_from(const option::Keywords& given);

} // namespace lsrecon
