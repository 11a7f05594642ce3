#include "io/part_record.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_bytes.hpp"
#include "base/sha256.hpp"

namespace lsrecon {

namespace {

/// What a record begins with. The hash is of what follows it.
struct Head {
    std::uint64_t about_bytes = 0;
    std::uint64_t value_bytes = 0;
    std::array<char, 64> sha256{};
};

std::string hash_of(const std::string& about, const FileBytes& values) {
    return Sha256().add(about).add(values.data(), values.size()).hex();
}

} // namespace

std::optional<PartRecord> read_part_record(int file, std::uint64_t at, bool keep_values) {
    struct stat facts {};
    Head head;
    if (::fstat(file, &facts) != 0 || !read_all(file, &head, sizeof(head), at)) {
        return std::nullopt;
    }
    at += sizeof(head);
    const std::uint64_t left = static_cast<std::uint64_t>(facts.st_size) - at;
    if (head.about_bytes > left || head.value_bytes > left - head.about_bytes) {
        return std::nullopt;
    }
    PartRecord record;
    record.about.resize(head.about_bytes);
    record.values.resize(head.value_bytes);
    if (!read_all(file, record.about.data(), head.about_bytes, at) ||
        !read_all(file, record.values.data(), record.values.size(), at + head.about_bytes) ||
        hash_of(record.about, record.values) !=
            std::string(head.sha256.begin(), head.sha256.end())) {
        return std::nullopt;
    }
    record.end = at + head.about_bytes + head.value_bytes;
    if (!keep_values) {
        record.values = {};
    }
    return record;
}

std::optional<std::uint64_t> write_part_record(int file, std::uint64_t at, const std::string& about,
                                               const FileBytes& values) {
    Head head{about.size(), values.size(), {}};
    const std::string hash = hash_of(about, values);
    std::copy(hash.begin(), hash.end(), head.sha256.begin());
    const std::uint64_t about_at = at + sizeof(head);
    const std::uint64_t values_at = about_at + about.size();
    if (::ftruncate(file, static_cast<off_t>(at)) == 0 &&
        write_all(file, &head, sizeof(head), at) &&
        write_all(file, about.data(), about.size(), about_at) &&
        write_all(file, values.data(), values.size(), values_at) && ::fsync(file) == 0) {
        return values_at + values.size();
    }
    const int cause = errno;
    [[maybe_unused]] const int ignored = ::ftruncate(file, static_cast<off_t>(at));
    errno = cause;
    return std::nullopt;
}

} // namespace lsrecon
