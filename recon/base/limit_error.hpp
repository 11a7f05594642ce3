#pragma once

#include <string>

#include "base/error.hpp"

namespace lsrecon {

/// The error when a limit of this process or of the system leaves no room. `cause` is the errno;
/// the message ends with it and with the limit to raise.
class LimitError : public Error {
public:
    LimitError(const std::string& message, int cause);
};

} // namespace lsrecon
