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
/// runs no handler of signals or of exit, and dies with the thread that made it.
class ChildProcess {
public:
    /// `serve` runs in the child, which ends when it returns. std::system_error when it cannot be
    /// started.
    explicit ChildProcess(const std::function<void(const Connection&)>& serve,
                          int kept_descriptor = -1);
    ~ChildProcess(); // ends the child, too
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// A child that has ended is seen by receive(): it may have answered before.
    void send(const std::string& bytes);
    void receive(void* bytes, std::size_t size);

private:
    [[noreturn]] void fail();

    pid_t process_ = -1;
    Connection connection_{-1};
};

} // namespace lsrecon
