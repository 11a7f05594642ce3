#include <exception>
#include <fcntl.h>
#include <iomanip>
#include <new>
#include <unistd.h>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/escaped.hpp"
#include "base/machine.hpp"
#include "base/said_on_signal.hpp"
#include "base/version.hpp"

using namespace lsrecon;

namespace {

int code(ExitCode value) {
    return static_cast<int>(value);
}

/// "recon " of "lsrecon recon --foo", and "" of "lsrecon --foo".
std::string named_command(const char* word) {
    return word[0] == '-' ? "" : word + std::string(" ");
}

/// What is wrong with a command line; the next step is its help where the message has none.
int refuse(const std::string& message, const std::string& command) {
    const bool has_next = message.find("\n  next:") != std::string::npos;
    const std::string help = has_next ? "" : "\n  next:     see 'lsrecon " + command + "--help'";
    app::put_error(message + help);
    return code(ExitCode::usage);
}

/// The one place where an exception becomes an exit code.
int run(const std::string& name, const std::function<ExitCode()>& command) {
    try {
        return code(command());
    } catch (const UsageError& error) {
        return refuse(error.what(), name);
    } catch (const Error& error) {
        app::put_error(error.what());
        return code(error.code());
    } catch (const std::bad_alloc&) {
        const MemoryLimit limit = memory_limit();
        app::put_error(text("there is no memory left\n  expected: at most the ",
                            std::setprecision(3), limit.bytes / 1e9, " GB of ", limit.whose,
                            "\n  next:     raise that limit, use a smaller matrix (--matrix) or "
                            "fewer coils (--coils), or a machine with more memory"));
        return code(ExitCode::input);
    } catch (const std::exception& error) {
        app::put_error(text("a bug: ", printable(error.what()),
                            "\n  next:     please report it with the command"));
        return code(ExitCode::bug);
    }
}

/// Reported here, because CLI11 says only that a subcommand is required.
bool names_no_command(int argc, char** argv) {
    if (argc > 1 && argv[1][0] == '-') {
        return false;
    }
    const std::string word = argc > 1 ? argv[1] : "";
    std::string names;
    for (const app::Command& command : app::commands()) {
        if (command.name == word) {
            return false;
        }
        names += (names.empty() ? "" : ", ") + command.name;
    }
    const std::string found = argc > 1 ? "unknown command \"" + word + "\"" : "no command";
    app::put_error(found + "\n  expected: one of " + names + "\n  next:     see lsrecon --help");
    return true;
}

/// If a standard stream was closed from the start, the first file that is opened would take its
/// number, and printed text would go into that file.
void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0) {
            // Only for reading: what is printed must fail, not vanish.
            [[maybe_unused]] const int same_number = ::open("/dev/null", O_RDONLY);
        }
    }
}

int chosen_command(int argc, char** argv) {
    app::remember_command_line(argc, argv);
    if (names_no_command(argc, argv)) {
        return code(ExitCode::usage);
    }
    CLI::App cli{"Least-squares reconstruction of non-Cartesian MRI scans on any OpenCL device.",
                 "lsrecon"};
    cli.set_version_flag("--version", std::string("lsrecon ") + version);
    cli.require_subcommand(1);
    cli.footer("Exit codes: 0 done, 1 bug, 2 usage, 3 input, 4 device, 5 not built in, "
               "6 outside the requested tolerance, 128 + n ended by signal n.");
    std::function<ExitCode()> chosen;
    for (const app::Command& command : app::commands()) {
        CLI::App* sub = cli.add_subcommand(command.name, command.summary);
        auto action = command.bind(*sub);
        sub->callback([&chosen, action] { chosen = action; });
    }
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool asked_for_help = error.get_exit_code() == 0;
        if (asked_for_help) {
            cli.exit(error);
            return code(ExitCode::done);
        }
        std::string message = error.what();
        if (message.find("\n  expected:") != std::string::npos) {
            message.replace(message.find(": "), 2, " "); // "--flag: word" of a validator
        }
        return refuse(message, named_command(argv[1]));
    }
    return run(named_command(argv[1]), chosen);
}

} // namespace

int main(int argc, char** argv) {
    occupy_closed_streams();
    say_words_on_signals();
    const int result = chosen_command(argc, argv);
    const int flushed = run("", [] {
        app::flush_stdout();
        return ExitCode::done;
    });
    return result == code(ExitCode::done) ? flushed : result;
}
