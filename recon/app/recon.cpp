// The command recon and its options; the list of scans for batch and predict; and the summary that
// ends a run.

#include "app/recon.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <glob.h>

#include "app/output.hpp"
#include "app/ranks.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "device/devices.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "io/preview.hpp"
#include "plan/settle.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon::app {

namespace {

/// UsageError for options of files that have no use where nothing is solved, or all frames are
/// solved together.
void require_use_of_files(const FileOptions& options) {
    const std::vector<std::pair<std::string, bool>> of_solvers{
        {"q", !options.q_file.empty()},
        {"q_folder", !options.q_folder.empty()},
        {"log", !options.log.empty()}};
    for (const auto& [key, is_given] : of_solvers) {
        if (is_given) {
            require_solves(options.solve, key);
        }
    }
    if (options.resume && need_all_frames(options.solve.regularisers)) {
        throw UsageError("--resume: with --reg " + in_words(options.solve.regularisers) +
                         " all frames are solved together, so a stopped run keeps none\n  next:    "
                         " leave --resume out");
    }
}

/// The first sentence of a note, or its beginning.
std::string in_short(const std::string& note) {
    constexpr std::size_t longest = 89; // letters, of a line of 100
    const std::string first = note.substr(0, std::min(note.find(". "), note.find("; ")));
    return first.size() <= longest ? first
                                   : first.substr(0, first.rfind(' ', longest - 4)) + " ...";
}

/// Tells a user the results of a run, at its end.
void print_summary(const ReconOptions& options, const ReconstructedFile& result, bool replaces,
                   double seconds, Console& console) {
    const std::string unexplained = result.solves.samples_in_words();
    const std::string certified = result.solves.certificate_in_words();
    const std::string resumed =
        result.frames_finished_before > 0
            ? text(", ", result.frames_finished_before, " of an earlier run")
            : "";
    console.report_repeated_stages();
    console.info(text("image      ", options.output, ", ",
                      counted(result.about.frames.size(), "frame"), resumed,
                      replaces ? ", in place of the file before" : ""));
    console.info("solver     " + result.solves.as_text());
    console.info("data       " + (unexplained.empty() ? "not compared" : unexplained));
    if (!certified.empty()) {
        console.info("errors     " + certified);
    }
    for (const Finding& finding : console.findings()) {
        console.info("warning    " + in_short(words_of(finding)));
    }
    if (console.findings().empty()) {
        console.info("warnings   none");
    }
    console.info(formatted("time       %.1f s", seconds));
}

/// A device by its name in place of its index, which tasks on devices of one kind do not share.
void name_device(Record& settings) {
    for (auto& [name, value] : settings) {
        const bool is_index = value.find_first_not_of("0123456789") == std::string::npos;
        if (name == name_of_option("device") && is_index) {
            for (const DeviceInfo& info : list_devices()) {
                value = text(info.index) == value ? info.name : value;
            }
        }
    }
}

/// The image is there, and its error is not what was asked for.
void require_certified(const SolveSummary& solves, double most, const std::string& output) {
    if (most > 0 && !(solves.certificate().image.upper <= most)) {
        throw ToleranceError(
            text("`certify` ", most, ": the image of ", output,
                 " may be wrong by more\n  found:    ", solves.certificate_in_words(),
                 "\n  next:     pass a smaller `accuracy`, `precision` double, a larger "
                 "`lambda`, or with a field map a smaller `segment_error`"));
    }
}

/// The files that a pattern names; itself, where it names none.
std::vector<std::string> matches_of(const std::string& pattern) {
    std::vector<std::string> found;
    glob_t matches{};
    std::error_code no_such_path; // what is wrong with it is said where it is read
    if (!std::filesystem::exists(pattern, no_such_path) &&
        ::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
        found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    }
    ::globfree(&matches);
    return found.empty() ? std::vector<std::string>{pattern} : found;
}

struct Line {
    std::string scan; ///< or a pattern
    std::string words;
};

std::vector<Line> lines_of(const std::string& list) {
    require_input(list, "list of scans");
    std::ifstream file(list);
    std::vector<Line> lines;
    for (std::string line; std::getline(file, line);) {
        line.erase(line.find_last_not_of("\r \t") + 1);
        if (!line.empty() && line[0] != '#') {
            const std::size_t tab = std::min(line.find('\t'), line.size());
            lines.push_back({line.substr(0, tab), line.substr(std::min(tab + 1, line.size()))});
        }
    }
    return lines;
}

/// Ranks that compute together decide the same by numbers that are the same to the last bit.
void require_same_device(const ComputedBy& computed) {
    const std::string own = computed.device + ", " + computed.driver;
    std::string of_first = own;
    ranks().broadcast(0, of_first);
    if (own != of_first) {
        throw DeviceError(text("ranks on different devices\n  found:    ", own,
                               "\n  expected: ", of_first,
                               ", as the first rank has\n  next:     "
                               "choose a device that all have with --device"));
    }
}

ExitCode run_recon(ReconOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    settle_and_check_files(options);
    options.reconstruct.hashes = [of_files = hashes_of_files(options)] {
        FileHashes hashes;
        return of_files(hashes);
    };
    Console console(options.quiet);
    if (options.reconstruct.certify > 0 && ranks().is_first()) {
        console.info(text("certify    what errors of the transforms (NUFFT and rounding) do to the "
                          "image at its lambda is at most ",
                          options.reconstruct.certify,
                          "; noise and errors of coil maps are not in it"));
    }
    options.compute.ranks = &ranks();
    const bool replaces = std::filesystem::exists(options.output);
    const auto transforms = open_transforms(options.compute, console);
    require_same_device(transforms->computed_by());
    const ReconstructedFile result =
        reconstruct_file(options.scan, options.output, *transforms, options.reconstruct, console);
    if (!ranks().is_first()) {
        return ExitCode::done;
    }
    print_summary(options, result, replaces, seconds_since(begin), console);
    if (options.json) {
        print_image_as_json(options.output);
    } else if (result.truth_error) {
        print_line("error against the truth: %.4f (relative L2 of magnitudes)",
                   *result.truth_error);
    }
    require_as_requested(options, result);
    return ExitCode::done;
}

} // namespace

OptionTable options_of_recon(ReconOptions& options) {
    FileOptions& reconstruct = options.reconstruct;
    return joined(
        {scan_options(options.scan, reconstruct.read),
         in("Reading",
            {{"like", input(options.like), "image whose options are taken where none are given",
              Is::about_output, Default{"none"},
              More{"All that its record has but the device. A weight that was chosen is chosen "
                   "again, by this scan."}}}),
         solve_options(reconstruct), kept_q_options(reconstruct.q_file, reconstruct.q_folder),
         device_options(options.compute),
         in("Output",
            {output_option(options.output, "image file to write (HDF5)"),
             {"resume", toggle(reconstruct.resume), "continue an unfinished image",
              Is::about_output, More{"The frames in `IMAGE.part` are not solved again."}},
             {"png", name(reconstruct.preview), "PNG preview to write", Is::about_output},
             {"log", name(reconstruct.log), "table of iterations, written during the solve",
              Is::expert, Is::about_output,
              More{"Each iteration is a line: frame, problem, iteration, relative residual, "
                   "seconds. `--resume` continues the table."}}}),
         error_options(reconstruct),
         in("Output",
            {{"truth", input(reconstruct.truth), "ground-truth image to compare with", Is::expert,
              Is::about_output,
              More{"The program prints the relative L2 error of the magnitudes."}},
             {"json", toggle(options.json), "print the facts of the image on stdout, as JSON",
              Is::expert, Is::about_output, More{"They are those of `lsrecon info --json IMAGE`."}},
             quiet_option(options.quiet)})});
}

OptionTable computing_options(ReconOptions& options) {
    return without({"output", "resume", "png", "log", "truth", "json", "quiet"},
                   options_of_recon(options));
}

HashesOfFiles hashes_of_files(ReconOptions& options) {
    return hashes_of_files(options_of_recon(options));
}

void settle_options(ReconOptions& options) {
    FileOptions& reconstruct = options.reconstruct;
    require_consistent(reconstruct);
    require_use_of_files(reconstruct);
    if (!reconstruct.preview.empty()) {
        require_png();
    }
    reconstruct.settings = settings_of(&options_of_recon, options);
    name_device(reconstruct.settings);
    options.compute = choose_compute(std::move(options.compute), reconstruct);
}

void settle_and_check_files(ReconOptions& options) {
    settle_options(options);
    const FileOptions& reconstruct = options.reconstruct;
    check_files(inputs_of(options_of_recon(options)),
                {{"--output", options.output, FileKind::hdf5},
                 {"--png", reconstruct.preview, FileKind::png},
                 {"--log", reconstruct.log, FileKind::log}});
    require_folder("--q-folder", reconstruct.q_folder);
}

void require_as_requested(const ReconOptions& options, const ReconstructedFile& result) {
    require_all_frames(result.failed, result.about.frames.size(), options.output, !result.together);
    require_certified(result.solves, options.reconstruct.certify, options.output);
}

Option scans_option(std::vector<std::string>& scans) {
    return {"SCANS",
            file_names(scans),
            "scan files, or lists of them that end with .txt",
            Is::required,
            Is::repeated,
            More{"A list has one scan a line: its path from where the program runs, which may hold "
                 "* and ?, and after a tab options for this scan alone. `#` begins a comment."}};
}

OptionTable shared_options(ReconOptions& options) {
    return without({"SCAN"}, computing_options(options));
}

ReconOptions options_for(const ListedScan& listed, const ReconOptions& of_all) {
    ReconOptions one = of_all;
    one.scan = listed.scan;
    if (!listed.words.empty()) {
        take_words(shared_options(one), listed.words);
    }
    return one;
}

std::vector<ListedScan> listed_scans(const std::vector<std::string>& scans) {
    std::vector<ListedScan> listed;
    for (const std::string& file : scans) {
        const bool is_list = ending_of(file) == "txt";
        for (const Line& line : is_list ? lines_of(file) : std::vector<Line>{{file, ""}}) {
            for (const std::string& scan : matches_of(line.scan)) {
                listed.push_back({scan, line.words});
            }
        }
    }
    if (listed.empty()) {
        throw UsageError("SCANS: no scan is listed\n  next:     name some, or a list of them");
    }
    return listed;
}

Bound bind_recon() {
    return bound(&options_of_recon, &run_recon);
}

} // namespace lsrecon::app
