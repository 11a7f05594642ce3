// Readouts and coils that are left out of a scan before anything else is done with it.

#pragma once

#include <map>
#include <string>
#include <vector>

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
    /// The numbers in the file of as many readouts of a frame, and coils, that are left.
    std::vector<std::size_t> readouts_in_file(std::size_t frame, std::size_t count) const;
    std::vector<std::size_t> coils_in_file(std::size_t count) const;
};

/// Adds "readouts:17,20-22", "coils:3" or "auto". What was expected in place of a word that it
/// refuses, else "".
std::string add_word(LeaveOut& leave_out, const std::string& word);
std::string words_of(const LeaveOut& leave_out);

} // namespace lsrecon
