#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "base/folders.hpp"

namespace lsrecon::test {

/// A new empty folder that goes with this object.
class TemporaryFolder : public lsrecon::TemporaryFolder {
public:
    TemporaryFolder() : lsrecon::TemporaryFolder("test") {}
    std::size_t entries() const;
};

/// An environment variable that has its old value again when this object goes.
class ScopedEnvironment {
public:
    ScopedEnvironment(std::string name, const std::string& value);
    ~ScopedEnvironment();
    ScopedEnvironment(const ScopedEnvironment&) = delete;
    ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

/// Whether cases run, too, that are slow beside what they find: `scripts/test.sh --slow`.
inline bool slow_cases() {
    return std::getenv("LSRECON_SLOW_CASES") != nullptr;
}

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

} // namespace lsrecon::test
