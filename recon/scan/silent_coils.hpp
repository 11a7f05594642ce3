#pragma once

#include <vector>

#include "base/coil_rows.hpp"
#include "base/finding.hpp"

namespace lsrecon {

/// Whether all samples of a coil are 0.
bool is_silent(const CoilRows& samples, std::size_t coil);

/// Coils and frames whose samples are all exactly 0: noise never is, but samples that were not
/// written are. A scan of nothing else is refused (scan/check_samples.hpp).
class SilentCoils {
public:
    /// The samples of the next frame, C x M.
    void add(const CoilRows& samples);
    /// The next frame cannot be looked at.
    void skip() { ++next_; }

    /// Whether every sample of every frame that was looked at is 0.
    bool all() const { return empty_.size() == frames_; }
    /// Frames in which every coil is silent.
    const std::vector<std::size_t>& empty() const { return empty_; }
    /// Every coil that is silent, and frames in which every coil is.
    Findings findings() const;

private:
    std::size_t next_ = 0;
    std::size_t frames_ = 0; ///< number of frames that were looked at
    std::vector<std::vector<std::size_t>> silent_; ///< frames of each coil
    std::vector<std::size_t> empty_; ///< frames in which every coil is silent
};

} // namespace lsrecon
