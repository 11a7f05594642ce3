#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "io/hdf5_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

struct ReadOptions {
    /// Overrides what the file says or leaves open: "cycles/fov", "cycles/voxel", "rad/voxel",
    /// "1/m"; "" to believe the file.
    std::string trajectory_units;
    /// Accept a trajectory that stays within N/4 (scan/reach.hpp).
    bool low_resolution = false;
    /// Counters of raw data, of frame_counters(), that do not tell frames apart.
    std::vector<std::string> join{};
};

/// The counters of raw data that tell frames apart unless they are joined.
const std::vector<std::string>& frame_counters();

/// One way in which a scan can be stored.
struct ScanFormat {
    std::string name;
    std::string summary;
    bool built;
    /// By content, never by name.
    bool (*recognises)(const Hdf5Reader& file);
    /// InputError with the first thing that is wrong.
    Scan (*read)(const Hdf5Reader& file, const ReadOptions& options);
};

/// The table of formats that can be read: one row each.
const std::vector<ScanFormat>& scan_formats();

/// Reads a scan of any known format and checks it (scan/check.hpp).
/// InputError when no format knows it or something in it is wrong; NotBuiltError when the format
/// was left out of this build.
Scan read_scan(const std::string& path, const ReadOptions& options = {});

/// The same as a stage of its own, telling the scan's remarks.
Scan read_scan(const std::string& path, const ReadOptions& options, Reporter& report);

} // namespace lsrecon
