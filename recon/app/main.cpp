// The program: starts the ranks, runs the command, and ends with the exit code of its error.

#include <exception>
#include <fcntl.h>
#include <iomanip>
#include <new>
#include <unistd.h>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/ranks.hpp"
#include "base/escaped.hpp"
#include "base/machine.hpp"
#include "base/report.hpp"
#include "io/hdf5/child.hpp"

using namespace lsrecon;

namespace {

int code(ExitCode value) {
    return static_cast<int>(value);
}

/// Returns where this process is alone; else it ends all of its job.
int fail(ExitCode with, const std::string& message) {
    app::ranks().fail(code(with), message);
    app::put_error(message);
    return code(with);
}

/// The one place where an exception becomes an exit code.
int run(const std::string& name, const std::function<ExitCode()>& command) {
    try {
        return code(command());
    } catch (const Error& error) {
        std::string message = error.what();
        if (error.code() == ExitCode::usage && message.find("\n  next:") == std::string::npos) {
            message += "\n  next:     see 'lsrecon " + name + "--help'";
        }
        return fail(error.code(), message);
    } catch (const std::bad_alloc&) {
        const MemoryLimit limit = memory_limit();
        return fail(ExitCode::input,
                    text("there is no memory left\n  expected: at most the ", std::setprecision(3),
                         limit.bytes / 1e9, " GB of ", limit.whose,
                         "\n  next:     raise that limit, use a smaller matrix (--matrix) or "
                         "fewer coils (--coils), or a machine with more memory"));
    } catch (const std::exception& error) {
        return fail(ExitCode::bug, text("a bug: ", printable(error.what()),
                                        "\n  next:     please report it with the command"));
    }
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

} // namespace

int main(int argc, char** argv) {
    keep_freed_memory();
    occupy_closed_streams();
    start_hdf5_children_from_here();
    say_words_on_signals([](std::string words) { return app::with_flags(std::move(words)); });
    const std::string command = argc > 1 && argv[1][0] != '-' ? argv[1] + std::string(" ") : "";
    std::unique_ptr<JobRanks> job;
    const int result = run(command, [&] {
        job = app::start_ranks();
        app::set_ranks(*job);
        app::keep_to_own_cores();
        if (!job->is_first()) {
            app::silence();
        }
        return app::run_command_line(argc, argv);
    });
    const int flushed = run("", [] {
        app::flush_stdout();
        return ExitCode::done;
    });
    return result == code(ExitCode::done) ? flushed : result;
}
