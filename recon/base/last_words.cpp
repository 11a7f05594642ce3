#include "base/last_words.hpp"

#include <array>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace lsrecon {

namespace {

struct Handled {
    int signal;
    bool is_crash;
    struct sigaction before;
};
/// What a handler needs, which may allocate nothing.
struct State {
    int file = -1;
    std::string when_crashed;
    std::string when_stopped;
    std::time_t end_of_patience = 0;
    std::array<Handled, 8> handled{{{SIGSEGV, true, {}},
                                    {SIGBUS, true, {}},
                                    {SIGFPE, true, {}},
                                    {SIGILL, true, {}},
                                    {SIGABRT, true, {}},
                                    {SIGINT, false, {}},
                                    {SIGTERM, false, {}},
                                    {SIGHUP, false, {}}}};
};

State& state() {
    static State the_state;
    return the_state;
}

void say(int signal) {
    State& now = state();
    for (const Handled& handled : now.handled) {
        if (handled.signal != signal) {
            continue;
        }
        const std::string& words = handled.is_crash ? now.when_crashed : now.when_stopped;
        if (handled.is_crash || std::time(nullptr) <= now.end_of_patience) {
            // Nothing can be done about words that do not fit on the disk.
            [[maybe_unused]] const auto ignored = ::write(now.file, words.data(), words.size());
        }
        ::sigaction(signal, &handled.before, nullptr);
        ::raise(signal); // comes when this handler returns
    }
}

} // namespace

LastWords::LastWords(const std::string& path, const std::string& when_crashed,
                     const std::string& when_stopped, std::chrono::seconds patience) {
    State& now = state();
    now.file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    now.when_crashed = when_crashed;
    now.when_stopped = when_stopped;
    now.end_of_patience = std::time(nullptr) + patience.count();
    struct sigaction action {};
    action.sa_handler = &say;
    for (Handled& handled : now.handled) {
        ::sigaction(handled.signal, nullptr, &handled.before);
        // A process that ignores it, as under nohup, does not end by it.
        if (handled.is_crash || handled.before.sa_handler != SIG_IGN) {
            ::sigaction(handled.signal, &action, nullptr);
        }
    }
}

LastWords::~LastWords() {
    for (const Handled& handled : state().handled) {
        ::sigaction(handled.signal, &handled.before, nullptr);
    }
    ::close(state().file);
}

} // namespace lsrecon
