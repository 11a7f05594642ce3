#pragma once

#include <string>
#include <vector>

#include "app/recon.hpp"

namespace lsrecon::app {

/// A scan of a list.
struct ListedScan {
    std::string scan;
    std::string words; ///< options of its own
};

/// Scan files, or lists of them.
Option scans_option(std::vector<std::string>& scans);
/// Those of `lsrecon recon` that many scans may share.
OptionTable shared_options(ReconOptions& options);

/// All that these name. UsageError when it is none, and for a list that is missing.
std::vector<ListedScan> listed_scans(const std::vector<std::string>& scans);

} // namespace lsrecon::app
