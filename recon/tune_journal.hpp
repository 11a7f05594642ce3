#pragma once

#include <map>
#include <string>

#include "tune.hpp"

namespace lsrecon {

/// What a search has tried, a line each, so that a search that was interrupted at any time goes on
/// where it stopped. A line that is broken says nothing.
///
/// A candidate is written down before it is tried, too: one that ended the program twice is not
/// tried a third time.
class TuneJournal {
public:
    /// `search` names what lines must be of to count: device, kernel source, stage and problem.
    /// The folder of `path` is made. UsageError when that cannot be written.
    TuneJournal(std::string path, std::string search);

    /// True when the outcome is known.
    bool find(TuneCandidate& candidate) const;
    void begin(const TuneCandidate& candidate);
    void end(const TuneCandidate& candidate);

    /// Removes what is known, of every search.
    static void forget(const std::string& path);

private:
    void append(const std::string& event, const TuneCandidate& candidate) const;

    std::string path_;
    std::string search_;
    std::map<Parameters, TuneCandidate> known_;
    std::map<Parameters, int> begun_; ///< without an end
};

} // namespace lsrecon
