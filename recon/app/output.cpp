#include "app/output.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/replacing_file.hpp"

namespace lsrecon::app {

void require_output(const std::string& output, const std::string& input) {
    const ReplacingFile writable(output);
    std::error_code ignored;
    if (std::filesystem::equivalent(output, input, ignored)) {
        throw UsageError(text(output, ": is the input itself\n  next:     name another output"));
    }
}

} // namespace lsrecon::app
