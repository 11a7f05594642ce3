#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "base/error.hpp"
#include "base/named_files.hpp"
#include "io/record.hpp"

namespace lsrecon::app {

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
template <typename Asked>
Bound bound(OptionTable (*options_of)(Asked& asked), ExitCode (*run)(Asked& asked)) {
    const auto asked = std::make_shared<Asked>();
    return {options_of(*asked), [asked, run] { return run(*asked); }};
}

/// "--maps-crop" of "maps_crop"; "SCAN" as it is.
std::string flag_of(const std::string& key);
/// Whether some command takes an option of this key.
bool is_key(const std::string& key);

/// The command line of this process.
const std::string& command_line();
/// The record of a run: its command line, and the options that have other values than in `usual`,
/// but those about the output.
Record settings_of(const OptionTable& options, const OptionTable& usual);
template <typename Asked> Record settings_of(OptionTable (*options_of)(Asked&), Asked& asked) {
    Asked usual;
    return settings_of(options_of(asked), options_of(usual));
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

/// Does what a command line asks for. UsageError for words that nothing takes.
ExitCode run_command_line(int argc, const char* const* argv);

/// Writes lsrecon.bash, _lsrecon for zsh and lsrecon.fish, which complete command lines, into a
/// folder that is there: packages install them.
void write_completions(const std::string& folder);

/// Prints an image file as `lsrecon info --json` does.
void print_image_as_json(const std::string& path);

Bind bind_recon, bind_batch, bind_predict, bind_fhd, bind_q, bind_maps, bind_convert, bind_view,
    bind_info, bind_check, bind_simulate, bind_validate, bind_bench, bind_tune, bind_devices;

} // namespace lsrecon::app
