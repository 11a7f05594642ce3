#include "base/replacing_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <unistd.h>

#include "base/error.hpp"

namespace lsrecon {

namespace fs = std::filesystem;

namespace {

const std::string temporary_end = ".part";

} // namespace

ReplacingFile::ReplacingFile(std::string final_path) : final_path_(std::move(final_path)) {
    const fs::path folder = fs::absolute(final_path_).parent_path();
    if (!fs::is_directory(folder)) {
        throw UsageError(text(final_path_, ": the folder ", folder.string(),
                              " does not exist\n  next:     create it or name another output"));
    }
    if (fs::is_directory(final_path_)) {
        throw UsageError(
            text(final_path_, ": is a folder\n  next:     name a file inside it as the output"));
    }
    if (::access(folder.c_str(), W_OK) != 0) {
        throw UsageError(text(final_path_, ": the folder ", folder.string(),
                              " cannot be written: ", std::strerror(errno),
                              "\n  next:     change its permissions or name another output"));
    }
    // Unique between threads, processes and hosts that share the folder.
    std::random_device random;
    temporary_path_ =
        text(final_path_, ".", ::getpid(), "-", std::hex, random(), random(), temporary_end);
}

ReplacingFile::~ReplacingFile() {
    std::error_code ignored;
    fs::remove(temporary_path_, ignored);
}

std::string ReplacingFile::name_for_messages(const std::string& path) {
    const std::size_t end = path.rfind(temporary_end);
    const bool temporary = end != std::string::npos && end + temporary_end.size() == path.size();
    // In front of the end stands the random part, which holds no dot.
    return temporary && end > 0 ? path.substr(0, path.rfind('.', end - 1)) : path;
}

void ReplacingFile::commit() {
    std::error_code failure;
    fs::rename(temporary_path_, final_path_, failure);
    if (failure) {
        throw UsageError(text(final_path_, ": cannot be replaced: ", failure.message(),
                              "\n  next:     check its permissions or name another output"));
    }
}

} // namespace lsrecon
