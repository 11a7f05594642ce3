#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/error.hpp"

namespace lsrecon {

/// Consecutive readouts of one frame: the first, and the one after the last.
struct RawPart {
    std::size_t first = 0;
    std::size_t end = 0;
    bool holds(std::size_t readout) const { return readout >= first && readout < end; }
};

/// Parts of `length` readouts, each `stride` after the one before, as far as there are readouts.
std::vector<RawPart> cut(std::size_t readouts, std::size_t length, std::size_t stride);

/// Readouts that are in no part.
std::size_t left_over(std::size_t readouts, const std::vector<RawPart>& parts);

/// Readouts with a value that is no number, or that could not be read: the index of each in its raw
/// frame, and what is wrong with it.
using RawBad = std::vector<std::pair<std::size_t, InputError>>;

/// The samples of raw frames, once, and which of them each frame of the scan has.
class RawSamples {
public:
    /// C x M of the next raw frame.
    void add_raw(CoilRows samples, RawBad bad) {
        raw_.push_back({std::move(samples), std::move(bad)});
    }
    /// A frame of the scan: these readouts of the raw frame that is added next, and their samples.
    void add_frame(const RawPart& readouts, std::size_t first_sample, std::size_t count) {
        frames_.push_back({raw_.size(), readouts, first_sample, count});
    }

    /// Of a frame's bad readouts the first; null when there is none.
    const InputError* error_of(std::size_t frame) const;
    /// Of a frame of the scan. Those of a single frame can be taken once. InputError when the frame
    /// has a bad readout.
    CoilRows take(std::size_t frame);

private:
    struct Place {
        std::size_t raw;
        RawPart readouts;
        std::size_t first;
        std::size_t count;
    };
    struct Raw {
        CoilRows samples;
        RawBad bad;
    };
    std::vector<Raw> raw_;
    std::vector<Place> frames_;
};

} // namespace lsrecon
