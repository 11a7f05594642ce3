#include "base/removed_on_signal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace lsrecon {

namespace {

enum State { unused, being_set, in_use };

/// What a handler of signals may read: no memory that is allocated, no locks.
struct Slot {
    std::atomic<int> state{unused};
    std::atomic<pid_t> owner{0}; // a child has a copy of this table, and other files
    std::array<char, PATH_MAX> path{};
};

std::array<Slot, 16> slots;

static_assert(std::atomic<int>::is_always_lock_free);

std::array<char, 4096> words; // always ends with a zero
std::atomic<std::size_t> words_size{0}; // 0 while they are set
std::atomic<pid_t> words_owner{0};
std::atomic<bool> on_terminal{false};

void say_words() {
    if (words_size > 0 && words_owner == ::getpid()) {
        // A failure to write is ignored: nothing can be done about it. On a terminal the words
        // begin a new line after that of the progress.
        [[maybe_unused]] ssize_t ignored = on_terminal ? ::write(STDERR_FILENO, "\n", 1) : 0;
        ignored = ::write(STDERR_FILENO, words.data(), words_size);
    }
}

std::atomic<bool> ending{false};

void remove_files_and_end(int signal) {
    if (ending.exchange(true)) {
        return; // sent twice, as timeout(1) does: another thread is here
    }
    say_words();
    for (const Slot& slot : slots) {
        if (slot.state == in_use && slot.owner == ::getpid()) {
            ::unlink(slot.path.data());
        }
    }
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(signal, &by_default, nullptr);
    ::raise(signal);
}

} // namespace

void remove_files_on_signals() {
    on_terminal = ::isatty(STDERR_FILENO) == 1;
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2}) {
        struct sigaction before {};
        if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) {
            continue;
        }
        struct sigaction action {};
        action.sa_handler = &remove_files_and_end;
        sigemptyset(&action.sa_mask);
        ::sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

RemovedOnSignal::RemovedOnSignal(const std::string& path) {
    if (path.size() >= PATH_MAX) {
        return;
    }
    for (std::size_t s = 0; s < slots.size(); ++s) {
        int expected = unused;
        if (slots[s].state.compare_exchange_strong(expected, being_set)) {
            std::memcpy(slots[s].path.data(), path.c_str(), path.size() + 1);
            slots[s].owner = ::getpid();
            slots[s].state = in_use;
            slot_ = static_cast<int>(s);
            return;
        }
    }
}

SaidOnSignal::SaidOnSignal(const std::string& text) {
    const std::size_t size = std::min(text.size(), words.size() - 1);
    std::memcpy(words.data(), text.data(), size);
    words_owner = ::getpid();
    words_size = size;
}

SaidOnSignal::~SaidOnSignal() {
    words_size = 0;
}

RemovedOnSignal::~RemovedOnSignal() {
    if (slot_ >= 0) {
        slots[static_cast<std::size_t>(slot_)].state = unused;
    }
}

} // namespace lsrecon
