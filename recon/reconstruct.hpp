#pragma once

#include <string>

#include "backend/backend.hpp"
#include "base/report.hpp"
#include "io/formats.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

struct ReconstructOptions {
    ReadOptions read;
    SolveOptions solve;
    std::string q_file; ///< Q made before by 'lsrecon q'; "" to compute it
    std::string preview; ///< PNG to write beside the image; "" for none
    /// The settings of this run, name and value, for the record.
    std::vector<std::pair<std::string, std::string>> settings;
};

/// From a scan file to an image file. Any failure throws and leaves no image.
void reconstruct(const std::string& scan_file, const std::string& image_file, Backend& backend,
                 const ReconstructOptions& options, Reporter& report);

} // namespace lsrecon
