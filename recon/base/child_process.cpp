#include "base/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
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

namespace {

void make_connection(int (&ends)[2]) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
}

/// Its process, or -errno.
template <typename Work> pid_t start_child(int connection, int kept, const Work& serve) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        become_a_child(parent, connection, kept);
        try {
            serve(Connection(connection));
        } catch (const std::bad_alloc&) {
            ::_exit(exit_without_memory);
        } catch (...) { // its parent has gone, or sees an end without an answer
        }
        ::_exit(0);
    }
    return child < 0 ? -errno : child;
}

int wait_for(pid_t child) {
    int status = 0;
    pid_t ended = 0;
    do {
        ended = ::waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended == child ? status : 0;
}

/// A small process that starts children, and tells how they ended.
class SmallProcess {
public:
    SmallProcess() {
        int ends[2];
        make_connection(ends);
        process_ = start_child(ends[1], ends[1], &take_orders);
        ::close(ends[1]);
        connection_ = Connection(ends[0]);
        if (process_ < 0) {
            ::close(ends[0]);
            throw std::system_error(-process_, std::generic_category());
        }
    }
    ~SmallProcess() {
        ::close(connection_.descriptor());
        ::kill(process_, SIGKILL);
        wait_for(process_);
    }
    SmallProcess(const SmallProcess&) = delete;
    SmallProcess& operator=(const SmallProcess&) = delete;

    /// A child's process, or -errno.
    pid_t start(ChildProcess::Serve serve, int connection, int descriptor) {
        return answer_to({serve, 0}, {connection, descriptor});
    }
    int status_at_end(pid_t child) { return std::max(0, answer_to({nullptr, child}, {0, 0})); }

private:
    struct Order {
        ChildProcess::Serve serve; ///< null to ask for the end of a child
        pid_t child;
    };
    using Descriptors = std::array<int, 2>; ///< that of a child's connection, and its own

    /// With room for what passes descriptors to another process.
    struct Message {
        explicit Message(Order& order) : part{&order, sizeof(order)} {
            header.msg_iov = &part;
            header.msg_iovlen = 1;
            header.msg_control = room;
            header.msg_controllen = sizeof(room);
            cmsghdr* const first = CMSG_FIRSTHDR(&header);
            first->cmsg_level = SOL_SOCKET;
            first->cmsg_type = SCM_RIGHTS;
            first->cmsg_len = CMSG_LEN(sizeof(Descriptors));
        }
        iovec part;
        alignas(cmsghdr) char room[CMSG_SPACE(sizeof(Descriptors))] = {};
        msghdr header{};
        void* descriptors() { return CMSG_DATA(CMSG_FIRSTHDR(&header)); }
    };

    int answer_to(Order order, const Descriptors& descriptors) {
        const std::lock_guard<std::mutex> lock(mutex_);
        Message message(order);
        std::memcpy(message.descriptors(), descriptors.data(), sizeof(descriptors));
        ssize_t sent = 0;
        do {
            sent = ::sendmsg(connection_.descriptor(), &message.header, MSG_NOSIGNAL);
        } while (sent < 0 && errno == EINTR);
        int answer = -EPIPE;
        try {
            connection_.receive(&answer, sizeof(answer));
        } catch (const ChildFailure&) { // somebody has ended it
        }
        return answer;
    }

    static void take_orders(const Connection& parent) {
        for (;;) {
            Order order{};
            Message message(order);
            const ssize_t size =
                ::recvmsg(parent.descriptor(), &message.header, MSG_CMSG_CLOEXEC | MSG_WAITALL);
            if (size < 0 && errno == EINTR) {
                continue;
            }
            if (size != static_cast<ssize_t>(sizeof(order))) {
                return;
            }
            Descriptors descriptors{};
            std::memcpy(descriptors.data(), message.descriptors(), sizeof(descriptors));
            const auto [connection, descriptor] = descriptors;
            const int answer = order.serve == nullptr
                                   ? wait_for(order.child)
                                   : start_child(connection, descriptor, [&](const Connection& to) {
                                         order.serve(to, descriptor);
                                     });
            ::close(connection);
            ::close(descriptor);
            parent.send(&answer, sizeof(answer));
        }
    }

    std::mutex mutex_;
    pid_t process_ = -1;
    Connection connection_{-1};
};

std::unique_ptr<SmallProcess>& small_process() {
    static std::unique_ptr<SmallProcess> process;
    return process;
}

} // namespace

void start_children_from_here() {
    try {
        small_process() = std::make_unique<SmallProcess>();
    } catch (const std::system_error&) { // then they start from where they are needed
    }
}

ChildProcess::ChildProcess(Serve serve, int descriptor)
    : ChildProcess([=](const Connection& parent) { serve(parent, descriptor); }, descriptor,
                   serve) {}

ChildProcess::ChildProcess(const std::function<void(const Connection&)>& serve, int kept_descriptor,
                           Serve by_function) {
    int ends[2];
    make_connection(ends);
    is_of_small_process_ = by_function != nullptr && small_process() != nullptr;
    process_ = is_of_small_process_ ? small_process()->start(by_function, ends[1], kept_descriptor)
                                    : start_child(ends[1], kept_descriptor, serve);
    ::close(ends[1]);
    connection_ = Connection(ends[0]);
    if (process_ < 0) {
        ::close(ends[0]);
        throw std::system_error(-process_, std::generic_category());
    }
}

int ChildProcess::status_at_end(pid_t child) const {
    return is_of_small_process_ ? small_process()->status_at_end(child) : wait_for(child);
}

ChildProcess::~ChildProcess() {
    ::close(connection_.descriptor());
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        status_at_end(process_);
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
    const int status = status_at_end(std::exchange(process_, -1));
    if (WIFSIGNALED(status)) {
        throw ChildFailure(WTERMSIG(status) == SIGPROF
                               ? "did not finish in time"
                               : text("crashed: ", ::strsignal(WTERMSIG(status))));
    }
    // The parent of this program may have switched such reports off.
    const bool memory = WEXITSTATUS(status) == exit_without_memory;
    throw ChildFailure(memory ? "asked for more memory than the file can need"
                              : "ended without an answer");
}

} // namespace lsrecon
