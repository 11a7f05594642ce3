// Words the failures of frames, crosses out their pictures, and decides which errors concern one
// frame only.

#include "scan/failed_frames.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace lsrecon {

ImageFrame image_of_failed(const Frame& frame, const FailedFrame& failed) {
    ImageFrame missing;
    missing.label = frame.label;
    missing.position = frame.position;
    missing.error = on_one_line(failed.error);
    return missing;
}

std::string label_beside_index(const std::string& label, std::size_t index) {
    return label == text("frame ", index) ? "" : label;
}

Finding failure_of(const Frame& frame, std::size_t index, const std::string& error) {
    return {Found::frame_failed,
            {{"frame", index}},
            {{"label", label_beside_index(frame.label, index)}, {"error", error}}};
}

std::string list_of_frames(const std::vector<std::size_t>& indices) {
    constexpr std::size_t most = 20;
    std::string list;
    for (std::size_t i = 0; i < indices.size() && i < most; ++i) {
        list += text(i == 0 ? "" : ",", indices[i]);
    }
    return indices.size() > most ? list + ", ..." : list;
}

std::string list_of_failures(const std::vector<std::size_t>& failed, std::size_t frames) {
    return text(failed.size(), " of ", frames, " frames failed: ", list_of_frames(failed));
}

std::vector<std::size_t> failed_among(const std::vector<ImageFrame>& frames) {
    std::vector<std::size_t> failed;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        if (frames[f].failed()) {
            failed.push_back(f);
        }
    }
    return failed;
}

std::string on_one_line(const std::string& message) {
    std::string line;
    for (std::size_t at = 0; at < message.size(); ++at) {
        if (message[at] != '\n') {
            line += message[at];
            continue;
        }
        line += "; ";
        at = std::min(message.find_first_not_of(' ', at + 1), message.size()) - 1;
    }
    return line;
}

void cross_out(std::vector<float>& values, std::size_t width, std::size_t height, float line,
               float ground) {
    const std::size_t longest = std::max(width, height);
    for (std::size_t pane = 0; pane < values.size(); pane += width * height) {
        if (!std::isnan(values[pane])) {
            continue;
        }
        std::fill_n(values.begin() + static_cast<long>(pane), width * height, ground);
        for (std::size_t step = 0; step < longest; ++step) {
            const std::size_t x = step * width / longest;
            const std::size_t y = step * height / longest;
            values[pane + y * width + x] = line;
            values[pane + y * width + (width - 1 - x)] = line;
        }
    }
}

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
