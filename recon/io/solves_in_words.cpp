#include "io/solves_in_words.hpp"

#include <set>

#include "base/numbers.hpp"
#include "base/ranges.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

/// How all solves of an image ended.
struct AllEndings : Endings {
    std::set<std::size_t> limited; ///< frames with a solve that the limit stopped

    explicit AllEndings(const std::vector<ImageFrame>& frames) {
        for (std::size_t f = 0; f < frames.size(); ++f) {
            add(frames[f], f);
        }
    }
    void add(const ImageFrame& frame, std::size_t index) {
        for (std::size_t p = 0; p < frame.residuals.size(); ++p) {
            if (frame.residuals[p].empty()) {
                continue;
            }
            iterations.push_back(static_cast<double>(frame.residuals[p].size() - 1));
            residuals.push_back(frame.residuals[p].back());
        }
        for (const Stop stop : frame.stops) {
            ++(stop == Stop::tolerance ? by_tolerance : by_limit);
            if (stop == Stop::iterations) {
                limited.insert(index);
            }
        }
    }
    std::string frames_by_limit() const { return IndexList(limited).shortened(); }
    bool knows_why() const { return by_tolerance + by_limit > 0; }
    std::string why() const {
        if (by_limit == 0 || by_tolerance == 0) {
            return by_limit == 0 ? "the tolerance" : "the iteration limit";
        }
        return text("the iteration limit in ", by_limit, " of ",
                    counted(by_limit + by_tolerance, "solve"), ", the tolerance in the others");
    }
};

std::string asked(const std::string& what, const std::string& value) {
    return value.empty() ? "" : what + value + ")";
}

} // namespace

std::optional<Endings> endings_of(const std::vector<ImageFrame>& frames) {
    const AllEndings all(frames);
    return all.iterations.empty() ? std::nullopt : std::optional<Endings>(all);
}

Record solves_in_words(const std::vector<ImageFrame>& frames, const Record& record) {
    const AllEndings all(frames);
    if (all.iterations.empty()) {
        return {};
    }
    Record rows{{"iterations done", range_in_words(all.iterations) +
                                        asked(" (at most ", value_in(record, "iterations"))}};
    if (all.knows_why()) {
        const bool some = all.by_limit > 0 && all.by_tolerance > 0 && frames.size() > 1;
        rows.emplace_back("stopped by",
                          all.why() + (some ? ": frames " + all.frames_by_limit() : ""));
    }
    rows.emplace_back("final residual", range_in_words(all.residuals) +
                                            asked(" (asked ", value_in(record, "tolerance")));
    if (const std::string late = value_in(record, "late_change"); !late.empty()) {
        rows.emplace_back("late change",
                          late + " of " + (frames.size() == 1 ? "the image" : "an image at most") +
                              ", by the last tenth of the iterations");
    }
    return rows;
}

} // namespace lsrecon
