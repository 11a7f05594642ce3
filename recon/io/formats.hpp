// The table of scan formats, and the options by which a scan is read.

#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/ranges.hpp"
#include "base/report.hpp"
#include "io/hdf5/reader.hpp"
#include "scan/check.hpp"
#include "scan/grid.hpp"
#include "scan/readouts.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Files with numbers of samples that stand in place of the scan's own (io/beside.hpp); "" for
/// none.
struct SamplesBeside {
    std::string trajectory;
    std::string weights;
    std::string times;
};

struct ReadOptions {
    /// Overrides what the file says or leaves open: "cycles/fov", "cycles/voxel", "rad/voxel",
    /// "1/m"; "" to believe the file.
    std::string trajectory_units;
    /// Accept a trajectory that stays within N/4 (scan/findings.hpp).
    bool low_resolution = false;
    /// Values of the user in place of the file's header, X, Y (and Z): "fov_mm", "matrix".
    std::map<std::string, std::vector<double>> header{};
    /// The values of one name in `header`; none where the user says nothing.
    std::vector<double> given(const std::string& name) const;
    /// Counters of raw data, out of frame_counters(), that do not separate frames.
    std::vector<std::string> join{};
    /// The top-level group of raw data in HDF5 to read; "" for the first with image data.
    std::string group{};
    /// The encoding of raw data to read; without it the first that has image data.
    std::optional<std::size_t> encoding{};
    /// Raw data: whether lines that are flagged as parallel calibration alone are in the image,
    /// too: "image", "maps" (they are not), "auto" (those that its readout measured between its
    /// lines).
    std::string calibration_lines = "auto";
    /// Values of each of frame_counters() that are read; empty: all.
    std::array<IndexList, 5> counters{};
    /// Frames that are read, of those that the counters leave; empty: all.
    IndexList frames{};
    /// Raw data: readouts of each of the frames into which one is cut; 0: it is not cut.
    std::size_t spokes_per_frame = 0;
    /// Readouts from the start of one such frame to that of the next; 0: spokes_per_frame.
    std::size_t stride = 0;
    /// Calibration lines are the image of an encoding that was asked for and has these alone.
    bool for_maps = false;
    /// The pose and grid of the image: readouts of raw data are cropped around it, and it leaves
    /// out samples beyond its matrix. With shift_to_position every acquisition of a frame must have
    /// one position and orientation, and all frames one orientation.
    GeometryOptions image{};
    /// Whether samples need times because another file has a field map.
    bool with_times = false;
    /// Whether the scan itself must have them.
    bool needs_times() const { return with_times && beside.times.empty(); }
    /// Whether noise samples whiten the coils: they must then be as strong as the noise of all
    /// samples.
    bool whitens = false;
    /// Whether a scan of several frames may have some whose samples or own trajectory have values
    /// that are not finite.
    bool bad_frames = false;
    SamplesBeside beside{};
};

/// The counters of raw data that separate frames unless they are joined.
const std::vector<std::string>& frame_counters();

/// A scan as its file holds it: nothing is checked yet but what reading needs.
struct StoredScan {
    Scan scan; ///< its frames have C x 0 samples
    /// Reads the samples of a frame. Those of a single frame are asked for once.
    std::function<CoilRows(std::size_t frame)> samples;
    /// Whether its frames have the trajectory that ReadOptions name beside the scan.
    bool has_trajectory_beside = false;
};

/// A scan of which no array was read.
struct ScanHeader {
    std::optional<ScanShape> shape; ///< none where the file lists voxels
    /// Reads everything but samples; of raw data these too. Called once, while the file is open.
    /// InputError with the first thing that is wrong.
    std::function<StoredScan()> load;
};

struct Simulation;

/// One way in which a scan can be stored.
struct ScanFormat {
    std::string name;
    std::string summary;
    bool built;
    /// Whether the file's content, never its name, is of this format.
    bool (*recognises)(const Hdf5Reader& file);
    /// InputError with the first thing that is wrong.
    ScanHeader (*open)(const std::shared_ptr<const Hdf5Reader>& file, const ReadOptions& options);

    std::vector<std::string> endings; ///< endings that choose it for an output
    /// UsageError when the format cannot hold the scan, which need not have samples yet.
    void (*require_holds)(const std::string& path, const Simulation& simulation);
    /// Writes the whole file or none. Notes everything that is not where a reader of the format
    /// would look for it.
    void (*write)(const std::string& path, const Simulation& simulation, Reporter& report);
};

/// The table of formats: one row each.
const std::vector<ScanFormat>& scan_formats();

/// "ISMRMRD raw data"; "" when it is no scan.
std::string name_of_scan_format(const Hdf5Reader& file);
/// The name of the format of any file: "raw data" for what a vendor's scanner wrote, which is no
/// HDF5; "" when it is no scan.
std::string name_of_scan_format(const std::string& path);

/// The format of an output: `name` where it is not "", else that of the path's ending, else the
/// native one.
const ScanFormat& scan_format_of_output(const std::string& path, const std::string& name);

/// One way in which a scan can be stored that is no HDF5.
struct ByteFormat {
    std::string name;
    std::string summary;
    bool built;
    bool (*recognises)(const InputFile& file);
    ScanHeader (*open)(const InputFile& file, const ReadOptions& options);
};

/// The table of formats that are no HDF5.
const std::vector<ByteFormat>& byte_formats();
/// The format of the file's bytes; null when none knows it: it should be HDF5.
const ByteFormat* byte_format_of(const InputFile& file);

/// A scan file that is open and being hashed.
struct OpenScan : ScanHeader {
    std::shared_ptr<InputFile> file;
};

/// Opens a scan of the format that its content has. InputError when no format knows the file, or
/// something in it is wrong.
OpenScan open_scan(const std::string& path, const ReadOptions& options);

/// Reads a whole scan into memory; ScanFile (io/scan_file.hpp) has its frames one at a time.
/// Errors as of open_scan.
Scan read_scan(const std::string& path, const ReadOptions& options = {});

} // namespace lsrecon
