#include <algorithm>
#include <filesystem>
#include <fstream>
#include <glob.h>
#include <map>
#include <set>

#include "app/output.hpp"
#include "app/recon.hpp"
#include "base/file_lock.hpp"
#include "base/input_file.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/timer.hpp"
#include "base/version.hpp"
#include "io/image/reader.hpp"
#include "io/part_folder.hpp"

namespace lsrecon::app {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> scans; ///< or lists of them
    std::string folder;
    ReconOptions recon; ///< of every scan
};

/// A scan of a list.
struct Item {
    std::string scan;
    std::string words; ///< options of its own
    std::string image;
};

Value repeated(std::vector<std::string>& member, const std::string& form) {
    return {form,
            [&member](const std::string& word) {
                member.push_back(word);
                return word.empty() ? "a name" : "";
            },
            [] { return ""; }, true, true};
}

/// Those of `lsrecon recon` that many scans may share.
OptionTable shared_options(ReconOptions& options) {
    const std::set<std::string> of_one_scan{"SCAN", "output", "resume", "png",
                                            "log",  "truth",  "json",   "quiet"};
    OptionTable table = app::options_of(options);
    table.erase(std::remove_if(table.begin(), table.end(),
                               [&](const Option& row) { return of_one_scan.count(row.key) > 0; }),
                table.end());
    return table;
}

OptionTable options_of(Options& options) {
    const OptionTable table = in(
        "Scans",
        {{"SCANS", repeated(options.scans, "FILES"),
          "scan files, or lists of them that end with .txt", "",
          "A list has one scan a line: its path from where the program runs, which may hold * and "
          "?, and after a tab options for this scan alone. `#` begins a comment."},
         output_option(options.folder, "folder to write into",
                       "`FOLDER/images/SCAN` are images, `FOLDER/results.tsv` is a table of all "
                       "scans, and `FOLDER/q` keeps Q for scans of the same trajectory. Started "
                       "again, the command does what is not finished: an image is, when it was "
                       "made of the same scan with the same options by the same version.")});
    return joined(
        {table, shared_options(options.recon), in("Output", {quiet_option(options.recon.quiet)})});
}

/// A scan below the working folder keeps its path from there, any other its whole path.
std::string image_of(const std::string& folder, const std::string& scan) {
    const fs::path path = fs::absolute(scan).lexically_normal();
    fs::path name = path.lexically_relative(fs::current_path());
    if (name.empty() || *name.begin() == "..") {
        name = path.relative_path();
    }
    if (name.extension() != ".h5") {
        name += ".h5";
    }
    return (fs::path(folder) / "images" / name).string();
}

/// The files that a pattern names; itself, where it names none.
std::vector<std::string> matches_of(const std::string& pattern) {
    std::vector<std::string> found;
    glob_t matches{};
    if (!fs::exists(pattern) && ::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
        found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    }
    ::globfree(&matches);
    return found.empty() ? std::vector<std::string>{pattern} : found;
}

/// Lines of a list; one line for a scan.
std::vector<std::string> lines_of(const std::string& path) {
    if (ending_of(path) != "txt") {
        return {path};
    }
    require_input(path, "list of scans");
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        line.erase(line.find_last_not_of("\r \t") + 1);
        if (!line.empty() && line[0] != '#') {
            lines.push_back(line);
        }
    }
    return lines;
}

std::vector<Item> items_of(const Options& options) {
    std::vector<Item> items;
    std::map<std::string, std::string> scan_of; // by image
    for (const std::string& file : options.scans) {
        for (const std::string& line : lines_of(file)) {
            const std::size_t tab = line.find('\t');
            for (const std::string& scan : matches_of(line.substr(0, tab))) {
                Item item{scan, tab == std::string::npos ? "" : line.substr(tab + 1),
                          image_of(options.folder, scan)};
                if (!scan_of.emplace(item.image, scan).second) {
                    throw UsageError(text(scan, ": it is listed twice, and both images would be ",
                                          item.image, "\n  next:     remove one of them"));
                }
                items.push_back(std::move(item));
            }
        }
    }
    if (items.empty()) {
        throw UsageError("SCANS: no scan is listed\n  next:     name some, or a list of them");
    }
    return items;
}

/// Whether an image is of this scan, with these options, by this program, and whole.
bool is_finished(const ReconOptions& options) {
    if (!fs::exists(options.output) || fs::exists(PartFolder::path_for(options.output))) {
        return false;
    }
    try {
        const Record record = record_of(Hdf5Reader(options.output));
        Record expected = options.reconstruct.settings;
        expected.emplace_back("program", text("lsrecon ", version));
        return std::all_of(expected.begin(), expected.end(),
                           [&](const auto& fact) {
                               return fact.first == "command" ||
                                      value_in(record, fact.first) == fact.second;
                           }) &&
               value_in(record, "scan_sha256") == InputFile(options.scan).sha256();
    } catch (const Error&) { // it is made again
        return false;
    }
}

/// What became of a scan: a row of results.tsv.
struct Outcome {
    ExitCode code = ExitCode::done;
    double seconds = 0;
    std::string solver; ///< iterations and residual
    std::string message; ///< an error, or notes
    bool is_old = false; ///< finished by an earlier run
};

/// One line without tabs.
std::string in_one_field(std::string words) {
    for (std::size_t at = 0; (at = words.find_first_of("\n\t", at)) != std::string::npos;) {
        words.replace(at, words.find_first_not_of("\n\t ", at) - at, "; ");
    }
    return words;
}

class Batch {
public:
    explicit Batch(const Options& options) : options_(options), console_(options.recon.quiet) {}

    Outcome reconstruct(const Item& item) {
        Outcome outcome;
        const auto begin = std::chrono::steady_clock::now();
        Console console(options_.recon.quiet);
        try {
            ReconOptions one = options_.recon;
            one.scan = item.scan;
            one.output = item.image;
            FileOptions& how = one.reconstruct;
            if (how.q_folder.empty() && how.q_file.empty()) {
                how.q_folder = options_.folder + "/q";
            }
            take_words(shared_options(one), item.words);
            require_folder("--output", fs::path(one.output).parent_path().string());
            settle(one);
            outcome.is_old = is_finished(one);
            if (!outcome.is_old) {
                const ReconstructedFile result = reconstruct_or_continue(one, console);
                outcome.solver = result.solves.as_text();
                require_as_asked(one, result);
            }
            outcome.message = with_flags(separated_by("; ", console.notes()));
        } catch (const Error& error) {
            put_error(error.what());
            outcome.code = error.code();
            outcome.message = with_flags(error.what());
            if (error.code() == ExitCode::device) {
                devices_.clear(); // the next one may find it mended
            }
        }
        outcome.seconds = seconds_since(begin);
        return outcome;
    }

private:
    /// Frames of an earlier run are kept, unless the options are others.
    ReconstructedFile reconstruct_or_continue(ReconOptions& one, Console& console) {
        const std::string part = PartFolder::path_for(one.output);
        one.reconstruct.resume =
            fs::exists(part) && !need_all_frames(one.reconstruct.solve.regularisers);
        try {
            return reconstruct_file(one.scan, one.output, *open(one, console), one.reconstruct,
                                    console);
        } catch (const InputError& error) {
            if (!one.reconstruct.resume || error.finding().file != part) {
                throw;
            }
        }
        std::error_code ignored; // what is left is refused again
        fs::remove_all(part, ignored);
        one.reconstruct.resume = false;
        return reconstruct_file(one.scan, one.output, *open(one, console), one.reconstruct,
                                console);
    }

    std::unique_ptr<Transforms> open(const ReconOptions& one, Console& console) {
        const ComputeOptions& compute = one.compute;
        std::shared_ptr<Device>& device =
            devices_[text(compute.backend, " ", compute.device, " ", compute.device_memory)];
        if (!device) {
            device = open_transforms(compute, console_)->shared_device();
        }
        return open_transforms(compute, console, device);
    }

    const Options& options_;
    Console console_; ///< of devices, which outlive a scan
    std::map<std::string, std::shared_ptr<Device>> devices_; ///< those that are open
};

/// "3 min", or "40 s".
std::string duration(double seconds) {
    return seconds < 100 ? formatted("%.0f s", seconds) : formatted("%.0f min", seconds / 60);
}

ExitCode run(Options& options) {
    const std::vector<Item> items = items_of(options);
    require_folder("--output", options.folder);
    const std::string table = options.folder + "/results.tsv";
    const FileLock lock(table + ".lock", std::chrono::seconds(1));
    if (lock.state() == FileLock::State::timed_out) {
        throw UsageError(text(options.folder, ": another batch writes into it\n  next:     wait "
                                              "for its end, or name another folder"));
    }
    std::ofstream rows(table);
    rows << "exit\tseconds\tscan\timage\tsolver\tmessage\n";
    Batch batch(options);
    std::map<ExitCode, std::size_t> counts;
    std::size_t old = 0;
    double spent = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Outcome outcome = batch.reconstruct(items[i]);
        ++counts[outcome.code];
        old += outcome.is_old ? 1 : 0;
        spent += outcome.is_old ? 0 : outcome.seconds;
        rows << static_cast<int>(outcome.code) << "\t" << formatted("%.2f", outcome.seconds) << "\t"
             << items[i].scan << "\t" << items[i].image << "\t" << outcome.solver << "\t"
             << in_one_field(outcome.is_old ? "finished before" : outcome.message) << std::endl;
        const double left = spent / static_cast<double>(std::max<std::size_t>(1, i + 1 - old)) *
                            static_cast<double>(items.size() - i - 1);
        if (!options.recon.quiet) {
            put(stderr, text("scan ", i + 1, " of ", items.size(), ": ", items[i].scan, ", ",
                             outcome.is_old ? "finished before"
                             : outcome.code == ExitCode::done
                                 ? "done in " + duration(outcome.seconds)
                                 : text("exit code ", static_cast<int>(outcome.code)),
                             ", about ", duration(left), " left"));
        }
    }
    if (!rows) {
        throw InputError({table, "file", "it could not be written", "room on its disk",
                          "make room, and run again: finished images are kept"});
    }
    const std::size_t done = counts[ExitCode::done];
    if (done < items.size()) {
        counts.erase(ExitCode::done);
        throw Error(counts.begin()->first,
                    text(items.size() - done, " of ", counted(items.size(), "scan"),
                         " failed\n  next:     see ", table, ", mend them, and run again"));
    }
    return ExitCode::done;
}

} // namespace

Bound bind_batch() {
    return bound(&options_of, &run);
}

} // namespace lsrecon::app
