// Sorts acquisitions into frames: checks each against the first, computes its positions in k-space,
// and crops and shifts its lines.

#include "io/ismrmrd/frames.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// Takes the pose from a header. Values that are not finite, and directions that were never filled
/// in, say nothing.
void take_pose(const IsmrmrdHeader& header, Pose& where) {
    if (!where.position && is_finite(position_of(header))) {
        where.position = position_of(header);
    }
    const std::array<Vec3, 3> directions = directions_of(header);
    if (!where.directions && directions != std::array<Vec3, 3>{} && is_finite(directions)) {
        where.directions = directions;
    }
}

/// An acquisition on its way into a frame. Each check throws InputError.
class Readout {
public:
    Readout(const RawFrames& scan, std::size_t index, const IsmrmrdAcquisition& acquisition)
        : scan_(scan), index_(index), stored_(acquisition), header_(acquisition.header) {}

    std::size_t index() const { return index_; } ///< row of the file
    const IsmrmrdHeader& header() const { return header_; }
    bool reversed() const { return header_.reversed(); }
    /// The first of the samples that are not discarded, and the one after the last.
    std::size_t begin() const { return header_.discard_pre; }
    std::size_t end() const { return header_.number_of_samples - header_.discard_post; }

    [[noreturn]] void refuse(const std::string& field, const std::string& found,
                             const std::string& expected, const std::string& next_step) const {
        throw InputError({scan_.encoding.file,
                          text(scan_.encoding.dataset, ", acquisition ", index_, ", ", field),
                          found, expected, next_step});
    }

    void check_header() const {
        if (header_.active_channels == 0) {
            refuse("active_channels", "0", "at least one coil", "write the coils' data");
        }
        if (header_.discard_pre + header_.discard_post > header_.number_of_samples) {
            refuse("discard_pre + discard_post",
                   text(header_.discard_pre, " + ", header_.discard_post),
                   text("at most the ", header_.number_of_samples, " samples of the acquisition"),
                   "correct the acquisition header");
        }
        const std::string first = text(" as in acquisition ", scan_.kind.index);
        if (header_.active_channels != scan_.kind.channels) {
            refuse("active_channels", text(header_.active_channels),
                   text(scan_.kind.channels, first),
                   "write one number of coils in the whole scan, or choose frames that have the "
                   "same");
        }
        const std::size_t stored = header_.trajectory_dimensions;
        if (stored == 0 && !scan_.encoding.stored_trajectory.empty()) {
            refuse(
                "trajectory_dimensions", "0: no trajectory is stored",
                "2 or more, since the header calls the trajectory " +
                    scan_.encoding.stored_trajectory,
                "pass `trajectory` FILE of an array or of a sequence of Pulseq, or a rule such as "
                "`trajectory` golden-angle; or correct the header, if lines are Cartesian");
        }
        if (stored == 1) {
            refuse("trajectory_dimensions", "1",
                   "0 for Cartesian, 2 or more for a stored trajectory",
                   "write the trajectory with all its dimensions");
        }
        if (stored != scan_.kind.trajectory_dimensions) {
            refuse("trajectory_dimensions", text(stored),
                   text(scan_.kind.trajectory_dimensions, first),
                   "write trajectories of one kind, or choose frames that have one");
        }
    }

    // A grid of two dimensions would sum them.
    void check_partition(const RawFrame& frame) const {
        const std::uint16_t first = frame.idx.kspace_encode_step_2;
        if (scan_.dimensions() == 2 && header_.idx.kspace_encode_step_2 != first) {
            refuse(
                "kspace_encode_step_2", text(header_.idx.kspace_encode_step_2),
                text(first, " as in acquisition ", frame.first,
                     " of its frame, because encodedSpace/matrixSize/z of the header is 1; or a "
                     "z above 1"),
                "pass `header` matrix=X,Y,Z and `header` fov_mm=X,Y,Z of all partitions, or count "
                "slices in idx.slice");
        }
    }

    // Times count from center_sample of each acquisition. Those of one excitation would begin anew,
    // and so would echoes (contrast, or set) that are joined. A line without a stored trajectory
    // has an excitation of its own, whatever segment it is of.
    void check_excitation(const RawFrame& frame) const {
        if (!scan_.options.needs_times() || frame.values.empty()) {
            return;
        }
        const auto require = [&](std::uint16_t found, std::uint16_t first, const std::string& field,
                                 const std::string& flags) {
            if (found != first) {
                refuse("idx." + field, text(found),
                       text(first, " as in acquisition ", frame.first,
                            " of its frame, for `field_map`: the file does not say when each echo "
                            "or train of echoes began"),
                       "leave " + flags + "`field_map` out, or write a native scan with /times");
            }
        };
        require(header_.idx.contrast, frame.idx.contrast, "contrast", "`join` contrast or ");
        require(header_.idx.set, frame.idx.set, "set", "`join` set or ");
        if (scan_.has_trajectory()) {
            require(header_.idx.segment, frame.idx.segment, "segment", "");
        }
        if (scan_.encoding.echo_train) {
            refuse("time of its excitation",
                   "not known: the header calls the trajectory epi, and the frame has several "
                   "acquisitions",
                   "an excitation for each acquisition, for `field_map`",
                   "leave `field_map` out, or write a native scan with /times");
        }
    }

    // Reported here, not only by check(scan), because only here are the fields at fault known.
    void check_line() const {
        const std::vector<double>& ramps = scan_.encoding.ramps;
        if (!ramps.empty() && header_.number_of_samples != ramps.size()) {
            refuse("number_of_samples", text(header_.number_of_samples),
                   text(ramps.size(), ", numSamples of trajectoryDescription"),
                   "correct the header, or store a trajectory");
        }
        if (begin() == end()) {
            return;
        }
        const double half = 0.5 * static_cast<double>(scan_.encoding.grid.size[0]);
        for (const std::size_t sample : {begin(), end() - 1}) {
            // Which of its two meanings center_sample has is known after the last line.
            const double k = position(sample)[0];
            const double by_array = k + static_cast<double>(shift());
            if (std::min(std::abs(k), std::abs(by_array)) > allowed_overshoot * half) {
                check_length();
                refuse("center_sample", text("a sample at ", k, " cycles per FOV"),
                       text("between ", -half, " and ", half, " for ", scan_.encoding.grid.size[0],
                            " voxels"),
                       "correct the header, or store a trajectory");
            }
        }
    }

    // A line of more samples than voxels is oversampled, or its voxels are smaller.
    void check_length() const {
        const Grid& grid = scan_.encoding.grid;
        const std::size_t samples = header_.number_of_samples;
        const double times = static_cast<double>(samples) / static_cast<double>(grid.size[0]);
        if (times <= allowed_overshoot) {
            return;
        }
        Grid finer = grid;
        finer.size[0] = samples;
        Grid oversampled = finer;
        oversampled.fov_mm[0] *= times;
        refuse("number_of_samples",
               text(samples, ", ", times, " times encodedSpace/matrixSize/x, ", grid.size[0]),
               text("a header that says whether lines are oversampled ", times,
                    " times along x, or voxels are as much smaller"),
               "pass " + header_options(oversampled) + ", if lines are oversampled; or " +
                   header_options(finer) + ", if voxels are smaller");
    }

    // kz of a stack is that of its encoding steps, not of the trajectory.
    void check_kz() const {
        const Grid image = scan_.options.image.grid_of_image(scan_.encoding.grid);
        const std::size_t partitions = std::max(scan_.encoding.grid.size[2], image.size[2]);
        const double half = 0.5 * static_cast<double>(partitions);
        const double kz = step(1);
        if (scan_.dimensions() == 3 && scan_.has_trajectory() && scan_.stored_dimensions() < 3 &&
            std::abs(kz) > allowed_overshoot * half) {
            refuse("kspace_encode_step_2 and its center in encodingLimits",
                   text(header_.idx.kspace_encode_step_2, " less ",
                        scan_.encoding.encode_centers[1], ", kz ", kz, " cycles per FOV"),
                   text("between ", -half, " and ", half, " for ", partitions, " partitions"),
                   "correct kspace_encoding_step_2/center of the header, or store kz in a "
                   "trajectory of three dimensions");
        }
    }

    // A line that ends near kx = 0 is cut off where the signal is strongest, and rings across the
    // field of view: images of smooth objects are 9 to 50 % wrong at half a line, and 1 to 3 % at
    // 9/16 of 256 samples, where one side has an eighth of the other.
    void check_crop(double first, double last) const {
        const auto [shorter, longer] = std::minmax({-first, last + 1});
        if (8 * shorter < longer) {
            refuse("kx", text("from ", first, " to ", last, " cycles per FOV"),
                   "at least 9/16 of a line, to remove the readout oversampling: an eighth of the "
                   "one half of kx and all of the other",
                   "write the matrix and field of view of encodedSpace along x into reconSpace, to "
                   "keep the oversampling");
        }
    }

    void check_positions(const std::vector<Vec3>& k) const {
        for (std::size_t i = 0; i < k.size(); ++i) {
            for (std::size_t d = 0; d < scan_.dimensions(); ++d) {
                if (!std::isfinite(k[i][d])) {
                    refuse("traj", text(shown(k[i][d]), " at [", begin() + i, ", ", d, "]"),
                           "finite numbers", "repair the trajectory and write the file again");
                }
            }
        }
    }

    void check_values() const {
        for (std::size_t sample = begin(); sample < end(); ++sample) {
            for (std::size_t c = 0; c < scan_.kind.channels; ++c) {
                const std::complex<float> found = value(c, sample);
                if (!std::isfinite(found.real()) || !std::isfinite(found.imag())) {
                    const float bad = std::isfinite(found.real()) ? found.imag() : found.real();
                    refuse("data",
                           text(shown(static_cast<double>(bad)), " at [", c, ", ", sample, "]"),
                           "finite numbers", "remove or repair the value and write the file again");
                }
            }
        }
    }

    /// Whether the readout lies elsewhere than its frame, whose pose it may be the first to say.
    bool check_pose(Pose& where) const {
        const Vec3 position = position_of(header_);
        const std::array<Vec3, 3> directions = directions_of(header_);
        const bool has_position = is_finite(position);
        const bool has_directions = is_finite(directions);
        if (scan_.options.image.shift_to_position && !(has_position && has_directions)) {
            refuse(has_position ? "read_dir, phase_dir and slice_dir" : "position", "not finite",
                   "finite numbers, for `shift_mm` header",
                   "correct the header, or give the shift in mm, `shift_mm` X,Y");
        }
        take_pose(header_, where);
        const bool moved = (has_position && !are_same_position(*where.position, position)) ||
                           (has_directions && where.directions &&
                            !are_same_directions(*where.directions, directions));
        if (moved && scan_.options.image.shift_to_position) {
            refuse("position and directions", "different within its frame",
                   "one pose a frame, for `shift_mm` header",
                   "give the shift in mm, `shift_mm` X,Y, or leave `join` out");
        }
        return moved;
    }

    /// The position of a sample, in the file's own units or in encoding steps. A stored trajectory
    /// has a point for each stored sample, in the same order, however the readout ran: reversal
    /// changes nothing. center_sample of a line counts from the start of k-space and includes the
    /// discarded samples; where gradients ramp, their times say where the centre is.
    Vec3 position(std::size_t sample) const {
        if (!scan_.has_trajectory()) {
            const std::vector<double>& ramps = scan_.encoding.ramps;
            const std::size_t at = reversed() ? header_.number_of_samples - 1 - sample : sample;
            const double along =
                static_cast<double>(at) - static_cast<double>(header_.center_sample);
            return {ramps.empty() ? along : (reversed() ? -1 : 1) * ramps[sample], step(0),
                    step(1)};
        }
        Vec3 k{0, 0, step(1)};
        for (std::size_t d = 0; d < scan_.stored_dimensions(); ++d) {
            k[d] = stored_.positions[sample * header_.trajectory_dimensions + d];
        }
        return k;
    }

    /// Adds the third coordinate of a trajectory where the grid has two.
    void add_third(std::vector<float>& third) const {
        const std::size_t stored = header_.trajectory_dimensions;
        for (std::size_t i = begin(); scan_.dimensions() == 2 && stored > 2 && i < end(); ++i) {
            third.push_back(stored_.positions[i * stored + 2]);
        }
    }

    /// The distance by which a line lies further along kx when center_sample counts in the stored
    /// array.
    long shift() const {
        const bool line = !scan_.has_trajectory() && scan_.encoding.ramps.empty();
        return reversed() && line ? 2L * header_.center_sample - header_.number_of_samples + 1 : 0;
    }

    /// Adds the coordinates of the trajectory for which the grid has no dimension.
    void add_coordinates_beyond(RawFrame& frame, double& largest) const {
        const std::size_t stored = header_.trajectory_dimensions;
        for (std::size_t sample = begin(); sample < end(); ++sample) {
            for (std::size_t d = scan_.dimensions(); d < stored; ++d) {
                const auto k = static_cast<double>(stored_.positions[sample * stored + d]);
                largest = std::max(largest, std::abs(k));
                if (d == scan_.dimensions()) {
                    frame.least_beyond = std::min(frame.least_beyond, k);
                    frame.most_beyond = std::max(frame.most_beyond, k);
                }
            }
        }
    }

    std::complex<float> value(std::size_t coil, std::size_t sample) const {
        const float* const at =
            stored_.values.data() + 2 * (coil * header_.number_of_samples + sample);
        return {at[0], at[1]};
    }

    /// The times in s of `kept` samples that are spread over all that are not discarded.
    /// center_sample counts from the start of k-space, at which a reversed line ends; so do the
    /// samples of a line that was made shorter.
    std::vector<float> times(std::size_t kept) const {
        const double dwell = 1e-6 * static_cast<double>(header_.sample_time_us);
        if (!(std::isfinite(dwell) && dwell > 0)) {
            refuse("sample_time_us", shown(static_cast<double>(header_.sample_time_us)),
                   "the time of a sample, above 0, for `field_map`",
                   "correct the header, or leave `field_map` out");
        }
        const bool mirrored = reversed() && !scan_.has_trajectory();
        const double step = static_cast<double>(end() - begin()) / static_cast<double>(kept);
        const double centre = mirrored ? header_.number_of_samples - 1.0 - header_.center_sample
                                       : header_.center_sample;
        const double first = header_.discard_pre + (mirrored ? step - 1 : 0) - centre;
        std::vector<float> result;
        for (std::size_t i = 0; i < kept; ++i) {
            result.push_back(static_cast<float>((first + static_cast<double>(i) * step) * dwell));
        }
        return result;
    }

private:
    double step(std::size_t direction) const {
        const long found =
            direction == 0 ? header_.idx.kspace_encode_step_1 : header_.idx.kspace_encode_step_2;
        return static_cast<double>(found - scan_.encoding.encode_centers[direction]);
    }

    const RawFrames& scan_;
    std::size_t index_;
    const IsmrmrdAcquisition& stored_;
    const IsmrmrdHeader& header_;
};

/// The middle of the image along x in mm from that of the samples.
double middle_of(const GeometryOptions& image, const IsmrmrdHeader& header) {
    if (image.shift_to_position) {
        return dot(position_of(header), directions_of(header)[0]);
    }
    return image.shift_mm.empty() ? 0 : -image.shift_mm[0];
}

/// Makes a line shorter: its positions, and the values of each coil.
void crop_line(const RawFrames& scan, const Readout& readout, std::vector<Vec3>& k,
               std::vector<std::vector<std::complex<float>>>& values) {
    const auto reverse = [&] {
        std::reverse(k.begin(), k.end());
        for (auto& row : values) {
            std::reverse(row.begin(), row.end());
        }
    };
    if (readout.reversed()) {
        reverse();
    }
    readout.check_crop(k.front()[0], k.back()[0]);
    const GeometryOptions& image = scan.options.image;
    const double middle = middle_of(image, readout.header());
    const double sign = image.conjugate ? -1 : 1;
    scan.crop->apply(values,
                     std::isfinite(middle) ? sign * middle / scan.encoding.grid.fov_mm[0] : 0,
                     image.conjugate);
    const double step = static_cast<double>(k.size()) / static_cast<double>(values[0].size());
    k.assign(values[0].size(), k.front());
    for (std::size_t j = 0; j < k.size(); ++j) {
        k[j][0] += static_cast<double>(j) * step;
    }
    if (readout.reversed()) {
        reverse();
    }
}

/// C rows.
std::vector<std::vector<std::complex<float>>> values_of(const Readout& readout,
                                                        std::size_t channels) {
    std::vector<std::vector<std::complex<float>>> values(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t sample = readout.begin(); sample < readout.end(); ++sample) {
            values[c].push_back(readout.value(c, sample));
        }
    }
    return values;
}

std::vector<Vec3> positions_of(const Readout& readout) {
    std::vector<Vec3> k;
    for (std::size_t sample = readout.begin(); sample < readout.end(); ++sample) {
        k.push_back(readout.position(sample));
    }
    return k;
}

void append(RawFrames& scan, const Readout& readout, RawFrame& frame) {
    const IsmrmrdHeader& header = readout.header();
    if (!scan.has_trajectory()) {
        readout.check_line();
    }
    if (frame.values.empty()) {
        frame.values.resize(scan.kind.channels);
        frame.first = readout.index();
        frame.idx = header.idx;
    }
    readout.check_partition(frame);
    frame.reversed += readout.reversed() ? 1 : 0;
    std::vector<Vec3> k = positions_of(readout);
    try {
        readout.check_positions(k);
    } catch (const InputError& error) {
        if (!scan.options.bad_frames) {
            throw;
        }
        scan.nowhere = scan.nowhere.value_or(error);
    }
    if (!k.empty()) {
        readout.check_kz();
        frame.partitions_differ = frame.partitions_differ ||
                                  header.idx.kspace_encode_step_2 != frame.idx.kspace_encode_step_2;
    }
    try {
        readout.check_values();
    } catch (const InputError& error) {
        if (!scan.options.bad_frames) {
            throw;
        }
        frame.bad.emplace_back(frame.ends.size(), error);
    }
    std::vector<std::vector<std::complex<float>>> values = values_of(readout, scan.kind.channels);
    if (scan.encoding.some_reversed && !scan.has_trajectory() && scan.encoding.ramps.empty()) {
        scan.centres.add(values, k, readout.reversed(), readout.shift());
    }
    if (scan.crop && !k.empty()) {
        crop_line(scan, readout, k, values);
    }
    if (scan.options.needs_times()) {
        const std::vector<float> times = readout.times(k.size());
        frame.times.insert(frame.times.end(), times.begin(), times.end());
    }
    for (const Vec3& position : k) {
        for (std::size_t d = 0; d < scan.dimensions(); ++d) {
            frame.positions.push_back(static_cast<float>(position[d]));
        }
    }
    readout.add_third(frame.third);
    for (std::size_t c = 0; c < values.size(); ++c) {
        frame.values[c].insert(frame.values[c].end(), values[c].begin(), values[c].end());
    }
    frame.ends.push_back(frame.values[0].size());
    frame.segments.push_back(header.idx.segment);
    frame.shifts.push_back(readout.shift());
    frame.dwells.push_back(1e-6 * static_cast<double>(header.sample_time_us));
}

/// Reversed lines get the centre that center_sample has in the stored array.
void shift_lines(RawFrame& frame, std::size_t dimensions) {
    std::size_t m = 0;
    for (std::size_t r = 0; r < frame.ends.size(); ++r) {
        const auto shift = static_cast<double>(frame.shifts[r]);
        for (; m < frame.ends[r]; ++m) {
            frame.positions[m * dimensions] += static_cast<float>(shift);
            if (!frame.times.empty()) { // which are 0 at the centre
                frame.times[m] -= static_cast<float>(shift * frame.dwells[r]);
            }
        }
    }
}

/// Why calibration cannot serve the image, a reference scan of another sequence or of other coils:
/// "have 4 channels, not the image's 6"; "" where it can.
std::string unlike_image(const RawFrames& scan, const IsmrmrdHeader& header) {
    const RawKind& kind = scan.kind;
    if (header.active_channels != kind.channels) {
        return text("have ", counted(header.active_channels, "channel"), ", not the image's ",
                    kind.channels);
    }
    if (header.trajectory_dimensions != kind.trajectory_dimensions) {
        return text("have trajectory_dimensions ", header.trajectory_dimensions,
                    ", not the image's ", kind.trajectory_dimensions);
    }
    const std::size_t ramps = scan.encoding.ramps.size();
    if (ramps > 0 && !scan.has_trajectory() && header.number_of_samples != ramps) {
        return text("have ", header.number_of_samples,
                    " samples, not those of the image's readouts, ", ramps);
    }
    return "";
}

RawFrame& calibration_at_pose_of(RawFrames& scan, const IsmrmrdHeader& header,
                                 const RawCounters& counters) {
    Pose where;
    take_pose(header, where);
    const auto [first, last] = scan.calibrations.equal_range(counters);
    const auto known = std::find_if(first, last, [&](const auto& calibration) {
        return apart(filled_in(calibration.second.where), filled_in(where)).share_maps();
    });
    return known != last ? known->second : scan.calibrations.emplace(counters, RawFrame())->second;
}

} // namespace

RawFrames::RawFrames(RawEncoding of_scan, const RawKind& of_first, RawChoice chosen,
                     const ReadOptions& read)
    : encoding(std::move(of_scan)), kind(of_first), choice(std::move(chosen)), options(read) {
    const bool lines = !has_trajectory() && encoding.ramps.empty();
    space = image_space(encoding, lines, facts);
    if (lines && space.oversampled()) {
        // The crop must not cut away what --fov-mm asks for beyond reconSpace.
        const std::vector<double>& fov_mm = options.image.fov_mm;
        const double kept = fov_mm.empty()
                                ? space.factor[0]
                                : std::max(space.factor[0], fov_mm[0] / encoding.grid.fov_mm[0]);
        if (kept < 1) {
            crop.emplace(kept);
        }
    }
}

bool RawFrames::add(std::size_t index, const IsmrmrdAcquisition& acquisition) {
    const RawCounters counters = choice.frame_of(acquisition.header.counters());
    if (!choice.wants(counters)) {
        return false;
    }
    const Readout readout(*this, index, acquisition);
    RawFrame& frame = frames[counters];
    readout.check_header();
    readout.check_excitation(frame);
    const std::size_t before = frame.positions.size();
    append(*this, readout, frame);
    readout.add_coordinates_beyond(frame, largest_beyond);
    discarded += acquisition.header.discard_pre + acquisition.header.discard_post;
    moved_within_frame = readout.check_pose(frame.where) || moved_within_frame;
    for (std::size_t i = before; i < frame.positions.size(); ++i) {
        const std::size_t d = i % dimensions();
        const auto k = static_cast<double>(frame.positions[i]);
        range[d] = std::max(range[d], std::abs(k));
        least[d] = std::min(least[d], k);
        most[d] = std::max(most[d], k);
    }
    return true;
}

void RawFrames::add_calibration(std::size_t index, const IsmrmrdAcquisition& acquisition) {
    const RawCounters counters = choice.frame_of(acquisition.header.counters());
    if (!choice.wants_calibration(counters)) {
        return;
    }
    if (const std::string why = unlike_image(*this, acquisition.header); !why.empty()) {
        unlike[why].push_back(counters);
        return;
    }
    const Readout readout(*this, index, acquisition);
    readout.check_header();
    RawFrame& calibration = calibration_at_pose_of(*this, acquisition.header, counters);
    append(*this, readout, calibration);
    moved_within_frame = readout.check_pose(calibration.where) || moved_within_frame;
    if (!calibration.bad.empty()) { // maps of several frames come from it
        throw InputError(calibration.bad.front().second);
    }
}

void RawFrames::add_navigator(std::size_t index, const IsmrmrdAcquisition& acquisition) {
    try {
        const Readout readout(*this, index, acquisition);
        readout.check_header();
        append(*this, readout, navigators[choice.frame_of(acquisition.header.counters())]);
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) { // the image does not need it
        ++navigators_left_out;
    }
}

void RawFrames::centre_reversed_lines() {
    if (!centres.differ()) {
        return;
    }
    const bool in_array = centres.count_in_array();
    facts.push_back(text("center_sample of lines that run backwards counts ",
                         in_array ? "in the stored array" : "from the start of k-space",
                         ": by that their samples are stronger at the centre"));
    if (!in_array) {
        return;
    }
    for (auto& [counters, frame] : frames) {
        shift_lines(frame, dimensions());
    }
    for (auto& [counters, frame] : calibrations) {
        shift_lines(frame, dimensions());
    }
    for (auto& [counters, frame] : navigators) {
        shift_lines(frame, dimensions());
    }
}

} // namespace lsrecon
