// The choice of frames among the acquisitions of raw data.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/formats.hpp"
#include "io/ismrmrd/file.hpp"

namespace lsrecon {

/// "slice 2, repetition 3": those counters that are named.
std::string label(const RawCounters& counters, const std::array<bool, 5>& named);

/// The choice of the frames of raw data that are read. Every acquisition of the image is counted
/// first; then it is known which frames there are, and which of them were asked for.
class RawChoice {
public:
    /// UsageError for a counter to join that raw data does not have.
    explicit RawChoice(const ReadOptions& options);

    /// The frame that an acquisition belongs to: its counters, 0 where they are joined.
    RawCounters frame_of(RawCounters counters) const;

    /// An acquisition of the image, and how many samples a coil it says it has.
    void count(const RawCounters& counters, std::size_t samples);
    /// An acquisition for coil maps.
    void count_calibration(const RawCounters& counters);
    /// Decides after the last acquisition. InputError that lists the counters there are when no
    /// counted frame is chosen.
    void decide(const std::string& file, const std::string& dataset);

    /// Whether a frame is wanted; also for counters that no acquisition of the image has.
    bool wants(const RawCounters& frame) const;
    /// Samples a coil of all frames that are wanted.
    std::size_t samples() const;
    /// Whether calibration of these counters is wanted: the first of every contrast and set that a
    /// wanted frame has; in a slice without any, the first of the slice.
    bool wants_calibration(const RawCounters& frame) const {
        return wanted_calibrations_.count(frame) > 0;
    }
    /// Whether there is any, wanted or not.
    bool has_calibration() const { return !calibrations_.empty(); }
    /// Counters that differ between the frames of the file, wanted or not.
    const std::array<bool, 5>& varying() const { return varying_; }
    /// The values that acquisitions have, chosen or not, as the flags take them: "slice 0-2,
    /// contrast 0, ...".
    std::string counters() const;
    /// Adds the facts about frames that are left out or joined.
    void add_facts(std::vector<std::string>& facts) const;

private:
    struct Counted {
        std::size_t acquisitions = 0;
        std::size_t samples = 0;
        bool chosen = false;
    };
    void decide_on_calibrations();
    void require_listed(const std::string& file, const std::string& thing) const;
    /// Describes the file's frames by the counters that differ or were asked for, for the error
    /// when none is chosen.
    std::string listed() const;
    std::string choice_in_words() const; ///< " --slice 1-2 --frames 0"

    ReadOptions options_;
    std::array<bool, 5> joined_{};
    std::map<RawCounters, Counted> frames_;
    std::array<bool, 5> varying_{};
    std::vector<RawCounters> calibrations_; ///< each once, as they come in the file
    std::set<RawCounters> wanted_calibrations_;
    std::array<std::set<std::size_t>, 5> values_; ///< values of every counter, joined or not
};

} // namespace lsrecon
