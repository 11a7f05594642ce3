// Errors, each with the exit code of the program and the next step of the user.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace lsrecon {

/// The exit code of the program; documented in docs/exit_codes.md and the help.
enum class ExitCode {
    done = 0,
    bug = 1,
    usage = 2,
    input = 3,
    device = 4,
    not_built = 5,
    tolerance = 6,
};

/// The one error family; converted to an exit code in one place, app/main.cpp.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

/// The fault of a file: every part is shown, so that the user need not guess.
struct Fault {
    std::string file;
    std::string thing; ///< dataset, attribute, field or flag
    std::string found;
    std::string expected;
    std::string next_step;
};

class UsageError : public Error {
public:
    explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
    explicit UsageError(const Fault& fault);
};

class InputError : public Error {
public:
    explicit InputError(const Fault& fault);
    const Fault& fault() const { return fault_; }

private:
    Fault fault_;
};

/// An error that ends a run of many frames, and not one of them: the scan was changed, an output is
/// refused.
class RunError : public InputError {
public:
    using InputError::InputError;
};

class DeviceError : public Error {
public:
    explicit DeviceError(const std::string& message) : Error(ExitCode::device, message) {}
};

class NotBuiltError : public Error {
public:
    explicit NotBuiltError(const std::string& message) : Error(ExitCode::not_built, message) {}
};

class ToleranceError : public Error {
public:
    explicit ToleranceError(const std::string& message) : Error(ExitCode::tolerance, message) {}
};

/// The parts joined into one string: text("matrix is ", 3, " wide").
template <typename... Parts> std::string text(const Parts&... parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
}

/// The error when a limit of this process or of the system leaves no room. `cause` is the errno;
/// the message ends with it and with the limit to raise.
class LimitError : public Error {
public:
    LimitError(const std::string& message, int cause);
};

} // namespace lsrecon
