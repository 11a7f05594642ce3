#include "base/error.hpp"

namespace lsrecon {

namespace {

std::string sentence(const Finding& f) {
    std::string message = f.file.empty() ? f.thing : f.file + ": " + f.thing;
    message += "\n  found:    " + f.found;
    message += "\n  expected: " + f.expected;
    message += "\n  next:     " + f.next_step;
    return message;
}

} // namespace

UsageError::UsageError(const Finding& finding) : Error(ExitCode::usage, sentence(finding)) {}

InputError::InputError(const Finding& finding)
    : Error(ExitCode::input, sentence(finding)), finding_(finding) {}

} // namespace lsrecon
