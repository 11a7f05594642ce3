#include "app/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/replacing_file.hpp"

namespace lsrecon::app {

namespace {

[[noreturn]] void refuse(const std::string& file, int cause) {
    throw InputError(
        {file, "file",
         cause == 0 ? "it cannot be written" : text("it cannot be written: ", std::strerror(cause)),
         "a file system with enough free space", "free some space or name another output"});
}

} // namespace

void write_text(const std::string& path, const std::string& content) {
    ReplacingFile file(path);
    errno = 0;
    std::ofstream stream(file.path());
    stream << content;
    stream.close();
    if (!stream) {
        refuse(path, errno);
    }
    file.commit();
}

void flush_stdout() {
    const bool lost_before = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) != 0 || lost_before) {
        refuse("stdout", errno);
    }
}

} // namespace lsrecon::app
