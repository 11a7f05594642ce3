// Reconstructs a scan file to an image file in three steps: read, compute, write.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/scan_file.hpp"
#include "io/shared_values.hpp"
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
    /// Hashes of the files that the settings name; null if the settings have them.
    std::function<Record()> hashes = {};
};

struct ReconstructedFile : Reconstructed {
    std::optional<double> truth_error; ///< relative L2 of magnitudes
};

class ImageFile;
class KeptQ;

/// A reconstruction from a scan file to an image file in three steps, each called once and after
/// the one before. Each may run on a thread of its own, so that another scan is read, and another
/// image written, while a device computes; the thread that reads a scan of several frames must last
/// until compute() returns.
class FileReconstruction {
public:
    /// `shared` has what other scans leave and take. All but names must outlive it.
    FileReconstruction(std::string scan_file, std::string image_file, Transforms& transforms,
                       const FileOptions& options, Reporter& report, SharedByScans shared = {});
    ~FileReconstruction();

    /// The scan, and what is named beside it. The device is asked what it has, and computes
    /// nothing.
    void read();
    ReconstructedFile compute();
    /// The image, without the device.
    void write();
    /// The image without its values, as its file has it; on the first rank, after compute().
    const Image& image() const;

private:
    void check_before_samples(const Scan& scan);
    void open();
    bool is_shared() const;
    /// Returns the transforms of all ranks, or those of this rank where the first computes alone.
    Transforms& transforms() { return alone_ ? *alone_ : transforms_; }
    void find_what_does_not_fit();
    StoredVolumes field_of_echoes();
    template <typename Step> auto noting_what_is_kept(const Step& step);

    const std::string scan_file_;
    const std::string image_file_;
    Transforms& transforms_;
    const FileOptions& options_;
    Reporter& report_;
    const SharedByScans shared_;
    ReconstructOptions request_;
    ReadOptions read_;
    std::unique_ptr<ImageFile> image_; ///< of the first rank
    std::unique_ptr<KeptQ> q_; ///< null where every Q is computed
    std::unique_ptr<ScanFile> source_; ///< until it is computed
    std::unique_ptr<Transforms> alone_; ///< null where ranks share work, or there is one
};

/// The three steps. A frame of several may fail alone (scan/failed_frames.hpp). Any
/// other failure throws and leaves no image. In both cases the finished frames of a scan of several
/// stay in IMAGE.part, which the next run continues with `resume`. Of ranks the first one writes.
ReconstructedFile reconstruct_file(const std::string& scan_file, const std::string& image_file,
                                   Transforms& transforms, const FileOptions& options,
                                   Reporter& report);

/// The field map that an image is made with, or null: the scan's, or that of a file as it has it,
/// whose values stay in `prepare`.
std::shared_ptr<const OffResonance> field_of(PrepareOptions& prepare, const Scan& scan);

/// What was asked for of a scan, with what reading must know of how it will be prepared.
ReadOptions reading_for(const PrepareOptions& prepare, ReadOptions read_options);

/// Reads the volumes that are named beside the scan and not there yet, or takes them of `shared`.
/// `scan` is as its file has it. InputError as of read_volumes.
void read_values(PrepareOptions& prepare, const Scan& scan, SharedValues* shared = nullptr);

} // namespace lsrecon
