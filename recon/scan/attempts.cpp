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
        first_error_ = first_error_ ? first_error_ : std::current_exception();
        failed_[frame] = {error.code(), error.what()};
        report_.fail(about_failure(scan_.frames[frame], frame, error.what()));
        return false;
    }
}

void Attempts::require_some() const {
    if (failed_.size() == scan_.frames.size()) {
        std::rethrow_exception(first_error_);
    }
}

} // namespace lsrecon
