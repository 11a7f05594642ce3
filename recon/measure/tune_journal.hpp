#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/last_words.hpp"
#include "measure/tune.hpp"

namespace lsrecon {

/// What a search has tried, a line each, so that a search that was interrupted at any time
/// continues where it stopped. A broken line is ignored.
///
/// A candidate is also written down before it is tried, and so is how the program ended during it:
/// one that crashed the program twice is not tried again, nor one that was begun five times and
/// ended without a word (SIGKILL, a power cut, or stopped after more than a minute). A user who
/// stops the search sooner does not count against the candidate.
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
    std::string line(const std::string& event, const TuneCandidate& candidate) const;
    void append(const std::string& event, const TuneCandidate& candidate) const;

    std::string path_;
    std::string search_;
    std::map<Parameters, TuneCandidate> known_;
    std::map<Parameters, int> silent_; ///< begun, and no word after that
    std::map<Parameters, int> crashed_;
    std::unique_ptr<LastWords> last_words_; ///< while one is tried
};

} // namespace lsrecon
