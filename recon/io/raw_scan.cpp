#include "io/raw_acquisitions.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/directions.hpp"
#include "scan/sampling_pool.hpp"
#include "scan/units.hpp"

// The second half of RawAcquisitionSorter: from sorted frames to a scan.

namespace lsrecon {

namespace {

bool finite(const Vec3& a) {
    return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

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

void RawAcquisitionSorter::refuse_units() const {
    Grid grid = encoding_.grid;
    std::string found = "largest |k| as stored:";
    for (std::size_t d = 0; d < stored_dimensions(); ++d) {
        found += text(d == 0 ? " " : " x ", range_[d]);
    }
    found += text("; matrix ", grid.size[0], " x ", grid.size[1], " x ", grid.size[2], ", FOV ",
                  grid.fov_mm[0], " x ", grid.fov_mm[1], " x ", grid.fov_mm[2], " mm");
    grid.dimensions = static_cast<int>(stored_dimensions());
    throw InputError({encoding_.file, encoding_.dataset + ", units of the trajectory", found,
                      "one unit that fills 0.5 to 1.05 of N/2; largest |k| / (N/2) would be " +
                          reach_in_each_unit(range_, grid),
                      "pass --traj-units UNIT"});
}

std::string RawAcquisitionSorter::units(std::vector<std::string>& remarks) const {
    if (stored_dimensions() == 0) {
        if (!options_.trajectory_units.empty()) {
            remarks.push_back("no trajectory is stored: --traj-units " + options_.trajectory_units +
                              " is not used");
        }
        return "";
    }
    if (!options_.trajectory_units.empty()) {
        return options_.trajectory_units;
    }
    Grid stored = encoding_.grid;
    stored.dimensions = static_cast<int>(stored_dimensions());
    const std::string found = guess_trajectory_units({range_}, stored);
    if (found.empty()) {
        refuse_units();
    }
    remarks.push_back("trajectory units " + found + ", found from its range and the matrix");
    return found;
}

Vec3 RawAcquisitionSorter::units_factor(const std::string& units) const {
    if (units.empty()) {
        return {1, 1, 1};
    }
    // A third dimension that comes from encoding steps is not in `stored`, and its factor is 1.
    Grid stored = encoding_.grid;
    stored.dimensions = static_cast<int>(stored_dimensions());
    return to_cycles_per_fov(units, stored);
}

bool RawAcquisitionSorter::set_geometry(Scan& scan) const {
    const RawFrame& first = frames_.begin()->second;
    const bool unknown = first.directions == std::array<Vec3, 3>{};
    if (orthonormal(first.directions)) {
        scan.grid.directions = first.directions;
    } else if (!unknown) {
        scan.remarks.push_back("read_dir, phase_dir and slice_dir are no orthogonal unit vectors "
                               "and are not used");
    }
    // A header that was never filled in is zero everywhere: that is no position at the isocentre.
    if (unknown && first.position == Vec3{0, 0, 0}) {
        return false;
    }
    if (!finite(first.position)) {
        scan.remarks.push_back("position is not finite and is not used");
        return false;
    }
    scan.grid.position = first.position;
    bool moved = false;
    bool turned = false;
    for (const auto& [counters, frame] : frames_) {
        moved = moved || frame.position != first.position;
        turned = turned || frame.directions != first.directions;
    }
    if (turned && options_.one_place) {
        throw InputError({encoding_.file, encoding_.dataset + ", orientations of the frames",
                          "several", "one, along which --shift-mm header shifts",
                          "choose frames of one orientation, with --slice for example"});
    }
    if (turned) {
        scan.remarks.push_back("frames have different orientations; the first one's is kept");
    }
    return moved;
}

void RawAcquisitionSorter::add_remarks(std::vector<std::string>& remarks) const {
    remarks.insert(remarks.end(), remarks_.begin(), remarks_.end());
    choice_.add_remarks(remarks);
    if (moved_within_frame_) {
        remarks.push_back("acquisitions of one frame have different positions or orientations; the "
                          "first one's are kept");
    }
    if (discarded_ > 0) {
        remarks.push_back(
            text("left out ", discarded_, " samples by discard_pre and discard_post"));
    }
    if (encoding_.ramps && !has_trajectory()) {
        remarks.push_back("EPI: samples lie where the gradient's times in trajectoryDescription "
                          "put them; lines of both directions are not corrected against each "
                          "other, so a ghost may remain");
    }
    if (kind_.trajectory_dimensions > dimensions()) {
        remarks.push_back(text("only the first ", dimensions(), " of ", kind_.trajectory_dimensions,
                               " trajectory dimensions are used"));
    }
    if (has_trajectory() && stored_dimensions() < dimensions()) {
        remarks.push_back("the trajectory has 2 dimensions and the matrix 3: kz is "
                          "kspace_encode_step_2 less its center");
    }
}

void RawAcquisitionSorter::require_samples() const {
    for (const auto& [counters, raw] : frames_) {
        if (raw.trajectory.empty()) {
            throw InputError(
                {encoding_.file,
                 text(encoding_.dataset, ", frame ", label(counters, choice_.varying())),
                 "no samples", "at least one", "check discard_pre and discard_post"});
        }
    }
}

void RawAcquisitionSorter::set_calibrations(Scan& scan, const Vec3& factor) {
    std::size_t acquisitions = 0;
    for (auto& [slice, calibration] : calibrations_) {
        RawFrame& raw = calibration.frame;
        if (raw.trajectory.empty()) {
            continue;
        }
        auto sampling = std::make_shared<Sampling>();
        sampling->trajectory =
            to_trajectory(raw.trajectory, 0, raw.values[0].size(), dimensions(), factor);
        const std::optional<Vec3> position =
            finite(raw.position) ? std::optional(raw.position) : std::nullopt;
        scan.calibrations.push_back({std::move(sampling), to_samples(raw.values),
                                     label(calibration.counters, choice_.varying()), position});
        acquisitions += raw.ends.size();
        raw = {};
    }
    if (acquisitions > 0) {
        const std::string& of = scan.calibrations.front().label;
        scan.remarks.push_back(
            text("kept ", counted(acquisitions, "acquisition"), " flagged parallel calibration",
                 scan.calibrations.size() > 1 ? text(" of ", scan.calibrations.size(), " slices")
                 : of.empty()                 ? ""
                                              : " of " + of,
                 " for coil maps"));
    }
}

StoredScan RawAcquisitionSorter::stored_scan() {
    Scan scan;
    scan.file = encoding_.file;
    scan.grid = space_.grid;
    add_remarks(scan.remarks);
    require_samples();
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        const bool differs = std::any_of(frames_.begin(), frames_.end(), [&](const auto& frame) {
            return frame.first[i] != frames_.begin()->first[i];
        });
        if (differs) {
            scan.frame_counters.push_back(frame_counters()[i]);
        }
    }
    const bool moved = set_geometry(scan);
    scan.trajectory_units = units(scan.remarks);
    Vec3 factor = units_factor(scan.trajectory_units);
    for (std::size_t d = 0; d < factor.size(); ++d) {
        factor[d] *= space_.factor[d];
    }
    set_calibrations(scan, factor);

    const auto samples = std::make_shared<RawSamples>();
    add_frames(scan, *samples, factor, moved);
    return {std::move(scan), [samples](std::size_t frame) { return samples->take(frame); }};
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

void RawAcquisitionSorter::add_frames(Scan& scan, RawSamples& samples, const Vec3& factor,
                                      bool moved) {
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
            Sampling sampling;
            sampling.trajectory = to_trajectory(raw.trajectory, first, end, dimensions(), factor);
            if (!raw.times.empty()) {
                sampling.times =
                    Eigen::Map<const Eigen::VectorXf>(raw.times.data() + first,
                                                      static_cast<Eigen::Index>(end - first))
                        .cast<double>();
            }
            frame.sampling = pool.share(std::move(sampling));
            frame.samples = CoilRows(raw.values.size(), 0, Precision::float32);
            if (moved && finite(raw.position)) {
                frame.position = raw.position;
            }
            scan.frames.push_back(std::move(frame));
            samples.add_frame(first, end - first);
        }
        if (scan.frames.size() > before) {
            samples.add_raw(to_samples(raw.values), std::move(raw.bad));
        }
        raw = {};
    }
    if (scan.frames.empty()) {
        throw InputError({encoding_.file, encoding_.dataset + ", chosen frames",
                          "none of --frames " + options_.frames.to_string(),
                          counted(index, "frame") + ", from 0", "choose from what there is"});
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
