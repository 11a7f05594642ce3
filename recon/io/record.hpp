#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engines/transforms.hpp"
#include "io/q_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// What computes: version, device, driver, kernel and the hash of its source, the precision of its
/// transforms; and when.
Record record_of(const ComputedBy& by);

/// How an output was made: what computed it, the scan, its format and its SHA-256, the run's
/// settings, remarks on reading.
Record make_record(const Scan& scan, const ComputedBy& by, const Record& settings);

/// Adds what was noted during the run, after the remarks on reading: what bears on trust may be
/// known only once everything is solved.
void add_notes(Record& record, const Scan& scan, const std::vector<std::string>& notes);

/// The value under a name, "" where there is none.
std::string value_in(const Record& record, const std::string& name);

/// The remarks and notes of a record, and the rest of it.
std::pair<std::vector<std::string>, Record> notes_and_rest(const Record& record);

/// What frames depend on: the record without the time and the command, and without the
/// paths of files whose hashes it has. A remark is a name without a value.
Record identity_of(const Record& record);

} // namespace lsrecon
