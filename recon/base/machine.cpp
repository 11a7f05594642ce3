#include "base/machine.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>
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

std::string processor_name() {
    std::string name = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            name = line.substr(line.find(':') + 2);
            break;
        }
    }
    return name + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

std::string utc_now() {
    const std::time_t time = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char buffer[32];
    std::strftime(buffer, sizeof(buffer), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return buffer;
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
