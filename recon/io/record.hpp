#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/computation.hpp"
#include "scan/image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

class Hdf5Writer;

/// The version, device, driver, kernel with the hash of its source, and precision of the
/// transforms; and the time.
Record record_of(const ComputedBy& by);

/// The record of an output: what computed it, the scan, its format and its SHA-256, the run's
/// settings, facts and findings on reading.
Record make_record(const Scan& scan, const ComputedBy& by, const Record& settings);

/// Adds the findings of the run after those on reading: what bears on trust may be known only once
/// everything is solved.
void add_findings(Record& record, const Scan& scan, const Findings& findings);

/// Writes a record as attributes of /record, which it makes.
void write_record(Hdf5Writer& file, const Record& record);

/// The value under a name, "" where there is none.
std::string value_in(const Record& record, const std::string& name);

/// A finding as records keep it and JSON shows it.
struct Note {
    std::string code; ///< "other" where a record has none
    std::string words;
};
std::vector<Note> notes_of(const Findings& findings);
/// The notes of a record, and the rest of it.
std::pair<std::vector<Note>, Record> notes_and_rest(const Record& record);
/// The facts of a record, and the rest of it.
std::pair<std::vector<std::string>, Record> facts_and_rest(const Record& record);

/// The names under which a record has an option and the file that it names; `key` is that of its
/// row.
std::string name_of_option(const std::string& key);
std::string name_of_file_hash(const std::string& key);

/// The inputs on which values depend: the version of the program, the scan, and the options, files
/// by their hashes. Equal identities make equal images on one device.
Record identity_of(const Record& record);

struct Difference {
    std::string thing; ///< "`lambda`", "the file of `maps`", "the scan"
    std::string before; ///< its value; "" where it had none
    std::string now;
};
/// The first one between two identities.
std::optional<Difference> difference(const Record& before, const Record& now);

} // namespace lsrecon
