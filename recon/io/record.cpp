#include "io/record.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/types.hpp"
#include "base/version.hpp"
#include "io/hdf5/writer.hpp"

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

namespace {

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

} // namespace lsrecon
