#include "app/output.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "base/replacing_file.hpp"
#include "base/write_failure.hpp"

namespace lsrecon::app {

void write_text(const std::string& path, const std::string& content) {
    ReplacingFile file(path);
    errno = 0;
    std::ofstream stream(file.path());
    stream << content;
    stream.close();
    if (!stream) {
        fail_to_write(path, errno);
    }
    file.commit();
}

void flush_stdout() {
    const bool lost_before = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) != 0 || lost_before) {
        fail_to_write("stdout", errno);
    }
}

} // namespace lsrecon::app
