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

Findings SilentCoils::findings() const {
    Findings findings;
    const auto add = [&](Found found, const std::vector<std::size_t>& silent, std::size_t coil) {
        if (!silent.empty()) {
            findings.push_back({found,
                                {{"coil", coil},
                                 {"silent", silent.size()},
                                 {"frames", frames_},
                                 {"first", silent.front()}}});
        }
    };
    add(Found::coils_silent, empty_, 0);
    for (std::size_t c = 0; c < silent_.size(); ++c) {
        add(Found::coil_silent, silent_[c], c);
    }
    return findings;
}

} // namespace lsrecon
