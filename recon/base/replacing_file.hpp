#pragma once

#include <string>

namespace lsrecon {

/// An output is written beside its final place and renamed into it, so that a reader never sees a
/// part of it and a failure leaves what was there before.
///
///     ReplacingFile out("image.h5");
///     write(out.path());
///     out.commit();
class ReplacingFile {
public:
    /// UsageError when the folder of `final_path` does not exist or cannot be written.
    explicit ReplacingFile(std::string final_path);
    ~ReplacingFile(); ///< removes the temporary file unless committed
    ReplacingFile(const ReplacingFile&) = delete;
    ReplacingFile& operator=(const ReplacingFile&) = delete;

    const std::string& path() const { return temporary_path_; }
    void commit();

    /// What messages call `path`: the final path when it is the path() of such a file.
    static std::string name_for_messages(const std::string& path);

private:
    std::string final_path_;
    std::string temporary_path_;
};

} // namespace lsrecon
