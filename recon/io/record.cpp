// Makes, writes and reads the record of how an output was made.

#include "io/record.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/platform.hpp"
#include "base/ranges.hpp"
#include "base/types.hpp"
#include "base/version.hpp"
#include "io/hdf5/writer.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

// Prefixes of the names of these sentences in the record; a number follows.
const std::string fact_in_record = "fact_";
const std::string remark_in_record = "remark_";
const std::string code_in_record = "code_of_remark_";
const std::string option_in_record = "option_";
const std::string other_code = "other"; // that of a note without one
const std::string hash_in_record = "_sha256";
const std::string hash_of_scan = "scan" + hash_in_record;

bool begins_with(const std::string& name, const std::string& begin) {
    return name.rfind(begin, 0) == 0;
}

void add_notes(Record& record, std::size_t before, const std::vector<Note>& notes) {
    for (std::size_t i = 0; i < notes.size(); ++i) {
        record.emplace_back(text(remark_in_record, before + i), notes[i].words);
        record.emplace_back(text(code_in_record, before + i), notes[i].code);
    }
}

std::string precision_of(const ComputedBy& by) {
    return by.epsilon <= unit_roundoff(Precision::float64) ? "double" : "single";
}

std::vector<std::string> halves_of(const std::string& path) {
    std::vector<std::string> halves{path};
    for (const std::string& half : file_and_halves(path)) {
        const bool is_new = std::find(halves.begin(), halves.end(), half) == halves.end();
        if (is_new && resolved_path(half).is_regular()) {
            halves.push_back(half);
        }
    }
    return halves;
}

/// The identity of a file, and the time of its last change.
std::string state_of(const std::string& path) {
    const struct stat status = resolved_path(path).status;
    const timespec content = platform::content_changed(status);
    const timespec entry = platform::entry_changed(status);
    return text(status.st_dev, " ", status.st_ino, " ", status.st_size, " ", content.tv_sec, " ",
                content.tv_nsec, " ", entry.tv_sec, " ", entry.tv_nsec);
}

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

std::string in_parentheses(const std::string& what, const std::string& value) {
    return value.empty() ? "" : what + value + ")";
}

std::string thing_of(const std::string& name) {
    if (!begins_with(name, option_in_record)) {
        return name == hash_of_scan ? "the scan" : "the program";
    }
    const std::string key = name.substr(option_in_record.size());
    const std::size_t end = key.rfind(hash_in_record);
    return end == std::string::npos ? text("`", key, "`")
                                    : text("the file of `", key.substr(0, end), "`");
}

} // namespace

Record record_of(const ComputedBy& by) {
    return {{"program", std::string("lsrecon ") + version},
            {"made", utc_now()},
            {"backend", by.backend},
            {"device", by.device},
            {"driver", by.driver},
            {"kernel", by.kernel},
            {"precision", precision_of(by)},
            {"kernel_sha256", by.kernel_sha256},
            {"kernel_parameters", by.parameters}};
}

Record make_record(const Scan& scan, const ComputedBy& by, const Record& settings) {
    Record record = record_of(by);
    record.insert(
        record.end(),
        {{"scan", scan.file}, {"scan_format", scan.format}, {hash_of_scan, scan.sha256()}});
    record.insert(record.end(), settings.begin(), settings.end());
    for (std::size_t i = 0; i < scan.facts.size(); ++i) {
        record.emplace_back(text(fact_in_record, i), scan.facts[i]);
    }
    add_notes(record, 0, notes_of(scan.findings));
    return record;
}

void add_findings(Record& record, const Scan& scan, const Findings& findings) {
    constexpr std::size_t most = 100; // attributes share 64 kB
    const std::vector<Note> known = notes_of(scan.findings);
    std::vector<Note> more = notes_of(findings);
    more.erase(std::remove_if(more.begin(), more.end(),
                              [&](const Note& note) {
                                  return std::any_of(
                                      known.begin(), known.end(),
                                      [&](const Note& one) { return one.words == note.words; });
                              }),
               more.end());
    if (more.size() > most) {
        const std::size_t left_out = more.size() - most;
        more.resize(most);
        more.push_back({other_code, text("and ", counted(left_out, "note"), " more")});
    }
    add_notes(record, known.size(), more);
}

void write_record(Hdf5Writer& file, const Record& record) {
    file.group("record");
    for (const auto& [name, value] : record) {
        file.attribute("record", name, value);
    }
}

std::string value_in(const Record& record, const std::string& name) {
    const auto found = std::find_if(record.begin(), record.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == record.end() ? "" : found->second;
}

std::vector<Note> notes_of(const Findings& findings) {
    std::vector<Note> notes;
    for (const Finding& finding : findings) {
        notes.push_back({row_of(finding).code, words_of(finding)});
    }
    return notes;
}

std::pair<std::vector<Note>, Record> notes_and_rest(const Record& record) {
    std::pair<std::vector<Note>, Record> parts;
    for (const auto& entry : record) {
        if (begins_with(entry.first, remark_in_record)) {
            const std::string code =
                value_in(record, code_in_record + entry.first.substr(remark_in_record.size()));
            parts.first.push_back({code.empty() ? other_code : code, entry.second});
        } else if (!begins_with(entry.first, code_in_record)) {
            parts.second.push_back(entry);
        }
    }
    return parts;
}

std::pair<std::vector<std::string>, Record> facts_and_rest(const Record& record) {
    std::pair<std::vector<std::string>, Record> parts;
    for (const auto& entry : record) {
        if (begins_with(entry.first, fact_in_record)) {
            parts.first.push_back(entry.second);
        } else {
            parts.second.push_back(entry);
        }
    }
    return parts;
}

std::string name_of_option(const std::string& key) {
    return option_in_record + key;
}

std::string name_of_file_hash(const std::string& key) {
    return name_of_option(key) + hash_in_record;
}

Record options_in(const Record& record) {
    Record options;
    for (const auto& [name, value] : record) {
        if (begins_with(name, option_in_record) &&
            name.rfind(hash_in_record) == std::string::npos) {
            options.emplace_back(name.substr(option_in_record.size()), value);
        }
    }
    return options;
}

Record identity_of(const Record& record) {
    Record identity;
    for (const auto& [name, value] : record) {
        const bool is_option = begins_with(name, option_in_record) &&
                               value_in(record, name + hash_in_record).empty(); // else its file
        if (is_option || name == "program" || name == hash_of_scan) {
            identity.emplace_back(name, value);
        }
    }
    return identity;
}

std::optional<Difference> difference(const Record& before, const Record& now) {
    for (const Record* const of : {&before, &now}) {
        for (const auto& entry : *of) {
            const Difference found{thing_of(entry.first), value_in(before, entry.first),
                                   value_in(now, entry.first)};
            if (found.before != found.now) {
                return found;
            }
        }
    }
    return std::nullopt;
}

std::string FileHashes::of(const std::string& path) {
    const std::vector<std::string> halves = halves_of(path);
    Known now;
    for (const std::string& half : halves) {
        now.state.push_back(state_of(half));
    }
    Known& known = known_[path];
    if (known.hash.empty() || known.state != now.state) {
        now.hash = HashedFiles(halves).sha256();
        known = std::move(now);
    }
    return known.hash;
}

std::optional<Endings> endings_of(const std::vector<ImageFrame>& frames) {
    const AllEndings all(frames);
    return all.iterations.empty() ? std::nullopt : std::optional<Endings>(all);
}

Record solves_in_words(const std::vector<ImageFrame>& frames, const Record& record) {
    const AllEndings all(frames);
    if (all.iterations.empty()) {
        return {};
    }
    Record rows{
        {"iterations done", range_in_words(all.iterations) +
                                in_parentheses(" (at most ", value_in(record, "iterations"))}};
    if (all.knows_why()) {
        const bool some = all.by_limit > 0 && all.by_tolerance > 0 && frames.size() > 1;
        rows.emplace_back("stopped by",
                          all.why() + (some ? ": frames " + all.frames_by_limit() : ""));
    }
    rows.emplace_back("final residual",
                      range_in_words(all.residuals) +
                          in_parentheses(" (asked ", value_in(record, "tolerance")));
    if (const std::string late = value_in(record, "late_change"); !late.empty()) {
        rows.emplace_back("late change",
                          late + " of " + (frames.size() == 1 ? "the image" : "an image at most") +
                              ", by the last tenth of the iterations");
    }
    return rows;
}

} // namespace lsrecon
