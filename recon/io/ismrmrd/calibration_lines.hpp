// The lines that are flagged as parallel calibration alone, and which of them are the image's, too.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/header.hpp"

namespace lsrecon {

/// The frame that an acquisition belongs to.
using FrameOf = std::function<RawCounters(const RawCounters& counters)>;

/// A line that is flagged as parallel calibration and not as imaging.
struct CalibrationLine {
    std::size_t index; ///< its index in the file
    IsmrmrdHeader header;
    bool is_image = false; ///< whether it is in the image, too
    std::string why; ///< why it is, or is not
};

/// The lines for calibration alone of encodings that have image lines, in the order of the file.
/// Some sequences measure them between the image's lines, by the same readout: the centre of
/// k-space is then complete, and the image gains them.
std::vector<CalibrationLine> calibration_lines(const IsmrmrdFile& file,
                                               const MeasurementHeader& header,
                                               const ReadOptions& options, const FrameOf& frame_of);

} // namespace lsrecon
