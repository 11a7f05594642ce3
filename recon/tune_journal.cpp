#include "tune_journal.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace lsrecon {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int tries_of_one_that_ends_the_program = 2;
constexpr const char* begun = "begun";

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
    std::error_code ignored; // append says what is wrong
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
                ++begun_[candidate.parameters];
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
    const auto begins = begun_.find(candidate.parameters);
    if (begins != begun_.end() && begins->second >= tries_of_one_that_ends_the_program) {
        candidate.outcome = TuneCandidate::Outcome::failed;
        candidate.reason = text("ended the program ", begins->second, " times");
        return true;
    }
    return false;
}

void TuneJournal::begin(const TuneCandidate& candidate) {
    append(begun, candidate);
}

void TuneJournal::end(const TuneCandidate& candidate) {
    append(name_of(candidate.outcome), candidate);
}

void TuneJournal::append(const std::string& event, const TuneCandidate& candidate) const {
    const json entry{{"search", search_},
                     {"event", event},
                     {"parameters", candidate.parameters},
                     {"seconds", candidate.seconds},
                     {"reason", candidate.reason}};
    const auto invalid_bytes = json::error_handler_t::replace; // a driver's message may hold any
    std::ofstream file(path_, std::ios::app);
    // The line in front may be a broken one without an end.
    file << "\n" + entry.dump(-1, ' ', true, invalid_bytes) + "\n" << std::flush;
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
