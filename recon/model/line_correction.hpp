// The correction of Cartesian lines that run backwards, or are of several shots.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lsrecon {

struct ScanInPreparation;

/// What is done to lines of both directions.
struct LineCorrectionOptions {
    bool is_off = false;
    /// The phase of lines that run backwards in rad, and how many samples further along k they lie;
    /// found by default.
    std::optional<std::array<double, 2>> given = {};
};

/// Finds the phases of lines where some of a shot run backwards, or shots are known, and takes them
/// out of frames and calibrations where that is a ghost beyond doubt. Adds what it found to the
/// scan. UsageError for given phases of a scan without such lines.
void correct_lines(ScanInPreparation& preparation);

} // namespace lsrecon
