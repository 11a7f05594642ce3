#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "base/error.hpp"

namespace lsrecon::app {

/// What a command takes, and what it does with it.
struct Bound {
    OptionTable options; ///< those without a flag first
    std::function<ExitCode()> run;
};

/// One command.
struct Command {
    std::string name;
    std::string summary;
    Bound (*bind)();
};

/// The table of commands: one row each, in the order of the help.
const std::vector<Command>& commands();

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
/// The record of a run: its command line, and options that have a name there, with their values.
Record settings_of(const OptionTable& options);

/// Does what a command line asks for. UsageError for words that nothing takes.
ExitCode run_command_line(int argc, const char* const* argv);

Bound bind_recon();
Bound bind_fhd();
Bound bind_q();
Bound bind_maps();
Bound bind_convert();
Bound bind_view();
Bound bind_info();
Bound bind_check();
Bound bind_simulate();
Bound bind_validate();
Bound bind_bench();
Bound bind_tune();
Bound bind_devices();

} // namespace lsrecon::app
