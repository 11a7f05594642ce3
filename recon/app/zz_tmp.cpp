#include "app/command.hpp"
namespace lsrecon::app {
std::function<ExitCode()> bind_validate(CLI::App&) {
    return [] { return ExitCode::bug; };
}
std::function<ExitCode()> bind_bench(CLI::App&) {
    return [] { return ExitCode::bug; };
}
} // namespace lsrecon::app
