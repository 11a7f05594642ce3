#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace lsrecon::app {

/// One subcommand: binds its flags to members of an options struct and returns what runs it.
/// The struct lives as long as the returned function.
struct Command {
    std::string name;
    std::string summary;
    std::function<ExitCode()> (*bind)(CLI::App& subcommand);
};

/// The table of commands: one row each, in the order of the help.
const std::vector<Command>& commands();

std::function<ExitCode()> bind_recon(CLI::App& sub);
std::function<ExitCode()> bind_fhd(CLI::App& sub);
std::function<ExitCode()> bind_q(CLI::App& sub);
std::function<ExitCode()> bind_maps(CLI::App& sub);
std::function<ExitCode()> bind_convert(CLI::App& sub);
std::function<ExitCode()> bind_view(CLI::App& sub);
std::function<ExitCode()> bind_info(CLI::App& sub);
std::function<ExitCode()> bind_check(CLI::App& sub);
std::function<ExitCode()> bind_simulate(CLI::App& sub);
std::function<ExitCode()> bind_validate(CLI::App& sub);
std::function<ExitCode()> bind_bench(CLI::App& sub);
std::function<ExitCode()> bind_tune(CLI::App& sub);
std::function<ExitCode()> bind_devices(CLI::App& sub);

} // namespace lsrecon::app
