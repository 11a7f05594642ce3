#pragma once

#include <cstring>
#include <string>

#include "base/error.hpp"

namespace lsrecon {

/// RunError about an output that the system refused; `cause` is errno, 0 where it says nothing.
[[noreturn]] inline void fail_to_write(const std::string& file, int cause) {
    throw RunError(
        {file, "file",
         cause == 0 ? "it cannot be written" : text("it cannot be written: ", std::strerror(cause)),
         "a file system with enough free space", "free some space or name another output"});
}

} // namespace lsrecon
