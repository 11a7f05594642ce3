// Readouts and coils that are left out of a scan before anything else is done with it.

#pragma once

#include <map>
#include <string>

#include "base/ranges.hpp"

namespace lsrecon {

/// What is left out, by numbers in the file, from 0.
struct LeaveOut {
    /// What clearly does not fit is found first, by an image of each frame (reconstruct_file.hpp).
    bool automatic = false;
    IndexList readouts; ///< of every frame
    IndexList coils;
    std::map<std::size_t, IndexList> readouts_of_frames = {}; ///< those found, by their frames

    bool any() const { return !readouts.empty() || !coils.empty() || !readouts_of_frames.empty(); }
    bool has_readout(std::size_t frame, std::size_t readout) const;
    /// The numbers in the file of a readout and of a coil that are left.
    std::size_t readout_in_file(std::size_t frame, std::size_t readout) const;
    std::size_t coil_in_file(std::size_t coil) const;
};

/// Adds "readouts:17,20-22", "coils:3" or "auto". What was expected in place of a word that it
/// refuses, else "".
std::string add_word(LeaveOut& leave_out, const std::string& word);
std::string words_of(const LeaveOut& leave_out);

} // namespace lsrecon
