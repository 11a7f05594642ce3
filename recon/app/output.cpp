#include "app/output.hpp"

#include <filesystem>
#include <fstream>

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

void write_text(const std::string& path, const std::string& content) {
    ReplacingFile file(path);
    std::ofstream stream(file.path());
    stream << content;
    stream.close();
    if (!stream) {
        throw UsageError(text(path, ": cannot be written\n  next:     free some space, or name "
                                    "another file"));
    }
    file.commit();
}

} // namespace lsrecon::app
