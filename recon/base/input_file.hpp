#pragma once

#include <atomic>
#include <future>
#include <string>
#include <sys/stat.h>

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

} // namespace lsrecon
