#pragma once

#include <chrono>
#include <string>

namespace lsrecon {

/// Keeps other threads and processes that want the same file out for as long as it lives. The
/// system releases it when the process ends, however it ends.
///
/// There is no lock where locks do not work, and when another holds the file for longer than
/// `patience`. What it protects is then at the same risk as without locks.
class FileLock {
public:
    enum class State { held, unsupported, timed_out };

    /// A folder, or a file, which is made when it is missing, and stays.
    explicit FileLock(const std::string& path,
                      std::chrono::milliseconds patience = std::chrono::minutes(2));
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    State state() const { return state_; }

private:
    int file_ = -1;
    State state_ = State::unsupported;
};

} // namespace lsrecon
