#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/types.h>

namespace lsrecon {

/// Why a child process does not answer, in words that follow its name: "crashed: Segmentation
/// fault".
class ChildFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One end of the connection of two processes. Either end throws ChildFailure when the other has
/// gone.
class Connection {
public:
    explicit Connection(int descriptor) : descriptor_(descriptor) {}
    void send(const void* bytes, std::size_t size) const;
    void receive(void* bytes, std::size_t size) const;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// What this process may use from now on, for the side that runs in a child. Memory counts from
/// what is held already. Without effect on memory under AddressSanitizer.
void limit_this_process(double processor_seconds, double bytes);

/// A copy of this process that does what may crash, run for ever or take all memory: a library on
/// a damaged file. Its end becomes an exception in this one.
///
/// The copy has one thread, however many this process has, and shares nothing that it could harm:
/// it keeps no descriptor but the ones named, writes nothing to the terminal, leaves no core dump,
/// runs no handler of signals or of exit, and dies with the thread that made it, or with this
/// process where it was started from a small one.
class ChildProcess {
public:
    using Serve = void (*)(const Connection& parent, int descriptor);
    /// Of a function that needs nothing of this process but a descriptor: from the small process of
    /// start_children_from_here(), where there is one.
    ChildProcess(Serve serve, int descriptor);
    /// `serve` runs in the child, which ends when it returns. std::system_error when it cannot be
    /// started.
    explicit ChildProcess(const std::function<void(const Connection&)>& serve,
                          int kept_descriptor = -1)
        : ChildProcess(serve, kept_descriptor, nullptr) {}
    ~ChildProcess(); // ends the child, too
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// A child that has ended is seen by receive(): it may have answered before.
    void send(const std::string& bytes);
    void receive(void* bytes, std::size_t size);

private:
    ChildProcess(const std::function<void(const Connection&)>& serve, int kept_descriptor,
                 Serve by_function);
    [[noreturn]] void fail();
    int status_at_end(pid_t child) const;

    pid_t process_ = -1;
    bool is_of_small_process_ = false;
    Connection connection_{-1};
};

/// Forks a small process, from which children start: each gets a copy of this process as it is now.
/// Once it holds a driver and a scan, a copy takes longer than most files, and slows down whatever
/// writes to the memory that they share; and once it has threads, a copy may begin in the middle of
/// what another thread does. For the program's main, before all else. It ends with this process.
void start_children_from_here();

} // namespace lsrecon
