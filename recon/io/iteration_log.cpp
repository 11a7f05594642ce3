#include "io/iteration_log.hpp"

#include <cerrno>
#include <filesystem>
#include <iterator>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/output_file.hpp"

namespace lsrecon {

namespace {

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
