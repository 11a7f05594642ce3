#pragma once

#include <chrono>
#include <fstream>
#include <string>

namespace lsrecon {

/// A table of iterations that can be read while it grows: a line each, in the file as soon as it is
/// known, columns separated by tabs and named by the first line (docs/formats.md).
class IterationLog {
public:
    /// Replaces what is there; `resume` continues a log. UsageError when no file can be put there,
    /// InputError when `resume` finds something else than a log, RunError when the system refuses.
    IterationLog(const std::string& path, bool resume);

    /// `iteration` is how many were done before this relative residual. RunError when the system
    /// refuses.
    void add(std::size_t frame, std::size_t problem, std::size_t iteration, double residual);

private:
    void write(const std::string& line);

    std::string path_;
    std::ofstream file_;
    std::chrono::steady_clock::time_point start_;
};

} // namespace lsrecon
