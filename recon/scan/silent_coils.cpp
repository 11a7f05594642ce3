#include "scan/silent_coils.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon {

/// Ends at the first sample that is not 0, so that a sound scan costs nothing.
bool is_silent(const CoilRows& samples, std::size_t coil) {
    return samples.visit([&](const auto& values) {
        const auto row = values.row(static_cast<Eigen::Index>(coil));
        return std::all_of(row.data(), row.data() + row.size(),
                           [](auto d) { return d == decltype(d)(0); });
    });
}

namespace {

std::string in_frames(const std::vector<std::size_t>& silent, std::size_t frames) {
    if (silent.size() == frames) {
        return frames == 1 ? "" : " in all frames";
    }
    const std::string frame = text(" in frame ", silent.front());
    return silent.size() == 1 ? frame
                              : text(" in ", silent.size(), " of ", frames,
                                     " frames, the first is frame ", silent.front());
}

} // namespace

void SilentCoils::add(const CoilRows& samples) {
    const std::size_t frame = next_++;
    ++frames_;
    silent_.resize(std::max(silent_.size(), samples.rows()));
    std::vector<std::size_t> here;
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        if (is_silent(samples, c)) {
            here.push_back(c);
        }
    }
    if (here.size() == samples.rows()) {
        empty_.push_back(frame);
        return;
    }
    for (const std::size_t c : here) {
        silent_[c].push_back(frame);
    }
}

std::vector<std::string> SilentCoils::remarks() const {
    const std::string why = ": check how the scan was written";
    std::vector<std::string> remarks;
    if (!empty_.empty()) {
        remarks.push_back("all samples of all coils are 0" + in_frames(empty_, frames_) + why);
    }
    for (std::size_t c = 0; c < silent_.size(); ++c) {
        if (!silent_[c].empty()) {
            remarks.push_back(
                text("all samples of coil ", c, " are 0", in_frames(silent_[c], frames_), why));
        }
    }
    return remarks;
}

} // namespace lsrecon
