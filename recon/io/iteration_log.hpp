#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lsrecon {

/// A table of iterations that can be read while it grows: a line each, in the file as soon as it is
/// known, columns separated by tabs and named by the first line (docs/formats.md).
class IterationLog {
public:
    /// Replaces what is there; `resume` continues a log. UsageError when no file can be put there,
    /// InputError when `resume` finds something else than a log, RunError when the system refuses.
    IterationLog(const std::string& path, bool resume);
    ~IterationLog();
    IterationLog(const IterationLog&) = delete;
    IterationLog& operator=(const IterationLog&) = delete;

    /// `iteration` is how many were done before this relative residual. RunError when the system
    /// refuses.
    void add(std::size_t frame, std::size_t problem, std::size_t iteration, double residual);

private:
    void continue_old();
    void write(const std::string& line);

    std::string path_;
    int file_ = -1;
    std::uint64_t end_ = 0;
    std::chrono::steady_clock::time_point start_;
};

} // namespace lsrecon
