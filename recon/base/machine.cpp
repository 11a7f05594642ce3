#include "base/machine.hpp"

#include <cstdlib>
#include <unistd.h>

namespace lsrecon {

namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

} // namespace

double machine_memory_bytes() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string cache_folder() {
    if (const std::string own = environment("LSRECON_CACHE"); !own.empty()) {
        return own;
    }
    if (const std::string shared = environment("XDG_CACHE_HOME"); !shared.empty()) {
        return shared + "/lsrecon";
    }
    if (const std::string home = environment("HOME"); !home.empty()) {
        return home + "/.cache/lsrecon";
    }
    return "/tmp/lsrecon-" + std::to_string(::getuid());
}

} // namespace lsrecon
