#pragma once

#include <string>

namespace lsrecon::app {

/// How this program was built: recon/revision.cmake.
struct Build {
    std::string revision; ///< git's, "-dirty" behind it with changes; "unknown" outside of git
    std::string with; ///< "OpenCL, PNG": the optional parts that it has
    std::string without; ///< those that it lacks; "" for none
};
Build this_build();

} // namespace lsrecon::app
