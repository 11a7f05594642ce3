#pragma once

#include <optional>
#include <string>

#include "io/scan_file.hpp"
#include "reconstruct.hpp"

namespace lsrecon {

/// A reconstruction from a scan file to an image file.
struct FileOptions : ReconstructOptions {
    ReadOptions read = {};
    std::string q_file = {}; ///< Q made before by 'lsrecon q'; "" to compute it
    std::string q_folder = {}; ///< where Qs are kept for other runs; "" for none
    std::string preview = {}; ///< PNG to write beside the image; "" for none
    std::string log = {}; ///< table of iterations to write as they go; "" for none
    std::string truth = {}; ///< image file to compare with; "" for none
    bool resume = false; ///< continue what an earlier run had finished (io/part_folder.hpp)
    Record settings = {}; ///< of this run, for the record
};

struct ReconstructedFile : Reconstructed {
    std::optional<double> truth_error; ///< relative L2 of magnitudes
};

/// From a scan file to an image file. A frame of several may fail alone (scan/attempts.hpp). Any
/// other failure throws and leaves no image. In both cases the finished frames of a scan of several
/// stay in IMAGE.part, which the next run continues with `resume`. Of ranks the first one writes.
ReconstructedFile reconstruct_file(const std::string& scan_file, const std::string& image_file,
                                   Transforms& transforms, const FileOptions& options,
                                   Reporter& report);

/// What reading a scan must know of how it will be prepared.
void tell(const PrepareOptions& prepare, ReadOptions& read);

/// Reads the maps, the field map and the prior image that are named. `scan` is as its file has it.
/// InputError as of read_maps, read_field and read_prior.
void read_values(PrepareOptions& prepare, const Scan& scan);

} // namespace lsrecon
