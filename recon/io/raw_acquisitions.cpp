#include "io/raw_acquisitions.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

RawAcquisitionSorter::RawAcquisitionSorter(RawEncoding encoding, const ReadOptions& options)
    : encoding_(std::move(encoding)), options_(options) {
    for (const std::string& name : options.join) {
        const auto& names = frame_counters();
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            throw UsageError("--join: unknown counter \"" + name + "\"");
        }
        joined_[static_cast<std::size_t>(found - names.begin())] = true;
    }
}

void RawAcquisitionSorter::refuse(const RawAcquisition& acquisition, const std::string& field,
                                  const std::string& found, const std::string& expected,
                                  const std::string& next_step) const {
    throw InputError({encoding_.file,
                      text(encoding_.dataset, ", acquisition ", acquisition.index, ", ", field),
                      found, expected, next_step});
}

void RawAcquisitionSorter::check_header(const RawAcquisition& acquisition) {
    if (acquisition.channels == 0) {
        refuse(acquisition, "active_channels", "0", "at least one coil", "write the coils' data");
    }
    if (acquisition.discard_pre + acquisition.discard_post > acquisition.samples) {
        refuse(acquisition, "discard_pre + discard_post",
               text(acquisition.discard_pre, " + ", acquisition.discard_post),
               text("at most the ", acquisition.samples, " samples of the acquisition"),
               "correct the acquisition header");
    }
    if (acquisition.trajectory_dimensions == 0 && !encoding_.stored_trajectory.empty()) {
        refuse(acquisition, "trajectory_dimensions", "0: no trajectory is stored",
               "2 or more, since the header calls the trajectory " + encoding_.stored_trajectory,
               "store the trajectory with the acquisitions, or correct the header");
    }
    if (acquisition.trajectory_dimensions == 1) {
        refuse(acquisition, "trajectory_dimensions", "1",
               "0 for Cartesian, 2 or more for a stored trajectory",
               "write the trajectory with all its dimensions");
    }
    if (!first_) {
        first_ = acquisition;
        first_->trajectory = nullptr;
        first_->values = nullptr;
        return;
    }
    const std::string expected = text(" as in acquisition ", first_->index);
    if (acquisition.channels != first_->channels) {
        refuse(acquisition, "active_channels", text(acquisition.channels),
               text(first_->channels, expected), "write one number of coils in the whole scan");
    }
    if (acquisition.trajectory_dimensions != first_->trajectory_dimensions) {
        refuse(acquisition, "trajectory_dimensions", text(acquisition.trajectory_dimensions),
               text(first_->trajectory_dimensions, expected),
               "write trajectories of one kind, or split the file");
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

// center_sample counts from the start of k-space and includes what is discarded.
Vec3 RawAcquisitionSorter::cartesian_position(const RawAcquisition& acquisition,
                                              std::size_t sample) const {
    const std::size_t index = acquisition.reversed ? acquisition.samples - 1 - sample : sample;
    return {static_cast<double>(index) - static_cast<double>(acquisition.center_sample),
            static_cast<double>(acquisition.encode_steps[0] - encoding_.encode_centers[0]),
            static_cast<double>(acquisition.encode_steps[1] - encoding_.encode_centers[1])};
}

// Said here and not by check(scan) alone, because only here are the fields at fault known.
void RawAcquisitionSorter::check_cartesian_range(const RawAcquisition& acquisition) const {
    constexpr std::array<const char*, 3> fields{
        "center_sample", "kspace_encode_step_1 and its center in encodingLimits",
        "kspace_encode_step_2 and its center in encodingLimits"};
    for (const std::size_t sample :
         {acquisition.discard_pre, acquisition.samples - acquisition.discard_post - 1}) {
        const Vec3 k = cartesian_position(acquisition, sample);
        for (std::size_t d = 0; d < dimensions(); ++d) {
            const double half = 0.5 * static_cast<double>(encoding_.grid.size[d]);
            if (std::abs(k[d]) > 1.05 * half) {
                refuse(acquisition, fields[d], text("a sample at ", k[d], " cycles per FOV"),
                       text("between ", -half, " and ", half, " for ", encoding_.grid.size[d],
                            " voxels"),
                       "correct the header, or store a trajectory");
            }
        }
    }
}

// Said here, because check(scan) would come after the units, which cannot be found from a NaN, and
// because only here is the place in the file known.
void RawAcquisitionSorter::check_finite(const RawAcquisition& acquisition, std::size_t sample,
                                        const Vec3& k) const {
    for (std::size_t d = 0; d < dimensions(); ++d) {
        if (!std::isfinite(k[d])) {
            refuse(acquisition, "traj", text(shown(k[d]), " at [", sample, ", ", d, "]"),
                   "finite numbers", "repair the trajectory and write the file again");
        }
    }
}

void RawAcquisitionSorter::add(const RawAcquisition& acquisition) {
    check_header(acquisition);
    const std::size_t first = acquisition.discard_pre;
    const std::size_t last = acquisition.samples - acquisition.discard_post;
    discarded_ += acquisition.discard_pre + acquisition.discard_post;
    const bool stored = acquisition.trajectory_dimensions > 0;
    if (!stored && last > first) {
        check_cartesian_range(acquisition);
    }
    Counters counters = acquisition.counters;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        counters[i] = joined_[i] ? std::uint16_t(0) : counters[i];
    }
    const auto [place, is_new] = frames_.try_emplace(counters);
    RawFrame& frame = place->second;
    if (is_new) {
        frame.values.resize(acquisition.channels);
        frame.position = acquisition.position;
        frame.directions = acquisition.directions;
    }
    moved_within_frame_ = moved_within_frame_ || frame.position != acquisition.position ||
                          frame.directions != acquisition.directions;
    for (std::size_t sample = first; sample < last; ++sample) {
        const Vec3 k =
            stored ? stored_position(acquisition, sample) : cartesian_position(acquisition, sample);
        check_finite(acquisition, sample, k);
        for (std::size_t d = 0; d < dimensions(); ++d) {
            frame.trajectory.push_back(static_cast<float>(k[d]));
            range_[d] = std::max(range_[d], std::abs(k[d]));
        }
    }
    for (std::size_t c = 0; c < acquisition.channels; ++c) {
        const float* row = acquisition.values + 2 * c * acquisition.samples;
        for (std::size_t sample = first; sample < last; ++sample) {
            frame.values[c].emplace_back(row[2 * sample], row[2 * sample + 1]);
        }
    }
}

std::size_t RawAcquisitionSorter::stored_dimensions() const {
    return first_ ? std::min(first_->trajectory_dimensions, dimensions()) : 0;
}

} // namespace lsrecon
