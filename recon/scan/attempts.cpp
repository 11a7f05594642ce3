#include "scan/attempts.hpp"

#include "base/error.hpp"

namespace lsrecon {

namespace {

bool may_be_of_one_frame(const Error& error) {
    const ExitCode code = error.code();
    return code == ExitCode::input || code == ExitCode::device || code == ExitCode::tolerance;
}

} // namespace

bool Attempts::of(std::size_t frame, const std::function<void()>& work) {
    try {
        work();
        return true;
    } catch (const RunError&) {
        throw;
    } catch (const Error& error) {
        if (scan_.frames.size() == 1 || !may_be_of_one_frame(error)) {
            throw;
        }
        add(frame, {error.code(), error.what()}, std::current_exception());
        return false;
    }
}

void Attempts::add(std::size_t frame, const FailedFrame& failed) {
    add(frame, failed, std::make_exception_ptr(Error(failed.code, failed.error)));
}

void Attempts::add(std::size_t frame, const FailedFrame& failed, const std::exception_ptr& error) {
    first_error_ = first_error_ ? first_error_ : error;
    failed_[frame] = failed;
    report_.add(failure_of(scan_.frames[frame], frame, failed.error));
}

void Attempts::require_some() const {
    if (failed_.size() == scan_.frames.size()) {
        std::rethrow_exception(first_error_);
    }
}

} // namespace lsrecon
