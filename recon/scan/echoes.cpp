// Chooses the frames that are echoes, and checks that their scans fit together.

#include "scan/echoes.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace lsrecon {

EchoFrames::EchoFrames(const std::vector<FrameSource*>& scans, const std::vector<double>& times) {
    take(scans);
    std::vector<std::size_t> chosen;
    for (const Slice& slice : slices_of(scan_)) {
        choose(slice.frames(), times, chosen);
    }
    Scan kept = scan_;
    kept.frames.clear();
    kept.readouts.clear();
    std::vector<std::pair<FrameSource*, std::size_t>> sources;
    first_good_ = chosen.size();
    for (const std::size_t f : chosen) {
        const auto& [source, index] = sources_[f];
        if (const auto bad = source->bad().find(index); bad != source->bad().end()) {
            throw InputError(bad->second);
        }
        if (index >= source->first_good()) {
            first_good_ = std::min(first_good_, kept.frames.size());
        }
        kept.frames.push_back(scan_.frames[f]);
        if (!scan_.readouts.empty()) {
            kept.readouts.push_back(scan_.readouts[f]);
        }
        sources.push_back(sources_[f]);
    }
    first_good_ %= chosen.size();
    scan_ = std::move(kept);
    sources_ = std::move(sources);
}

void EchoFrames::take(const std::vector<FrameSource*>& scans) {
    std::vector<FrameReadouts> readouts;
    for (FrameSource* const source : scans) {
        const Scan& its = source->scan();
        if (source != scans.front()) {
            const Scan& first = scans.front()->scan();
            const bool fits = its.grid.same_lattice(first.grid) &&
                              its.grid.fov_mm == first.grid.fov_mm && its.coils() == first.coils();
            if (!fits) {
                throw InputError(
                    {its.file, "matrix, field of view and coils",
                     text(by(its.grid.size, its.grid.dimensions), " voxels, ",
                          counted(its.coils(), "coil")),
                     text("those of ", first.file, ": ", by(first.grid.size, first.grid.dimensions),
                          " voxels, ", counted(first.coils(), "coil")),
                     "name two scans that differ in the echo time alone"});
            }
        }
        readouts.insert(readouts.end(), its.readouts.begin(), its.readouts.end());
        for (std::size_t f = 0; f < its.frames.size(); ++f) {
            sources_.emplace_back(source, f);
            scan_.frames.push_back(its.frames[f]);
        }
    }
    std::vector<Frame> frames = std::move(scan_.frames);
    scan_ = scans.front()->take_scan();
    scan_.frames = std::move(frames);
    if (readouts.size() < scan_.frames.size()) { // not every format says them
        readouts.clear();
    }
    scan_.readouts = std::move(readouts);
}

/// Adds the echoes of a slice, by their times, to those that are chosen.
void EchoFrames::choose(std::vector<std::size_t> frames_of_slice, const std::vector<double>& times,
                        std::vector<std::size_t>& chosen) {
    const auto refuse = [&](const std::string& found, const std::string& expected,
                            const std::string& next) {
        throw InputError({scan_.file, "echoes", found, expected, next});
    };
    std::sort(frames_of_slice.begin(), frames_of_slice.end());
    if (!times.empty() && times.size() != frames_of_slice.size()) {
        refuse(counted(frames_of_slice.size(), "frame"),
               text(times.size(), " a slice, as `echo_times` names"),
               "choose the frames that are echoes, with `frames` for example");
    }
    std::map<double, std::size_t> known;
    for (std::size_t i = 0; i < frames_of_slice.size(); ++i) {
        Frame& frame = scan_.frames[frames_of_slice[i]];
        if (!times.empty()) {
            frame.echo = Echo{times[i], frame.echo && frame.echo->is_reversed};
        }
        if (!frame.echo) {
            refuse("no echo time of frame " + frame.label, "a time for each",
                   "pass `echo_times` MS,MS");
        }
        known.emplace(frame.echo->time, frames_of_slice[i]);
    }
    if (known.size() < 2) {
        refuse(text("one, at ", known.empty() ? 0 : 1000 * known.begin()->first, " ms"),
               "two or more echo times of a slice",
               "name a second scan with another echo time, or pass `echo_times` MS,MS");
    }
    for (const auto& [time, f] : known) {
        chosen.push_back(f);
    }
}

Frame EchoFrames::frame(std::size_t index) {
    const auto& [source, its] = sources_[index];
    if (const auto known = only_.find(index); known != only_.end()) {
        return known->second;
    }
    Frame frame = source->frame(its);
    frame.echo = scan_.frames[index].echo;
    if (source->scan().frames.size() == 1) {
        only_.emplace(index, frame);
    }
    return frame;
}

} // namespace lsrecon
