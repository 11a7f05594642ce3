// Counts the acquisitions of each frame by their counters, and decides which frames and calibration
// lines are read.

#include "io/ismrmrd/choice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

std::string label(const RawCounters& counters, const std::array<bool, 5>& named) {
    std::string result;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (named[i]) {
            result += text(result.empty() ? "" : ", ", frame_counters()[i], " ", counters[i]);
        }
    }
    return result;
}

RawChoice::RawChoice(const ReadOptions& options) : options_(options) {
    for (const std::string& name : options.join) {
        const auto& names = frame_counters();
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            throw UsageError("`join`: unknown counter \"" + name + "\"");
        }
        joined_[static_cast<std::size_t>(found - names.begin())] = true;
    }
    for (std::size_t i = 0; i < joined_.size(); ++i) {
        if (joined_[i] && !options.counters[i].empty()) {
            const std::string& name = frame_counters()[i];
            throw UsageError("`" + name + "` chooses frames by a counter that `join` " + name +
                             " ignores; leave one of them out");
        }
    }
}

RawCounters RawChoice::frame_of(RawCounters counters) const {
    for (std::size_t i = 0; i < counters.size(); ++i) {
        counters[i] = joined_[i] ? std::uint16_t(0) : counters[i];
    }
    return counters;
}

void RawChoice::count_calibration(const RawCounters& counters) {
    const RawCounters of = frame_of(counters);
    if (std::find(calibrations_.begin(), calibrations_.end(), of) == calibrations_.end()) {
        calibrations_.push_back(of);
    }
}

void RawChoice::count(const RawCounters& counters, std::size_t samples) {
    Counted& of_frame = frames_[frame_of(counters)];
    ++of_frame.acquisitions;
    of_frame.samples += samples;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        values_[i].insert(counters[i]);
    }
}

std::string RawChoice::counters() const {
    std::string result;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        result +=
            text(i == 0 ? "" : ", ", frame_counters()[i], " ", IndexList(values_[i]).shortened());
    }
    return result;
}

std::size_t RawChoice::samples() const {
    std::size_t sum = 0;
    for (const auto& [counters, of_frame] : frames_) {
        sum += of_frame.chosen ? of_frame.samples : 0;
    }
    return sum;
}

std::string RawChoice::listed() const {
    std::string result;
    for (std::size_t i = 0; i < varying_.size(); ++i) {
        std::set<std::size_t> values;
        for (const auto& [counters, of_frame] : frames_) {
            values.insert(counters[i]);
        }
        if (values.size() == 1 && options_.counters[i].empty()) {
            continue;
        }
        result += text(result.empty() ? "" : "; ", frame_counters()[i], " ",
                       IndexList(values).to_string());
    }
    return text(counted(frames_.size(), "frame"), result.empty() ? "" : ": ", result);
}

std::string RawChoice::choice_in_words() const {
    std::string result;
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        const IndexList& list = options_.counters[i];
        result += list.empty() ? "" : " `" + frame_counters()[i] + "` " + list.to_string();
    }
    return result + (options_.frames.empty() ? "" : " `frames` " + options_.frames.to_string());
}

void RawChoice::decide(const std::string& file, const std::string& dataset) {
    const bool cut = options_.spokes_per_frame > 0; // then frames are those that it is cut into
    std::size_t index = 0;
    bool any = false;
    for (auto& [counters, of_frame] : frames_) {
        of_frame.chosen = true;
        for (std::size_t i = 0; i < counters.size(); ++i) {
            of_frame.chosen = of_frame.chosen && options_.counters[i].admits(counters[i]);
            varying_[i] = varying_[i] || counters[i] != frames_.begin()->first[i];
        }
        if (of_frame.chosen && !cut) {
            of_frame.chosen = options_.frames.admits(index++);
        }
        any = any || of_frame.chosen;
    }
    require_listed(file, dataset + ", chosen frames");
    if (!cut && index > 0) {
        require_frames(options_.frames, index, file, dataset + ", chosen frames");
    }
    if (!any && !frames_.empty()) {
        throw InputError({file, dataset + ", chosen frames", "none of" + choice_in_words(),
                          listed(),
                          "choose from these; `frames` counts from 0 after the other choices"});
    }
    decide_on_calibrations();
}

/// Checks that the scan has something of every range of counters.
void RawChoice::require_listed(const std::string& file, const std::string& thing) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const std::string& name = frame_counters()[i];
        const IndexList missing = options_.counters[i].ranges_with_none_of(values_[i]);
        if (!missing.empty()) {
            throw InputError({file, thing,
                              text("no ", name, " ", missing.to_string(), " of `", name, "` ",
                                   options_.counters[i].to_string()),
                              name + " " + IndexList(values_[i]).shortened(),
                              "choose from these by `" + name + "`"});
        }
    }
}

bool RawChoice::wants(const RawCounters& frame) const {
    const auto known = frames_.find(frame);
    return known != frames_.end() && known->second.chosen;
}

void RawChoice::decide_on_calibrations() {
    std::set<std::array<std::uint16_t, 3>> served;
    std::set<std::uint16_t> served_slices;
    for (const RawCounters& of : calibrations_) {
        if (wants(of) &&
            served.insert({of[Counter::slice], of[Counter::contrast], of[Counter::set]}).second) {
            served_slices.insert(of[Counter::slice]);
            wanted_calibrations_.insert(of);
        }
    }
    for (const RawCounters& of : calibrations_) {
        const bool needed = std::any_of(frames_.begin(), frames_.end(), [&](const auto& entry) {
            return entry.second.chosen && entry.first[Counter::slice] == of[Counter::slice];
        });
        if (needed && served_slices.insert(of[Counter::slice]).second) {
            wanted_calibrations_.insert(of);
        }
    }
}

void RawChoice::add_facts(std::vector<std::string>& facts) const {
    std::size_t frames = 0;
    std::size_t acquisitions = 0;
    for (const auto& [counters, of_frame] : frames_) {
        frames += of_frame.chosen ? 0 : 1;
        acquisitions += of_frame.chosen ? 0 : of_frame.acquisitions;
    }
    if (frames > 0) {
        facts.push_back(text("left out ", counted(frames, "frame"), " of ",
                             counted(acquisitions, "acquisition"), "; chosen:", choice_in_words()));
    }
    if (!options_.join.empty()) {
        facts.push_back("acquisitions that differ in " + comma_separated(options_.join) +
                        " alone are joined into a frame");
    }
}

} // namespace lsrecon
