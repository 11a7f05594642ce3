#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/raw_acquisitions.hpp"
#include "scan/directions.hpp"
#include "scan/sampling_pool.hpp"

// The third part of RawAcquisitionSorter: the frames themselves, their samplings and samples.

namespace lsrecon {

namespace {

/// Samples `first` to `end` of M x dimensions coordinates.
std::vector<Vec3> to_trajectory(const std::vector<float>& stored, std::size_t first,
                                std::size_t end, std::size_t dimensions, const Vec3& factor) {
    std::vector<Vec3> trajectory(end - first, Vec3{0, 0, 0});
    for (std::size_t m = first; m < end; ++m) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            trajectory[m - first][d] = factor[d] * static_cast<double>(stored[m * dimensions + d]);
        }
    }
    return trajectory;
}

CoilRows to_samples(const std::vector<std::vector<std::complex<float>>>& values) {
    CoilRows::Floats samples(static_cast<Eigen::Index>(values.size()),
                             static_cast<Eigen::Index>(values.front().size()));
    for (std::size_t c = 0; c < values.size(); ++c) {
        const auto row = static_cast<Eigen::Index>(c);
        std::copy(values[c].begin(), values[c].end(), samples.row(row).data());
    }
    return samples;
}

} // namespace

void RawAcquisitionSorter::set_calibrations(Scan& scan, const Vec3& factor, bool moved) {
    std::size_t acquisitions = 0;
    std::size_t elsewhere = 0;
    std::string where; // the first of those
    for (auto& [counters, raw] : calibrations_) {
        if (raw.trajectory.empty()) {
            continue;
        }
        const std::string name = label(counters, choice_.varying());
        const Apart from_frames = apart_from_slice(raw, counters.front());
        if (!from_frames.share_maps()) {
            scan.calibrations_unused.emplace_back(name, "lie elsewhere: " + from_frames.in_words());
            if (elsewhere == 0) {
                where = (name.empty() ? "" : name + " is ") + from_frames.in_words();
            }
            elsewhere += raw.ends.size();
            continue;
        }
        auto sampling = std::make_shared<Sampling>();
        sampling->trajectory =
            to_trajectory(raw.trajectory, 0, raw.values[0].size(), dimensions(), factor);
        const std::optional<Vec3> position = moved ? filled_in(raw.where).position : std::nullopt;
        scan.calibrations.push_back({std::move(sampling), to_samples(raw.values), name, position});
        acquisitions += raw.ends.size();
        raw = {};
    }
    if (acquisitions > 0) {
        const std::string& of = scan.calibrations.front().label;
        scan.remarks.push_back(
            text("kept ", counted(acquisitions, "acquisition"), " flagged parallel calibration",
                 scan.calibrations.size() > 1 ? text(" of ", scan.calibrations.size(), " frames")
                 : of.empty()                 ? ""
                                              : " of " + of,
                 " for coil maps"));
    }
    if (elsewhere > 0) {
        scan.remarks.push_back(text("left out ", counted(elsewhere, "acquisition"),
                                    " flagged parallel calibration, which lie elsewhere than the "
                                    "frames of their slice: ",
                                    where));
    }
    for (const auto& [why, counters] : unlike_) {
        scan.remarks.push_back(text("left out ", counted(counters.size(), "acquisition"),
                                    " flagged parallel calibration, which ", why));
        for (const RawCounters& one : std::set(counters.begin(), counters.end())) {
            scan.calibrations_unused.emplace_back(label(one, choice_.varying()), why);
        }
    }
}

std::vector<RawPart> RawAcquisitionSorter::parts_of(const RawFrame& raw,
                                                    const std::string& name) const {
    const std::size_t length = options_.spokes_per_frame;
    const std::size_t readouts = raw.ends.size();
    if (length == 0) {
        return {{0, readouts}};
    }
    if (length > readouts) {
        throw UsageError(text(encoding_.file, ": --spokes-per-frame ", length, ", but ",
                              name.empty() ? "the frame" : "frame " + name, " has ",
                              counted(readouts, "readout"),
                              "\n  next:     ask for fewer, or join what is one image, as by "
                              "--join repetition"));
    }
    return cut(readouts, length, options_.stride == 0 ? length : options_.stride);
}

Sampling RawAcquisitionSorter::sampling_of(const RawFrame& raw, std::size_t first, std::size_t end,
                                           const Vec3& factor) const {
    Sampling sampling;
    sampling.trajectory = to_trajectory(raw.trajectory, first, end, dimensions(), factor);
    if (!raw.times.empty()) {
        sampling.times = Eigen::Map<const Eigen::VectorXf>(raw.times.data() + first,
                                                           static_cast<Eigen::Index>(end - first))
                             .cast<double>();
    }
    return sampling;
}

void RawAcquisitionSorter::add_frames(Scan& scan, RawSamples& samples, const Vec3& factor,
                                      OwnPlaces own) {
    const bool cut_up = options_.spokes_per_frame > 0;
    SamplingPool pool;
    std::size_t unused = 0;
    std::size_t index = 0;
    for (auto& [counters, raw] : frames_) {
        const std::string name = label(counters, choice_.varying());
        const std::vector<RawPart> parts = parts_of(raw, name);
        unused += left_over(raw.ends.size(), parts);
        const std::size_t before = scan.frames.size();
        for (const RawPart& part : parts) {
            if (cut_up && !options_.frames.admits(index++)) {
                continue;
            }
            const std::size_t first = part.first == 0 ? 0 : raw.ends[part.first - 1];
            const std::size_t end = raw.ends[part.end - 1];
            Frame frame;
            frame.label = name;
            if (cut_up) {
                frame.label +=
                    text(name.empty() ? "" : ", ", "readouts ", part.first, "-", part.end - 1);
            }
            const bool lost = std::any_of(raw.lost.begin(), raw.lost.end(),
                                          [&](std::size_t one) { return part.holds(one); });
            if (!lost) {
                frame.sampling = pool.share(sampling_of(raw, first, end, factor));
            }
            frame.samples = CoilRows(raw.values.size(), 0, Precision::float32);
            if (own == OwnPlaces::positions) {
                frame.position = raw.where.position;
            } else if (own == OwnPlaces::orientations) {
                frame.turned = filled_in(raw.where);
                if (raw.where.directions && !orthonormal(*raw.where.directions)) {
                    frame.turned->directions.reset();
                }
            }
            scan.frames.push_back(std::move(frame));
            samples.add_frame(part, first, end - first);
        }
        if (scan.frames.size() > before) {
            samples.add_raw(to_samples(raw.values), std::move(raw.bad));
        }
        raw = {};
    }
    if (cut_up) {
        require_frames(options_.frames, index, encoding_.file,
                       encoding_.dataset + ", chosen frames");
    }
    if (unused > 0) {
        scan.remarks.push_back(text("left out ", counted(unused, "readout"),
                                    ", which --spokes-per-frame and --stride put into no frame"));
    }
    if (cut_up) {
        scan.remarks.push_back(text(
            "cut into ", counted(index, "frame"), " of ", options_.spokes_per_frame, " readouts, ",
            options_.stride == 0 ? options_.spokes_per_frame : options_.stride, " readouts apart",
            options_.frames.empty() ? "" : "; chosen: --frames " + options_.frames.to_string()));
    }
}

} // namespace lsrecon
