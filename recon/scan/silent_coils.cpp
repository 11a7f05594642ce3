#include "scan/silent_coils.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// Ends at the first sample that is not 0, so that a sound scan costs nothing.
bool is_silent(const CoilMatrix& samples, Eigen::Index coil) {
    const Complex* const first = samples.row(coil).data();
    return std::all_of(first, first + samples.cols(), [](Complex d) { return d == Complex(0); });
}

std::string in_frames(const std::vector<std::size_t>& silent, std::size_t frames) {
    if (silent.size() == frames) {
        return frames == 1 ? "" : " in all frames";
    }
    const std::string frame = text(" in frame ", silent.front());
    return silent.size() == 1 ? frame
                              : text(" in ", silent.size(), " of ", frames,
                                     " frames, the first being frame ", silent.front());
}

} // namespace

std::vector<std::string> remarks_on_silent_coils(const Scan& scan) {
    std::vector<std::vector<std::size_t>> silent(scan.coils()); // frames of each coil
    std::vector<std::size_t> empty; // frames in which every coil is silent
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        std::vector<std::size_t> here;
        for (std::size_t c = 0; c < scan.coils(); ++c) {
            if (is_silent(scan.frames[f].samples, static_cast<Eigen::Index>(c))) {
                here.push_back(c);
            }
        }
        if (here.size() == scan.coils()) {
            empty.push_back(f);
            continue;
        }
        for (const std::size_t c : here) {
            silent[c].push_back(f);
        }
    }
    const std::string why = ": were they written?";
    std::vector<std::string> remarks;
    if (scan.has_samples() && !empty.empty()) {
        remarks.push_back("all samples of all coils are 0" + in_frames(empty, scan.frames.size()) +
                          why);
    }
    for (std::size_t c = 0; c < silent.size(); ++c) {
        if (!silent[c].empty()) {
            remarks.push_back(text("all samples of coil ", c, " are 0",
                                   in_frames(silent[c], scan.frames.size()), why));
        }
    }
    return remarks;
}

} // namespace lsrecon
