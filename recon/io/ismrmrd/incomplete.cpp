// Compares the readouts of the frames of each contrast, phase and set, and the repetitions of each
// slice.

#include "io/ismrmrd/frames.hpp"

#include <algorithm>
#include <set>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

/// A frame among those that are read.
struct Numbered {
    std::size_t index;
    RawCounters counters;
    const RawFrame* frame;
    std::size_t readouts() const { return frame->ends.size(); }
};
using FramesOfKind = std::vector<Numbered>; ///< frames of one contrast, phase and set

std::vector<FramesOfKind> kinds_of(const RawFrames& raw) {
    std::map<std::array<std::uint16_t, 3>, FramesOfKind> kinds;
    std::size_t index = 0;
    for (const auto& [of, frame] : raw.frames) {
        kinds[{of[Counter::contrast], of[Counter::phase], of[Counter::set]}].push_back(
            {index++, of, &frame});
    }
    std::vector<FramesOfKind> result;
    for (auto& [counters, kind] : kinds) {
        result.push_back(std::move(kind));
    }
    return result;
}

/// The position in k-space at which each readout ends.
std::vector<std::vector<float>> ends_of(const RawFrame& frame, std::size_t dimensions) {
    std::vector<std::vector<float>> ends;
    for (const std::size_t end : frame.ends) {
        if (end > 0) { // a readout before it may have no samples
            const auto at = frame.positions.begin() + static_cast<std::ptrdiff_t>(end * dimensions);
            ends.emplace_back(at - static_cast<std::ptrdiff_t>(dimensions), at);
        }
    }
    return ends;
}

/// Whether a frame has the first readouts of a whole one; of `most` frames it is enough to have
/// some of them, or fewer readouts of another trajectory.
bool is_part_of(const RawFrame& part, const RawFrame& whole, bool most, const RawFrames& raw) {
    auto of_part = ends_of(part, raw.dimensions());
    auto of_whole = ends_of(whole, raw.dimensions());
    if (of_part.size() <= of_whole.size() &&
        std::equal(of_part.begin(), of_part.end(), of_whole.begin())) {
        return true;
    }
    std::sort(of_part.begin(), of_part.end());
    std::sort(of_whole.begin(), of_whole.end());
    return most && (raw.has_trajectory() || std::includes(of_whole.begin(), of_whole.end(),
                                                          of_part.begin(), of_part.end()));
}

/// The frames of a kind that have fewer readouts than the whole ones, and one of the latter.
struct Fewer {
    FramesOfKind frames;
    std::size_t usual = 0; ///< readouts of a whole one
};

Fewer fewer_readouts(const FramesOfKind& kind, const RawFrames& raw) {
    std::map<std::size_t, FramesOfKind> by_readouts;
    for (const Numbered& one : kind) {
        by_readouts[one.readouts()].push_back(one);
    }
    const auto usual =
        std::max_element(by_readouts.begin(), by_readouts.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second.size(), a.first) < std::pair(b.second.size(), b.first);
        });
    const std::size_t count = usual->second.size();
    const bool most = count > 1 && 2 * count > kind.size();
    Fewer fewer{{}, usual->first};
    for (auto less = by_readouts.begin(); less != usual; ++less) {
        for (const Numbered& one : less->second) {
            if (is_part_of(*one.frame, *usual->second.front().frame, most, raw)) {
                fewer.frames.push_back(one);
            }
        }
    }
    return fewer;
}

/// The repetitions that other slices of a kind have, where most have them.
std::vector<RawCounters> lost_frames(const FramesOfKind& kind, const RawFrames& raw) {
    std::set<std::uint16_t> slices;
    std::set<std::uint16_t> repetitions;
    for (const Numbered& one : kind) {
        slices.insert(one.counters[Counter::slice]);
        repetitions.insert(one.counters[Counter::repetition]);
    }
    std::vector<RawCounters> lost;
    for (const std::uint16_t r : repetitions) {
        for (const std::uint16_t s : slices) {
            RawCounters counters = kind.front().counters;
            counters[Counter::slice] = s;
            counters[Counter::repetition] = r;
            if (raw.frames.count(counters) == 0) {
                lost.push_back(counters);
            }
        }
    }
    return lost.size() < kind.size() ? lost : std::vector<RawCounters>();
}

/// "slice 3, repetition 2; slice 4, repetition 2"
std::string names_of(const std::vector<RawCounters>& frames, const RawFrames& raw) {
    constexpr std::size_t most = 4;
    std::vector<std::string> names;
    for (std::size_t f = 0; f < std::min(most, frames.size()); ++f) {
        names.push_back(label(frames[f], raw.choice.varying()));
    }
    return separated_by("; ", names) + (frames.size() > most ? "; ..." : "");
}

} // namespace

std::optional<Finding> incomplete_frames(const RawFrames& raw) {
    if (raw.options.spokes_per_frame > 0) {
        return std::nullopt;
    }
    std::vector<RawCounters> lost;
    std::set<std::size_t> whole;
    std::optional<Numbered> worst;
    std::size_t usual = 0; // of its kind
    const auto share = [](const Numbered& one, std::size_t of) {
        return static_cast<double>(one.readouts()) / static_cast<double>(of);
    };
    for (std::size_t f = 0; f < raw.frames.size(); ++f) {
        whole.insert(f);
    }
    for (const FramesOfKind& kind : kinds_of(raw)) {
        const Fewer fewer = fewer_readouts(kind, raw);
        for (const Numbered& one : fewer.frames) {
            whole.erase(one.index);
            if (!worst || share(one, fewer.usual) < share(*worst, usual)) {
                worst = one;
                usual = fewer.usual;
            }
        }
        if (raw.options.frames.empty()) {
            const std::vector<RawCounters> of_kind = lost_frames(kind, raw);
            lost.insert(lost.end(), of_kind.begin(), of_kind.end());
        }
    }
    if (!worst && lost.empty()) {
        return std::nullopt;
    }
    return Finding{
        Found::frames_incomplete,
        {{"fewer", raw.frames.size() - whole.size()},
         {"frame", worst ? worst->index : 0},
         {"readouts", worst ? worst->readouts() : 0},
         {"usual", usual},
         {"missing", lost.size()}},
        {{"label", worst ? label(worst->counters, raw.choice.varying()) : ""},
         {"lost", names_of(lost, raw)},
         {"whole", worst && raw.options.frames.empty() ? IndexList(whole).to_string() : ""}}};
}

} // namespace lsrecon
