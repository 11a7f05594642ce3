#include "io/ismrmrd_receiver.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

constexpr int reversed_readout = 22; // of the format's flags

/// That the arrays hold what the header promises.
void check_sizes(const IsmrmrdAcquisition& acquisition, const std::string& file,
                 const std::string& thing) {
    const IsmrmrdHeader& header = acquisition.header;
    const auto check = [&](const char* field, std::size_t found, std::size_t expected) {
        if (found != expected) {
            throw InputError({file, text(thing, ", ", field), counted(found, "number"),
                              text(expected, " for ", header.number_of_samples, " samples, ",
                                   header.active_channels, " channels and ",
                                   header.trajectory_dimensions, " trajectory dimensions"),
                              "the file is damaged or was written wrongly; write it again"});
        }
    };
    const std::size_t samples = header.number_of_samples;
    check("traj", acquisition.trajectory.size(), samples * header.trajectory_dimensions);
    check("data", acquisition.values.size(), 2 * samples * header.active_channels);
}

Vec3 to_vector(const std::array<float, 3>& a) {
    return {a[0], a[1], a[2]};
}

RawAcquisition to_raw(const IsmrmrdAcquisition& stored, std::size_t index) {
    const IsmrmrdHeader& header = stored.header;
    RawAcquisition raw;
    raw.index = index;
    raw.samples = header.number_of_samples;
    raw.channels = header.active_channels;
    raw.trajectory_dimensions = header.trajectory_dimensions;
    raw.trajectory = stored.trajectory.data();
    raw.values = stored.values.data();
    raw.discard_pre = header.discard_pre;
    raw.discard_post = header.discard_post;
    raw.center_sample = header.center_sample;
    raw.dwell = 1e-6 * static_cast<double>(header.sample_time_us);
    raw.reversed = has_flag(header, reversed_readout);
    const IsmrmrdCounters& idx = header.idx;
    raw.encode_steps = {idx.kspace_encode_step_1, idx.kspace_encode_step_2};
    raw.segment = idx.segment;
    raw.counters = counters_of(header);
    raw.position = to_vector(header.position);
    raw.directions = {to_vector(header.read_dir), to_vector(header.phase_dir),
                      to_vector(header.slice_dir)};
    return raw;
}

bool zeros_alone(const std::vector<float>& values) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [](float value) { return value == 0; });
}

} // namespace

std::string IsmrmrdReceiver::name_of(std::size_t index) const {
    return text(file_.data_name(), ", acquisition ", index);
}

void IsmrmrdReceiver::require_same_coils(std::size_t index, const IsmrmrdHeader& header) {
    const IsmrmrdCoils coils(header);
    if (!coils.named()) {
        return;
    }
    if (!coils_) {
        coils_ = {index, coils};
    }
    if (coils.mask != coils_->coils.mask) {
        throw InputError({file_.path(), name_of(index) + ", channel_mask", coils.to_string(),
                          text(coils_->coils.to_string(), ", as in acquisition ", coils_->index),
                          "write the same coils in the whole scan, or choose frames that have the "
                          "same"});
    }
}

void IsmrmrdReceiver::take(std::size_t index, const IsmrmrdAcquisition& acquisition) {
    try {
        check_sizes(acquisition, file_.path(), name_of(index));
    } catch (const InputError& error) {
        return lose(index, error);
    }
    const IsmrmrdRole& role = contents_.acquisition(index).role;
    const RawAcquisition raw = to_raw(acquisition, index);
    if (role.noise) {
        noise_.add(raw);
    }
    const bool calibrates = role.calibration && sorter_.add_calibration(raw);
    if (role.calibration && !role.image) {
        ++calibrations_;
    }
    const std::optional<RawPlace> place = role.image ? sorter_.add(raw) : std::nullopt;
    if (role.noise || calibrates || place) {
        require_same_coils(index, acquisition.header);
    }
    if (place && zeros_alone(acquisition.values)) {
        zeros_.push_back({index, *place});
    }
}

void IsmrmrdReceiver::lose(std::size_t index, const InputError& error) {
    const IsmrmrdRole& role = contents_.acquisition(index).role;
    if (role.noise || role.calibration || !bad_frames_) {
        throw InputError(error);
    }
    ++lost_;
    IsmrmrdAcquisition lost;
    lost.header = file_.header(index);
    sorter_.add_lost(to_raw(lost, index), error);
}

/// A frame that lost one acquisition needs no more, unless parts of it are frames.
bool IsmrmrdReceiver::still_wanted(std::size_t index) const {
    const IsmrmrdContents::Acquisition& next = contents_.acquisition(index);
    return next.role.noise || next.role.calibration || !sorter_.has_lost(next.counters);
}

void IsmrmrdReceiver::end(std::vector<std::string>& remarks) {
    if (zeros_.empty()) {
        return;
    }
    if (lost_ == 0) {
        remarks.push_back(text("zeros alone in ", counted(zeros_.size(), "acquisition"),
                               " of the image, first in acquisition ", zeros_.front().index));
        return;
    }
    for (const Zeros& zeros : zeros_) {
        sorter_.fail(zeros.place,
                     InputError({file_.path(), name_of(zeros.index) + ", data",
                                 "zeros alone, and other acquisitions of the file cannot be read",
                                 "measured values: HDF5 gives zeros for some damaged ones",
                                 "the file is damaged: transfer or write it again"}));
    }
}

} // namespace lsrecon
