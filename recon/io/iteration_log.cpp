#include "io/iteration_log.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/replacing_file.hpp"
#include "base/timer.hpp"
#include "base/write_failure.hpp"

namespace lsrecon {

namespace {

const char* const columns = "frame\tproblem\titeration\trelative_residual\tseconds\n";

} // namespace

IterationLog::IterationLog(const std::string& path, bool resume)
    : path_(path), start_(std::chrono::steady_clock::now()) {
    require_replaceable(resolved_path(path));
    constexpr mode_t as_any_new_file = 0666; // less the umask
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | (resume ? 0 : O_TRUNC),
                   as_any_new_file);
    if (file_ < 0) {
        fail_to_write(path, errno);
    }
    try {
        if (resume) {
            continue_old();
        }
        if (end_ == 0) {
            write(columns);
        }
    } catch (...) {
        ::close(file_);
        throw;
    }
}

IterationLog::~IterationLog() {
    ::close(file_);
}

/// After its last whole line: a run that was killed may have left a part of one.
void IterationLog::continue_old() {
    struct stat facts {};
    if (::fstat(file_, &facts) != 0) {
        fail_to_write(path_, errno);
    }
    if (facts.st_size == 0) {
        return;
    }
    std::string begin(std::string(columns).size(), '\0');
    if (!read_all(file_, begin.data(), begin.size(), 0) || begin != columns) {
        throw InputError({path_, "--log", "a file that is no log of lsrecon",
                          "the log of the run that is continued, or no file", "name another file"});
    }
    end_ = static_cast<std::uint64_t>(facts.st_size);
    for (char last = 0; last != '\n'; --end_) {
        if (!read_all(file_, &last, 1, end_ - 1)) {
            fail_to_write(path_, errno);
        }
    }
    ++end_; // the newline itself
    if (::ftruncate(file_, static_cast<off_t>(end_)) != 0) {
        fail_to_write(path_, errno);
    }
}

void IterationLog::write(const std::string& line) {
    if (!write_all(file_, line.data(), line.size(), end_)) {
        fail_to_write(path_, errno);
    }
    end_ += line.size();
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
