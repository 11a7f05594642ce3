// Files that are read, and their hashes.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "base/bytes_as_text.hpp"

namespace lsrecon {

/// A file that is read. It is known by its descriptor: everything is read from the same file even
/// if its name is given to another.
class InputFile {
public:
    /// InputError when it does not exist, is not a regular file or cannot be read.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    int descriptor() const { return descriptor_; }
    std::size_t bytes() const { return static_cast<std::size_t>(opened_.st_size); }

    /// Computes the hash on a separate thread while the caller works.
    void start_hash();

    /// SHA-256 of the file, 64 hexadecimal digits, when it is known. RunError when the file was
    /// changed after it was opened: the hash would be of other values than those that were read.
    std::string sha256();
    void require_unchanged() const;

private:
    std::string hash() const;

    std::string path_;
    int descriptor_ = -1;
    struct stat opened_ {};
    std::atomic<bool> stop_{false};
    std::shared_future<std::string> hash_;
};

/// The files that are one input, such as a pair, hashed while they are read.
class HashedFiles {
public:
    /// InputError when one cannot be read.
    explicit HashedFiles(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            files_.push_back(std::make_unique<InputFile>(path));
            files_.back()->start_hash();
        }
    }

    /// SHA-256 of the file; of several, of their hashes.
    std::string sha256() {
        if (files_.size() == 1) {
            return files_.front()->sha256();
        }
        Sha256 all;
        for (const auto& file : files_) {
            all.add(file->sha256());
        }
        return all.hex();
    }

private:
    std::vector<std::unique_ptr<InputFile>> files_;
};

/// All bytes of a request, however many calls of the system it takes. False with errno set when the
/// system refuses; reading beyond the end of a file is false, too.
bool read_all(int file, void* to, std::size_t size, std::uint64_t at);

} // namespace lsrecon
