// Commands: their table, their options, and the command line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/named_files.hpp"
#include "io/record.hpp"
#include "io/scan_options.hpp"
#include "plan/options.hpp"

namespace lsrecon::app {

using namespace option;

/// The options that a command takes, and the action on them.
struct Bound {
    OptionTable options; ///< options; those without a flag come first
    std::function<ExitCode()> run;
};

using Bind = Bound();

/// One command.
struct Command {
    std::string name;
    std::string summary;
    Bind* bind;
    bool is_shared = false; ///< whether ranks share it; only the first rank runs any other
    std::vector<std::string> examples = {}; ///< command lines of daily use
};

/// The table of commands: one row each, in the order of the help.
const std::vector<Command>& commands();

/// The rows of a command, of which one of devices also takes --threads.
Bound bound_rows(const Command& command);

/// Binds the rows of a command to a struct that lives as long as what is returned.
template <typename Options>
Bound bound(OptionTable (*options_of)(Options& options), ExitCode (*run)(Options& options)) {
    const auto options = std::make_shared<Options>();
    return {options_of(*options), [options, run] { return run(*options); }};
}

/// The value of a row that is given again for each file.
Value file_names(std::vector<std::string>& names);
/// The rows that most commands have.
Option output_option(std::string& output, const std::string& help, const std::string& more = "");
Option quiet_option(bool& quiet);

/// "--maps-crop" of "maps_crop"; "SCAN" as it is.
std::string flag_of(const std::string& key);
/// Whether some command takes an option of this key.
bool is_key(const std::string& key);

/// How this program was built: recon/revision.cmake.
struct Build {
    std::string revision; ///< git's, "-dirty" behind it with changes; "unknown" outside of git
    std::string with; ///< "OpenCL, PNG": the optional parts that it has
    std::string without; ///< those that it lacks; "" for none
};
Build this_build();

/// The command line of this process.
const std::string& command_line();
/// The record of a run: its command line, and the options that have other values than in
/// `defaults`, but those about the output.
Record settings_of(const OptionTable& options, const OptionTable& defaults);
template <typename Options>
Record settings_of(OptionTable (*options_of)(Options&), Options& options) {
    Options defaults;
    return settings_of(options_of(options), options_of(defaults));
}
/// The files that options name to be read.
std::vector<NamedInput> inputs_of(const OptionTable& options);
/// The hashes of the files that such options name, by their names in the record; the names of the
/// files may be given to others meanwhile.
using HashesOfFiles = std::function<Record(FileHashes&)>;
HashesOfFiles hashes_of_files(const OptionTable& options);

/// Takes the words of a line, of which some may be quoted. UsageError for what no option takes.
/// The options that they need and exclude may be others' that were taken before.
void take_words(const OptionTable& options, const std::string& line);
/// Takes the options by which an image was made, but those that are given and those of the machine,
/// and adds them to what is given. InputError for a file that recon has not written, or for one
/// that an option names and that has changed since.
void take_like(const std::string& image, const OptionTable& rows, Keywords& given);

/// Does what a command line asks for. UsageError for words that nothing takes.
ExitCode run_command_line(int argc, const char* const* argv);

/// Writes lsrecon.bash, _lsrecon for zsh and lsrecon.fish, which complete command lines, into a
/// folder that is there: packages install them.
void write_completions(const std::string& folder);

/// Whether a file is a scan, and no output of the program and no image.
bool is_scan(const std::string& path);

/// Prints an image file as `lsrecon info --json` does.
void print_image_as_json(const std::string& path);

Bind bind_recon, bind_batch, bind_predict, bind_fhd, bind_q, bind_maps, bind_delays, bind_fieldmap,
    bind_import, bind_convert, bind_compare, bind_view, bind_info, bind_check, bind_simulate,
    bind_validate, bind_bench, bind_tune, bind_devices;

} // namespace lsrecon::app
