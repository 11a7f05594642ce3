#include "base/error.hpp"

#include "base/escaped.hpp"

namespace lsrecon {

namespace {

/// A value of a file stays within its line.
std::string sentence(const Finding& f) {
    return printable(f.file.empty() ? f.thing : f.file + ": " + f.thing) +
           "\n  found:    " + printable(f.found) + "\n  expected: " + printable(f.expected) +
           "\n  next:     " + printable(f.next_step);
}

} // namespace

UsageError::UsageError(const Finding& finding) : Error(ExitCode::usage, sentence(finding)) {}

InputError::InputError(const Finding& finding)
    : Error(ExitCode::input, sentence(finding)), finding_(finding) {}

} // namespace lsrecon
