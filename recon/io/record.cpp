#include "io/record.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/precision.hpp"
#include "base/version.hpp"
#include "io/hdf5/writer.hpp"

namespace lsrecon {

namespace {

// Prefixes of the names of these sentences in the record; a number follows.
const std::string fact_in_record = "fact_";
const std::string remark_in_record = "remark_";
const std::string option_in_record = "option_";
const std::string hash_in_record = "_sha256";
const std::string hash_of_scan = "scan" + hash_in_record;

bool begins_with(const std::string& name, const std::string& begin) {
    return name.rfind(begin, 0) == 0;
}

/// The values whose names begin so, and the rest.
std::pair<std::vector<std::string>, Record> divided_by(const std::string& begin,
                                                       const Record& record) {
    std::pair<std::vector<std::string>, Record> parts;
    for (const auto& entry : record) {
        if (begins_with(entry.first, begin)) {
            parts.first.push_back(entry.second);
        } else {
            parts.second.push_back(entry);
        }
    }
    return parts;
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
    for (std::size_t i = 0; i < scan.remarks.size(); ++i) {
        record.emplace_back(text(remark_in_record, i), scan.remarks[i]);
    }
    return record;
}

void add_notes(Record& record, const Scan& scan, const std::vector<std::string>& notes) {
    constexpr std::size_t most = 100; // attributes share 64 kB
    const std::vector<std::string>& known = scan.remarks;
    std::vector<std::string> more;
    std::copy_if(notes.begin(), notes.end(), std::back_inserter(more), [&](const auto& note) {
        return std::find(known.begin(), known.end(), note) == known.end();
    });
    if (more.size() > most) {
        const std::size_t left_out = more.size() - most;
        more.resize(most);
        more.push_back(text("and ", counted(left_out, "note"), " more"));
    }
    for (std::size_t i = 0; i < more.size(); ++i) {
        record.emplace_back(text(remark_in_record, known.size() + i), more[i]);
    }
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

std::pair<std::vector<std::string>, Record> notes_and_rest(const Record& record) {
    return divided_by(remark_in_record, record);
}

std::pair<std::vector<std::string>, Record> facts_and_rest(const Record& record) {
    return divided_by(fact_in_record, record);
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
