#include "io/record.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/precision.hpp"
#include "base/version.hpp"

namespace lsrecon {

namespace {

/// What the names of remarks in the record begin with; a number follows.
const std::string remark_in_record = "remark_";

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
        {{"scan", scan.file}, {"scan_format", scan.format}, {"scan_sha256", scan.sha256()}});
    record.insert(record.end(), settings.begin(), settings.end());
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

std::string value_in(const Record& record, const std::string& name) {
    const auto found = std::find_if(record.begin(), record.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == record.end() ? "" : found->second;
}

std::pair<std::vector<std::string>, Record> notes_and_rest(const Record& record) {
    std::pair<std::vector<std::string>, Record> parts;
    for (const auto& entry : record) {
        if (entry.first.rfind(remark_in_record, 0) == 0) {
            parts.first.push_back(entry.second);
        } else {
            parts.second.push_back(entry);
        }
    }
    return parts;
}

Record identity_of(const Record& record) {
    const std::set<std::string> left_out{"made", "command", "scan", "q_file", "q_folder"};
    Record identity;
    for (const auto& [name, value] : record) {
        if (name.rfind(remark_in_record, 0) == 0) {
            identity.emplace_back(value, ""); // its number depends on the remarks before it
        } else if (left_out.count(name) == 0) {
            identity.emplace_back(name, value);
        }
    }
    return identity;
}

} // namespace lsrecon
