#include "measure/tune_journal.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace lsrecon {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int most_crashes = 2;
constexpr int most_silent_ends = 5;
/// A user who stops a candidate after longer than this may have waited for a kernel that never
/// ends.
constexpr std::chrono::seconds patience{60};
constexpr const char* begun = "begun";
constexpr const char* crashed = "crashed";
constexpr const char* stopped = "stopped";

const std::map<std::string, TuneCandidate::Outcome>& outcomes() {
    static const std::map<std::string, TuneCandidate::Outcome> names{
        {"timed", TuneCandidate::Outcome::timed},
        {"slow", TuneCandidate::Outcome::slow},
        {"wrong", TuneCandidate::Outcome::wrong},
        {"failed", TuneCandidate::Outcome::failed}};
    return names;
}

std::string name_of(TuneCandidate::Outcome outcome) {
    for (const auto& [name, value] : outcomes()) {
        if (value == outcome) {
            return name;
        }
    }
    return "";
}

} // namespace

TuneJournal::TuneJournal(std::string path, std::string search)
    : path_(std::move(path)), search_(std::move(search)) {
    std::error_code ignored; // append reports the failure
    fs::create_directories(fs::path(path_).parent_path(), ignored);
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
        try {
            const json entry = json::parse(line);
            if (entry.at("search") != search_) {
                continue;
            }
            TuneCandidate candidate;
            candidate.parameters = entry.at("parameters").get<Parameters>();
            const auto event = entry.at("event").get<std::string>();
            if (event == begun) {
                ++silent_[candidate.parameters];
                continue;
            }
            --silent_[candidate.parameters];
            if (event == crashed || event == stopped) {
                crashed_[candidate.parameters] += event == crashed ? 1 : 0;
                continue;
            }
            candidate.outcome = outcomes().at(event);
            candidate.seconds = entry.at("seconds").get<double>();
            candidate.reason = entry.at("reason").get<std::string>();
            known_[candidate.parameters] = candidate;
        } catch (const std::exception&) {
            continue; // the last line of a search that was killed, or no line of ours
        }
    }
}

bool TuneJournal::find(TuneCandidate& candidate) const {
    if (const auto known = known_.find(candidate.parameters); known != known_.end()) {
        candidate = known->second;
        return true;
    }
    const auto reached = [&](const std::map<Parameters, int>& counts, int most) {
        const auto count = counts.find(candidate.parameters);
        return count != counts.end() && count->second >= most;
    };
    if (reached(crashed_, most_crashes)) {
        candidate.reason = text("crashed the program ", most_crashes, " times");
    } else if (reached(silent_, most_silent_ends)) {
        candidate.reason = text("the program was killed ", most_silent_ends, " times during it");
    } else {
        return false;
    }
    candidate.outcome = TuneCandidate::Outcome::failed;
    candidate.reason += "; --again tries it again";
    return true;
}

void TuneJournal::begin(const TuneCandidate& candidate) {
    append(begun, candidate);
    last_words_ = std::make_unique<LastWords>(path_, line(crashed, candidate),
                                              line(stopped, candidate), patience);
}

void TuneJournal::end(const TuneCandidate& candidate) {
    last_words_.reset();
    append(name_of(candidate.outcome), candidate);
}

std::string TuneJournal::line(const std::string& event, const TuneCandidate& candidate) const {
    const json entry{{"search", search_},
                     {"event", event},
                     {"parameters", candidate.parameters},
                     {"seconds", candidate.seconds},
                     {"reason", candidate.reason}};
    const auto invalid_bytes = json::error_handler_t::replace; // a driver's message may hold any
    // The line in front may be a broken one without an end.
    return "\n" + entry.dump(-1, ' ', true, invalid_bytes) + "\n";
}

void TuneJournal::append(const std::string& event, const TuneCandidate& candidate) const {
    std::ofstream file(path_, std::ios::app);
    file << line(event, candidate) << std::flush;
    if (!file) {
        throw UsageError(text(path_, ": cannot be written\n  next:     make room on its disk, or "
                                     "set LSRECON_CACHE to another folder"));
    }
}

void TuneJournal::forget(const std::string& path) {
    std::error_code ignored; // one that is missing is forgotten already
    fs::remove(path, ignored);
}

} // namespace lsrecon
