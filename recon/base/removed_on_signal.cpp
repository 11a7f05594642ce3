#include "base/removed_on_signal.hpp"

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

void remove_files_and_end(int signal) {
    for (const Slot& slot : slots) {
        if (slot.state == in_use && slot.owner == ::getpid()) {
            ::unlink(slot.path.data());
        }
    }
    ::raise(signal); // its action is the default one again: SA_RESETHAND
}

} // namespace

void remove_files_on_signals() {
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2}) {
        struct sigaction before {};
        if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) {
            continue;
        }
        struct sigaction action {};
        action.sa_handler = &remove_files_and_end;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
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

RemovedOnSignal::~RemovedOnSignal() {
    if (slot_ >= 0) {
        slots[static_cast<std::size_t>(slot_)].state = unused;
    }
}

} // namespace lsrecon
