// What goes along with a run: the image that it is compared with, the log of its iterations.

#pragma once

#include <chrono>
#include <fstream>
#include <optional>
#include <string>

#include "io/hdf5/reader.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The image that a scan was made from, to compare with. Its frames are read when they are
/// compared.
class Truth {
public:
    /// InputError when the file holds no image, or one without a norm.
    explicit Truth(const std::string& path);

    /// InputError when the image of this scan will have another size.
    void require_size_of(const Scan& scan) const;

    /// || |image| - |truth| || / ||truth|| over the frames that did not fail; nothing where the
    /// truth of those is zero.
    std::optional<double> error_of(const std::vector<ImageFrame>& frames,
                                   const FrameValues& image) const;

private:
    Hdf5Reader file_;
    std::vector<std::size_t> extents_;
    double norm_ = 0;
};

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
