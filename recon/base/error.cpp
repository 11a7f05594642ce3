// Composes the messages of errors: what was found, what was expected and the next step, such as the
// limit of the system to raise.

#include "base/error.hpp"

#include <cerrno>
#include <cstring>

#include "base/escaped.hpp"

namespace lsrecon {

namespace {

/// A value of a file stays within its line.
std::string sentence(const Fault& f) {
    return printable(f.file.empty() ? f.thing : f.file + ": " + f.thing) +
           "\n  found:    " + printable(f.found) + "\n  expected: " + printable(f.expected) +
           "\n  next:     " + printable(f.next_step);
}

} // namespace

UsageError::UsageError(const Fault& fault) : Error(ExitCode::usage, sentence(fault)) {}

InputError::InputError(const Fault& fault)
    : Error(ExitCode::input, sentence(fault)), fault_(fault) {}

namespace {

std::string what_to_raise(int cause) {
    switch (cause) {
    case EMFILE:
        return "raise the limit of open files (ulimit -n), and run again";
    case ENFILE:
        return "close other programs: together they have too many files open";
    case EAGAIN:
        return "raise the limit of processes and threads (ulimit -u), and run again";
    case ENOMEM:
        return "raise the limit of addresses (ulimit -v); `backend` reference takes the fewest";
    default:
        return "see the limits of this process (ulimit -a), and run again";
    }
}

} // namespace

LimitError::LimitError(const std::string& message, int cause)
    : Error(ExitCode::device,
            text(message, ": ", std::strerror(cause), "\n  next:     ", what_to_raise(cause))) {}

} // namespace lsrecon
