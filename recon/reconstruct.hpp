#pragma once

#include <optional>
#include <string>

#include "base/report.hpp"
#include "engines/backend.hpp"
#include "io/failed_frames.hpp"
#include "prepare/prepared_scan.hpp"
#include "solve/effort.hpp"
#include "solve/lambda_rules.hpp"
#include "solve/summary.hpp"

namespace lsrecon {

struct ReconstructOptions {
    ReadOptions read;
    PrepareOptions prepare;
    SolveOptions solve; ///< but for what follows from `effort`
    SolveEffort effort;
    RuleChoice lambda_rule;
    std::string q_file; ///< Q made before by 'lsrecon q'; "" to compute it
    std::string q_folder; ///< where Qs are kept for other runs; "" for none
    std::string prior; ///< image file that regularisers compare with; "" for none
    std::string preview; ///< PNG to write beside the image; "" for none
    std::string log; ///< table of iterations to write as they go; "" for none
    std::string truth; ///< image file to compare with; "" for none
    std::size_t noise_replicas = 0; ///< for a noise map, at least 2; 0: none
    bool resume = false; ///< continue what an earlier run had finished (io/part_folder.hpp)
    /// Settings of this run, name and value, for the record.
    std::vector<std::pair<std::string, std::string>> settings;
};

/// What is known of an image beside its values; its record holds the same.
struct Reconstructed {
    SolveSummary solves;
    std::optional<double> truth_error; ///< relative L2 of magnitudes
    std::size_t frames = 0;
    std::size_t frames_resumed = 0; ///< solved by an earlier run
    std::vector<FailedFrame> failed; ///< of a scan of several; NaN is in their place
};

/// From a scan file to an image file. A frame of several may fail alone (io/image_sink.hpp). Any
/// other failure throws and leaves no image. In both cases the finished frames of a scan of several
/// stay in IMAGE.part, which the next run continues with `resume`.
Reconstructed reconstruct(const std::string& scan_file, const std::string& image_file,
                          Backend& backend, const ReconstructOptions& options, Reporter& report);

} // namespace lsrecon
