#pragma once

#include "app/command.hpp"
#include "app/console.hpp"
#include "reconstruct_file.hpp"

namespace lsrecon::app {

/// The options of `lsrecon recon`.
struct ReconOptions {
    std::string scan;
    std::string output;
    bool quiet = false;
    bool json = false; ///< the facts of the image on stdout
    ComputeOptions compute;
    FileOptions reconstruct;
};
OptionTable options_of(ReconOptions& options);
/// The options that change what is computed, but not where it goes and how it is told.
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
void require_as_asked(const ReconOptions& options, const ReconstructedFile& result);

} // namespace lsrecon::app
