#pragma once

#include <array>
#include <cstddef>

#include "base/error.hpp"
#include "base/types.hpp"
#include "io/raw_choice.hpp"

namespace lsrecon {

/// One readout as a raw data file stores it. Samples are in the order in which they were taken.
struct RawAcquisition {
    std::size_t index = 0; ///< its place in the file, from 0, for messages

    std::size_t samples = 0;
    std::size_t channels = 0;
    std::size_t trajectory_dimensions = 0; ///< 0: no trajectory is stored, Cartesian
    const float* trajectory = nullptr; ///< samples x trajectory_dimensions
    const float* values = nullptr; ///< channels x samples x {real, imaginary}

    std::size_t discard_pre = 0;
    std::size_t discard_post = 0;
    std::size_t center_sample = 0;
    double dwell = 0; ///< of a sample in s, 0 when unknown
    bool reversed = false; ///< a line that was taken from the end of k-space to its start
    std::array<long, 2> encode_steps{0, 0};
    long segment = 0;

    RawCounters counters{};
    Vec3 position{0, 0, 0}; ///< mm, LPS
    std::array<Vec3, 3> directions{}; ///< read, phase, slice; LPS; zero when unknown
};

/// refuse(acquisition, field, found, expected, next step) where more samples are to be discarded
/// than there are.
template <typename Refuse>
void check_discards(const RawAcquisition& acquisition, const Refuse& refuse) {
    if (acquisition.discard_pre + acquisition.discard_post > acquisition.samples) {
        refuse(acquisition, "discard_pre + discard_post",
               text(acquisition.discard_pre, " + ", acquisition.discard_post),
               text("at most the ", acquisition.samples, " samples of the acquisition"),
               "correct the acquisition header");
    }
}

} // namespace lsrecon
