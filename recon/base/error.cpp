#include "base/error.hpp"

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

} // namespace lsrecon
