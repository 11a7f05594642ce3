// The record of how an output was made, its parts and the identity of a run.

#pragma once

#include <map>
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
/// The options of a record by the keys of their rows, without the hashes of files.
Record options_in(const Record& record);

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

/// SHA-256 of files that several runs of one process name: found once, and again for a file that
/// has changed since.
class FileHashes {
public:
    /// 64 hexadecimal digits, of a file and its other half (base/named_files.hpp). InputError and
    /// RunError as of InputFile.
    std::string of(const std::string& path);

private:
    struct Known {
        std::vector<std::string> state; ///< state of each half when its hash was found
        std::string hash;
    };
    std::map<std::string, Known> known_; ///< known hashes by path
};

/// How the solves of an image ended, one value a solve.
struct Endings {
    std::vector<double> iterations; ///< that were done
    std::vector<double> residuals; ///< relative, that are left
    std::size_t by_tolerance = 0; ///< solves that reached the tolerance
    std::size_t by_limit = 0; ///< solves that the limit of iterations stopped
};
/// Nothing for an image that was not solved.
std::optional<Endings> endings_of(const std::vector<ImageFrame>& frames);

/// The ends of an image's solves, for people, as rows of a name and words: iterations that were
/// done, what stopped them, the residuals that are left, the late change. Several frames give
/// ranges. `record` has the limits that were asked for. An image that was not solved has no row.
Record solves_in_words(const std::vector<ImageFrame>& frames, const Record& record);

} // namespace lsrecon
