#include "io/file_hashes.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/named_files.hpp"

namespace lsrecon {

namespace {

std::vector<std::string> halves_of(const std::string& path) {
    std::vector<std::string> halves{path};
    for (const std::string& half : file_and_halves(path)) {
        const bool is_new = std::find(halves.begin(), halves.end(), half) == halves.end();
        if (is_new && resolved_path(half).is_regular()) {
            halves.push_back(half);
        }
    }
    return halves;
}

/// The identity of a file, and the time of its last change.
std::string state_of(const std::string& path) {
    const struct stat facts = resolved_path(path).facts;
    return text(facts.st_dev, " ", facts.st_ino, " ", facts.st_size, " ", facts.st_mtim.tv_sec, " ",
                facts.st_mtim.tv_nsec, " ", facts.st_ctim.tv_sec, " ", facts.st_ctim.tv_nsec);
}

} // namespace

std::string FileHashes::of(const std::string& path) {
    const std::vector<std::string> halves = halves_of(path);
    Known now;
    for (const std::string& half : halves) {
        now.state.push_back(state_of(half));
    }
    Known& known = known_[path];
    if (known.hash.empty() || known.state != now.state) {
        now.hash = HashedFiles(halves).sha256();
        known = std::move(now);
    }
    return known.hash;
}

} // namespace lsrecon
