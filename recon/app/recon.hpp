// Reconstructions as the commands recon, batch and predict ask for them.
#pragma once

#include "app/command.hpp"
#include "app/console.hpp"
#include "io/scan_file.hpp"
#include "plan/plan.hpp"
#include "reconstruct_file.hpp"

namespace lsrecon::app {

/// The options of `lsrecon recon`.
struct ReconOptions {
    std::string scan;
    std::string output;
    std::string like; ///< an image whose options were taken
    bool quiet = false;
    bool json = false; ///< the facts of the image on stdout
    ComputeOptions compute;
    FileOptions reconstruct;
};
OptionTable options_of_recon(ReconOptions& options);
/// The options that change what is computed, but not where it goes and how it is reported.
OptionTable computing_options(ReconOptions& options);

/// The hashes of the files that the options name.
HashesOfFiles hashes_of_files(ReconOptions& options);

/// Settles the options that follow from others, for reconstruct_file(). UsageError for those that
/// contradict each other.
void settle_options(ReconOptions& options);
/// settle_options() after a look at the files; errors of require_files().
void settle_and_check_files(ReconOptions& options);

/// An error where frames failed, or the image may be wrong by more than was asked for. It is
/// written in both cases.
void require_as_requested(const ReconOptions& options, const ReconstructedFile& result);

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

/// A scan without its samples, and what it is reconstructed with.
struct KnownScan {
    StoredScan stored;
    Grid grid; ///< grid of the image
    std::shared_ptr<const OffResonance> field; ///< null for none
    double bytes; ///< size of the file
};

/// Reads it. InputError as of open_scan and read_volumes.
KnownScan known_scan(ReconOptions& options);

struct PredictedOn {
    DeviceInfo device;
    Plan plan;
};

PredictedOn predict_on(Transforms& transforms, const ReconOptions& options, const KnownScan& scan);

} // namespace lsrecon::app
