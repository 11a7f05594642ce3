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
/// The options of `lsrecon recon` that many scans may share.
OptionTable shared_options(ReconOptions& options);

/// The options of a scan of a list, derived from those of all; they are not settled yet. UsageError
/// for its words.
ReconOptions options_for(const ListedScan& listed, const ReconOptions& of_all);

/// All scans that these words name. UsageError when there is none, and for a list that is missing.
std::vector<ListedScan> listed_scans(const std::vector<std::string>& scans);

} // namespace lsrecon::app
