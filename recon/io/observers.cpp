// Compares images with the truth by the magnitudes of finished frames, and appends a line of the
// log for each iteration.

#include "io/observers.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/machine.hpp"
#include "base/output_file.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/native/grid.hpp"

namespace lsrecon {

namespace {

/// The extents without leading dimensions of 1: the dimension of a single frame is often left out.
std::vector<std::size_t> significant(const std::vector<std::size_t>& extents) {
    const auto first = std::find_if(extents.begin(), extents.end(),
                                    [](std::size_t extent) { return extent != 1; });
    return {first, extents.end()};
}

Hdf5Reader opened(const std::string& path) {
    refuse_other_formats(path, "an image file of lsrecon",
                         "lsrecon convert " + shell_word(path) + " -o TRUTH.h5");
    return Hdf5Reader(path);
}

const std::string head_line = "frame\tproblem\titeration\trelative_residual\tseconds\n";

/// Bytes up to the end of the last whole line: a run that was killed may have left a part of one.
std::size_t whole_lines(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string old{std::istreambuf_iterator<char>(file), {}};
    if (old.compare(0, head_line.size(), head_line) != 0 && !old.empty()) {
        throw InputError({path, "`log`", "a file that is no log of lsrecon",
                          "the log of the run that is continued, or no file", "name another file"});
    }
    return old.rfind('\n') + 1; // 0 without one
}

} // namespace

Truth::Truth(const std::string& path) : file_(opened(path)), extents_(image_shape(file_).extents) {
    Hdf5Values stored(file_, "image");
    std::vector<Complex> values;
    for (std::size_t left = product_of(extents_); left > 0; left -= values.size()) {
        values.resize(std::min<std::size_t>(left, 1 << 16));
        stored.read(values.data(), values.size());
        for (const Complex value : values) {
            norm_ = std::hypot(norm_, std::abs(value)); // squares may leave the range of doubles
        }
    }
    if (!std::isfinite(norm_) || norm_ == 0) {
        throw InputError({path, "/image", norm_ == 0 ? "only zeros" : "values that are not finite",
                          "an image to compare with", "name the truth of this scan"});
    }
}

void Truth::require_size_of(const Scan& scan) const {
    native::Extents wanted = native::image_extents(scan);
    wanted.insert(wanted.begin(), scan.frames.size());
    if (significant(extents_) != significant(wanted)) {
        throw InputError({file_.path(), "/image", shown(extents_),
                          shown(wanted) + ", the image of " + scan.file,
                          "name the truth of this scan"});
    }
}

std::optional<double> Truth::error_of(const std::vector<ImageFrame>& frames,
                                      const FrameValues& image) const {
    Hdf5Values stored(file_, "image");
    std::vector<Complex> truth;
    double difference = 0;
    double norm = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const ImageValues values = image(f);
        truth.resize(values.size());
        stored.read(truth.data(), truth.size());
        for (std::size_t n = 0; n < values.size() && !frames[f].failed(); ++n) {
            difference = std::hypot(difference, std::abs(Complex(values[n])) - std::abs(truth[n]));
            norm = std::hypot(norm, std::abs(truth[n]));
        }
    }
    return norm > 0 ? std::optional<double>(difference / norm) : std::nullopt;
}

IterationLog::IterationLog(const std::string& path, bool resume)
    : path_(path), start_(std::chrono::steady_clock::now()) {
    require_replaceable(resolved_path(path));
    const std::size_t old = resume ? whole_lines(path) : 0;
    if (old > 0) {
        std::filesystem::resize_file(path, old);
    }
    errno = 0;
    file_.open(path, old > 0 ? std::ios::app : std::ios::trunc);
    write(old > 0 ? "" : head_line);
}

void IterationLog::write(const std::string& line) {
    if (!(file_ << line << std::flush)) {
        fail_to_write(path_, errno);
    }
}

void IterationLog::add(std::size_t frame, std::size_t problem, std::size_t iteration,
                       double residual) {
    constexpr int digits = 9;
    std::ostringstream line;
    line.precision(digits);
    line << frame << '\t' << problem << '\t' << iteration << '\t' << residual << '\t';
    line.precision(3);
    line << std::fixed << seconds_since(start_) << '\n';
    write(line.str());
}

} // namespace lsrecon
