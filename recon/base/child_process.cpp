#include "base/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr int exit_without_memory = 77;

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true; // its shadow memory is larger than any limit; its reports matter
#else
constexpr bool sanitized = false;
#endif

void close_from_to(int from, int to) {
    if (from <= to &&
        ::close_range(static_cast<unsigned>(from), static_cast<unsigned>(to), 0) != 0) {
        constexpr int more_than_are_open = 65536; // Linux before 5.9 knows no ranges
        for (int descriptor = from; descriptor <= std::min(to, more_than_are_open); ++descriptor) {
            ::close(descriptor);
        }
    }
}

void close_all_but(int first, int second) {
    const int low = std::max(std::min(first, second), STDERR_FILENO);
    const int high = std::max(std::max(first, second), STDERR_FILENO);
    close_from_to(STDERR_FILENO + 1, low - 1);
    close_from_to(low + 1, high - 1);
    close_from_to(high + 1, std::numeric_limits<int>::max());
}

/// The parent cleans up after signals; what runs here must not. Signals that end the parent end
/// this process through it, so that it does not seem to have crashed before.
void forget_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
        std::signal(signal, SIG_DFL);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        std::signal(signal, SIG_IGN);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become_a_child(pid_t parent, int connection, int kept) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(0); // the parent ended before the line above
    }
    forget_signals();
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        const bool reports = sanitized && standard == STDERR_FILENO;
        if (standard != connection && standard != kept && !reports) {
            ::dup2(nothing, standard);
        }
    }
    close_all_but(connection, kept);
}

/// Private memory that can be written to, which is what RLIMIT_DATA counts.
double held_bytes() {
    std::ifstream statm("/proc/self/statm");
    double pages = 0;
    for (int field = 0; field < 6; ++field) {
        statm >> pages;
    }
    return statm ? pages * static_cast<double>(::sysconf(_SC_PAGE_SIZE)) : -1;
}

} // namespace

void Connection::send(const void* bytes, std::size_t size) const {
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t sent = ::send(descriptor_, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            throw ChildFailure("has gone");
        }
        at += sent;
        size -= static_cast<std::size_t>(sent);
    }
}

void Connection::receive(void* bytes, std::size_t size) const {
    char* at = static_cast<char*>(bytes);
    while (size > 0) {
        const ssize_t received = ::recv(descriptor_, at, size, 0);
        if (received < 0 && errno == EINTR) {
            continue;
        }
        if (received <= 0) {
            throw ChildFailure("has gone");
        }
        at += received;
        size -= static_cast<std::size_t>(received);
    }
}

void limit_this_process(double processor_seconds, double bytes) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(processor_seconds) + 1;
    ::setitimer(ITIMER_PROF, &timer, nullptr); // SIGPROF ends the process
    rlimit limit{};
    const double held = held_bytes();
    if (!sanitized && held >= 0 && ::getrlimit(RLIMIT_DATA, &limit) == 0) {
        const double wanted = std::min(held + bytes, 1e18);
        limit.rlim_cur = std::min(static_cast<rlim_t>(wanted), limit.rlim_max);
        ::setrlimit(RLIMIT_DATA, &limit);
    }
}

ChildProcess::ChildProcess(const std::function<void(const Connection&)>& serve,
                           int kept_descriptor) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) {
        become_a_child(parent, ends[1], kept_descriptor);
        try {
            serve(Connection(ends[1]));
        } catch (const std::bad_alloc&) {
            ::_exit(exit_without_memory);
        } catch (...) { // its parent has gone, or sees an end without an answer
        }
        ::_exit(0);
    }
    const int cause = errno;
    ::close(ends[1]);
    connection_ = Connection(ends[0]);
    if (process_ < 0) {
        ::close(ends[0]);
        throw std::system_error(cause, std::generic_category());
    }
}

ChildProcess::~ChildProcess() {
    ::close(connection_.descriptor());
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

void ChildProcess::send(const std::string& bytes) {
    try {
        connection_.send(bytes.data(), bytes.size());
    } catch (const ChildFailure&) { // it may have answered before it ended: receive() finds out
    }
}

void ChildProcess::receive(void* bytes, std::size_t size) {
    try {
        connection_.receive(bytes, size);
    } catch (const ChildFailure&) {
        fail();
    }
}

void ChildProcess::fail() {
    int status = 0;
    const pid_t child = std::exchange(process_, -1);
    pid_t ended = 0;
    do {
        ended = ::waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended == child && WIFSIGNALED(status)) {
        throw ChildFailure(WTERMSIG(status) == SIGPROF
                               ? "did not finish in time"
                               : text("crashed: ", ::strsignal(WTERMSIG(status))));
    }
    // The parent of this program may have switched such reports off.
    const bool memory = ended == child && WEXITSTATUS(status) == exit_without_memory;
    throw ChildFailure(memory ? "asked for more memory than the file can need"
                              : "ended without an answer");
}

} // namespace lsrecon
