// Rules for the trajectory of raw data that stores none.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option.hpp"

namespace lsrecon {

/// A rule: readouts are one readout, rotated about z.
struct TrajectoryRule {
    /// A row of the table.
    struct Kind {
        std::string name;
        std::string summary;
        bool goes_on; ///< angles go on from frame to frame; otherwise each frame begins anew
        bool is_of_file; ///< the readout is in a file; otherwise a spoke through k = 0
        double degrees; ///< from readout to readout; 0: evenly over `range`
        double range; ///< of all readouts of a frame, in degrees
    };
    const Kind* kind;
    double degrees; ///< that of the kind, or the user's
    std::string file; ///< of an interleaf: FILE[:NAME]
};

const std::vector<TrajectoryRule::Kind>& trajectory_rules();

/// The rule that a word names; null for the name of a file.
std::optional<TrajectoryRule> trajectory_rule_of(const std::string& word);
/// An option that names a rule, or an array whose file is an input.
option::Value trajectory_value(std::string& member);

} // namespace lsrecon
