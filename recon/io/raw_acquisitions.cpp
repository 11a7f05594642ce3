#include "io/raw_acquisitions.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/directions.hpp"

namespace lsrecon {

RawAcquisitionSorter::RawAcquisitionSorter(RawEncoding encoding, const RawKind& kind,
                                           RawChoice choice, const ReadOptions& options)
    : encoding_(std::move(encoding)), kind_(kind), choice_(std::move(choice)), options_(options) {
    const bool lines = !has_trajectory() && !encoding_.ramps;
    space_ = image_space(encoding_, lines, remarks_);
    if (lines && space_.oversampled()) {
        // What --fov-mm asks for beyond reconSpace must not be cut away.
        const double kept =
            std::max(space_.factor[0], options_.fov_x_mm / encoding_.grid.fov_mm[0]);
        if (kept < 1) {
            crop_.emplace(kept);
        }
    }
}

// A stored trajectory has a point for each stored sample, in the same order, however the readout
// ran: reversal changes nothing.
Vec3 RawAcquisitionSorter::stored_position(const RawAcquisition& acquisition,
                                           std::size_t sample) const {
    Vec3 k{0, 0, static_cast<double>(acquisition.encode_steps[1] - encoding_.encode_centers[1])};
    for (std::size_t d = 0; d < stored_dimensions(); ++d) {
        k[d] = static_cast<double>(
            acquisition.trajectory[sample * acquisition.trajectory_dimensions + d]);
    }
    return k;
}

// center_sample counts from the start of k-space and includes what is discarded. Where gradients
// ramp, their times say where the centre is.
Vec3 RawAcquisitionSorter::line_position(const RawAcquisition& acquisition,
                                         std::size_t sample) const {
    const std::size_t index = acquisition.reversed ? acquisition.samples - 1 - sample : sample;
    const double along_line =
        static_cast<double>(index) - static_cast<double>(acquisition.center_sample);
    return {encoding_.ramps ? (acquisition.reversed ? -1 : 1) * encoding_.ramps->k[sample]
                            : along_line,
            static_cast<double>(acquisition.encode_steps[0] - encoding_.encode_centers[0]),
            static_cast<double>(acquisition.encode_steps[1] - encoding_.encode_centers[1])};
}

/// Of the image that samples are cropped for, in mm from the middle of theirs.
double RawAcquisitionSorter::middle_along_x(const RawAcquisition& acquisition) const {
    const double middle = options_.one_place ? dot(acquisition.position, acquisition.directions[0])
                                             : options_.middle_x_mm;
    return std::isfinite(middle) ? (options_.mirrored ? -middle : middle) : 0;
}

void RawAcquisitionSorter::begin(const RawAcquisition& acquisition, RawFrame& frame) {
    if (frame.values.empty()) {
        frame.values.resize(acquisition.channels);
        frame.first = acquisition.index;
        frame.partition = acquisition.encode_steps[1];
        frame.segment = acquisition.segment;
        frame.counters = acquisition.counters;
    }
    place(acquisition, frame.where);
}

void RawAcquisitionSorter::append(const RawAcquisition& acquisition, RawFrame& frame) {
    const std::size_t first = acquisition.discard_pre;
    const std::size_t last = acquisition.samples - acquisition.discard_post;
    if (!has_trajectory()) {
        check_line(acquisition);
    }
    begin(acquisition, frame);
    check_partition(acquisition, frame);
    std::vector<Vec3> k;
    for (std::size_t sample = first; sample < last; ++sample) {
        k.push_back(has_trajectory() ? stored_position(acquisition, sample)
                                     : line_position(acquisition, sample));
        check_kz(acquisition, k.back()[2]);
    }
    try {
        check_positions(acquisition, k);
    } catch (const InputError& error) {
        if (!options_.bad_frames) {
            throw;
        }
        return lose(frame, error);
    }
    frame.partitions_differ =
        frame.partitions_differ || (!k.empty() && acquisition.encode_steps[1] != frame.partition);
    try {
        for (std::size_t sample = first; sample < last; ++sample) {
            check_values(acquisition, sample);
        }
    } catch (const InputError& error) {
        if (!options_.bad_frames) {
            throw;
        }
        frame.bad.emplace_back(frame.ends.size(), error);
    }
    std::vector<std::vector<std::complex<float>>> values(acquisition.channels);
    for (std::size_t c = 0; c < acquisition.channels; ++c) {
        const float* row = acquisition.values + 2 * c * acquisition.samples;
        for (std::size_t sample = first; sample < last; ++sample) {
            values[c].emplace_back(row[2 * sample], row[2 * sample + 1]);
        }
    }
    if (crop_ && !k.empty()) {
        const auto reverse = [&] {
            std::reverse(k.begin(), k.end());
            for (auto& row : values) {
                std::reverse(row.begin(), row.end());
            }
        };
        if (acquisition.reversed) {
            reverse();
        }
        check_crop(acquisition, k.front()[0], k.back()[0]);
        crop_->apply(values, middle_along_x(acquisition) / encoding_.grid.fov_mm[0],
                     options_.mirrored);
        const double step = static_cast<double>(k.size()) / static_cast<double>(values[0].size());
        k.assign(values[0].size(), k.front());
        for (std::size_t j = 0; j < k.size(); ++j) {
            k[j][0] += static_cast<double>(j) * step;
        }
        if (acquisition.reversed) {
            reverse();
        }
    }
    if (options_.with_times) {
        append_times(acquisition, k.size(), frame);
    }
    for (const Vec3& position : k) {
        for (std::size_t d = 0; d < dimensions(); ++d) {
            frame.trajectory.push_back(static_cast<float>(position[d]));
        }
    }
    for (std::size_t c = 0; c < values.size(); ++c) {
        frame.values[c].insert(frame.values[c].end(), values[c].begin(), values[c].end());
    }
    frame.ends.push_back(frame.values[0].size());
}

std::optional<RawPlace> RawAcquisitionSorter::add(const RawAcquisition& acquisition) {
    const RawCounters counters = choice_.frame_of(acquisition.counters);
    if (!choice_.wants(counters)) {
        return std::nullopt;
    }
    RawFrame& frame = frames_[counters];
    check_header(acquisition);
    check_kind(acquisition);
    check_excitation(acquisition, frame);
    const std::size_t before = frame.trajectory.size();
    append(acquisition, frame);
    discarded_ += acquisition.discard_pre + acquisition.discard_post;
    check_place(acquisition, frame);
    for (std::size_t i = before; i < frame.trajectory.size(); ++i) {
        double& range = range_[i % dimensions()];
        range = std::max(range, std::abs(static_cast<double>(frame.trajectory[i])));
    }
    return RawPlace{counters, frame.ends.size() - 1};
}

void RawAcquisitionSorter::fail(const RawPlace& place, const InputError& error) {
    frames_.at(place.frame).bad.emplace_back(place.readout, error);
}

void RawAcquisitionSorter::add_lost(const RawAcquisition& acquisition, const InputError& error) {
    check_header(acquisition);
    check_kind(acquisition);
    RawFrame& frame = frames_[choice_.frame_of(acquisition.counters)];
    begin(acquisition, frame);
    lose(frame, error);
}

void RawAcquisitionSorter::lose(RawFrame& frame, const InputError& error) {
    frame.bad.emplace_back(frame.ends.size(), error);
    frame.lost.push_back(frame.ends.size());
    frame.ends.push_back(frame.values[0].size());
}

bool RawAcquisitionSorter::has_lost(const RawCounters& counters) const {
    const auto frame = frames_.find(choice_.frame_of(counters));
    // A cut frame has parts that may be whole.
    return options_.spokes_per_frame == 0 && frame != frames_.end() && !frame->second.lost.empty();
}

/// A reference scan of another sequence or other coils makes no maps of these.
std::string RawAcquisitionSorter::unlike_image(const RawAcquisition& acquisition) const {
    if (acquisition.channels != kind_.channels) {
        return text("have ", counted(acquisition.channels, "channel"), ", not the image's ",
                    kind_.channels);
    }
    if (acquisition.trajectory_dimensions != kind_.trajectory_dimensions) {
        return text("have trajectory_dimensions ", acquisition.trajectory_dimensions,
                    ", not the image's ", kind_.trajectory_dimensions);
    }
    if (encoding_.ramps && !has_trajectory() && acquisition.samples != encoding_.ramps->k.size()) {
        return text("have ", acquisition.samples, " samples, not those of the image's readouts, ",
                    encoding_.ramps->k.size());
    }
    return "";
}

bool RawAcquisitionSorter::add_calibration(const RawAcquisition& acquisition) {
    const RawCounters counters = choice_.frame_of(acquisition.counters);
    if (!choice_.wants_calibration(counters)) {
        return false;
    }
    if (const std::string why = unlike_image(acquisition); !why.empty()) {
        unlike_[why].push_back(counters);
        return false;
    }
    check_header(acquisition);
    check_kind(acquisition);
    RawFrame& calibration = calibration_at_place_of(acquisition, counters);
    append(acquisition, calibration);
    check_place(acquisition, calibration);
    if (!calibration.bad.empty()) { // maps of several frames come from it
        throw InputError(calibration.bad.front().second);
    }
    return true;
}

/// `kept` samples of the readout, which are spread over all that are not discarded.
void RawAcquisitionSorter::append_times(const RawAcquisition& acquisition, std::size_t kept,
                                        RawFrame& frame) const {
    if (!(std::isfinite(acquisition.dwell) && acquisition.dwell > 0)) {
        throw InputError(
            {encoding_.file,
             text(encoding_.dataset, ", acquisition ", acquisition.index, ", sample_time_us"),
             shown(1e6 * acquisition.dwell), "the time of a sample, above 0, for --field-map",
             "correct the header, or leave --field-map out"});
    }
    const auto stored = static_cast<double>(acquisition.samples - acquisition.discard_pre -
                                            acquisition.discard_post);
    // center_sample counts from the start of k-space, at which a reversed line ends; so do the
    // samples of a line that was made shorter.
    const bool mirrored = acquisition.reversed && !has_trajectory();
    const double step = stored / static_cast<double>(kept);
    const double centre = mirrored ? static_cast<double>(acquisition.samples) - 1 -
                                         static_cast<double>(acquisition.center_sample)
                                   : static_cast<double>(acquisition.center_sample);
    const double first =
        static_cast<double>(acquisition.discard_pre) + (mirrored ? step - 1 : 0) - centre;
    for (std::size_t i = 0; i < kept; ++i) {
        const double sample = first + static_cast<double>(i) * step;
        frame.times.push_back(static_cast<float>(sample * acquisition.dwell));
    }
}

std::size_t RawAcquisitionSorter::stored_dimensions() const {
    return std::min(kind_.trajectory_dimensions, dimensions());
}

} // namespace lsrecon
