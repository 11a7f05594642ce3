#include "io/ismrmrd/rows.hpp"

#include <algorithm>
#include <cmath>

#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// Noise of one acquisition, whose length has 16 bits.
constexpr std::size_t noise_at_once = 32768;

// Flags of the format, by its numbers.
constexpr int noise_measurement = 19;
constexpr int first_of_frame[] = {1, 7, 13}; // in encode step 1, slice and repetition
constexpr int last_of_frame[] = {2, 8, 14};
constexpr int last_in_measurement = 25;

void set_flag(IsmrmrdRowHead& head, int flag) {
    head.flags |= std::uint64_t{1} << (flag - 1);
}

void take(IsmrmrdRow& row, const CoilRows& from, std::size_t first, std::size_t end) {
    row.head.number_of_samples = static_cast<std::uint16_t>(end - first);
    for (std::size_t c = 0; c < from.rows(); ++c) {
        for (std::size_t m = first; m < end; ++m) {
            const Complex value = from(static_cast<Eigen::Index>(c), m);
            row.values.push_back(static_cast<float>(value.real()));
            row.values.push_back(static_cast<float>(value.imag()));
        }
    }
}

void set_dwell(IsmrmrdRow& row, const Sampling& sampling, const IsmrmrdReadout& readout) {
    row.head.sample_time_us = static_cast<float>(1e6 * dwell_of(sampling, readout));
}

} // namespace

IsmrmrdReadout readout_of(const Simulation& simulation, const Sampling& sampling,
                          std::size_t index) {
    const auto& ends = simulation.readout_ends;
    IsmrmrdReadout readout{index == 0 ? 0 : ends[index - 1], ends[index], 0};
    double least = HUGE_VAL;
    for (std::size_t m = readout.first; m < readout.end; ++m) {
        const Vec3& k = sampling.trajectory[m];
        const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        if (square < least) {
            least = square;
            readout.center = m - readout.first;
        }
    }
    return readout;
}

double dwell_of(const Sampling& sampling, const IsmrmrdReadout& readout) {
    const auto first = static_cast<Eigen::Index>(readout.first);
    const auto last = static_cast<Eigen::Index>(readout.end) - 1;
    return sampling.times.size() == 0 || last <= first
               ? 0
               : (sampling.times(last) - sampling.times(first)) / static_cast<double>(last - first);
}

IsmrmrdRows::IsmrmrdRows(const Simulation& simulation)
    : simulation_(simulation), scan_(simulation.scan),
      to_cycles_(to_cycles_per_fov(units, scan_.grid)),
      noise_rows_((scan_.noise.columns() + noise_at_once - 1) / noise_at_once) {}

IsmrmrdRow IsmrmrdRows::row(std::size_t index) const {
    IsmrmrdRow result = index < noise_rows_ ? noise(index) : readout(index - noise_rows_);
    result.head.scan_counter = static_cast<std::uint32_t>(index);
    result.head.available_channels = static_cast<std::uint16_t>(scan_.coils());
    result.head.active_channels = result.head.available_channels;
    for (std::size_t c = 0; c < std::min<std::size_t>(scan_.coils(), 1024); ++c) {
        result.head.channel_mask[c / 64] |= std::uint64_t{1} << (c % 64);
    }
    return result;
}

/// A row of noise, with the dwell time of the image, whose noise it has.
IsmrmrdRow IsmrmrdRows::noise(std::size_t index) const {
    IsmrmrdRow row;
    const std::size_t first = index * noise_at_once;
    take(row, scan_.noise, first, std::min(first + noise_at_once, scan_.noise.columns()));
    const Sampling& sampling = *scan_.frames.front().sampling;
    set_dwell(row, sampling, readout_of(simulation_, sampling, 0));
    set_flag(row.head, noise_measurement);
    return row;
}

IsmrmrdRow IsmrmrdRows::readout(std::size_t index) const {
    const std::size_t f = index / readouts();
    const std::size_t r = index % readouts();
    const Frame& frame = scan_.frames[f];
    const Sampling& sampling = *frame.sampling;
    const IsmrmrdReadout readout = readout_of(simulation_, sampling, r);
    IsmrmrdRow row;
    take(row, frame.samples, readout.first, readout.end);
    row.head.center_sample = static_cast<std::uint16_t>(readout.center);
    row.head.trajectory_dimensions = static_cast<std::uint16_t>(scan_.grid.dimensions);
    for (std::size_t m = readout.first; m < readout.end; ++m) {
        for (std::size_t d = 0; d < row.head.trajectory_dimensions; ++d) {
            row.trajectory.push_back(static_cast<float>(sampling.trajectory[m][d] / to_cycles_[d]));
        }
    }
    set_dwell(row, sampling, readout);
    set_place(row.head, scan_.grid, frame.position);
    set_counters(row.head, f, r, sampling.trajectory[readout.first]);
    return row;
}

/// Lines are counted by where they lie, others in their order.
void IsmrmrdRows::set_counters(IsmrmrdRowHead& head, std::size_t f, std::size_t r,
                               const Vec3& k) const {
    const auto& size = scan_.grid.size;
    const bool lines = simulation_.trajectory == "cartesian";
    const auto step = [&](std::size_t d) {
        return static_cast<std::uint16_t>(std::lround(k[d]) + static_cast<long>(size[d] / 2));
    };
    head.idx.kspace_encode_step_1 = lines ? step(1) : static_cast<std::uint16_t>(r);
    head.idx.kspace_encode_step_2 = lines ? step(2)
                                    : scan_.grid.dimensions == 3
                                        ? static_cast<std::uint16_t>(r >> 16U)
                                        : std::uint16_t(0); // one partition
    head.idx.repetition = static_cast<std::uint16_t>(f);
    const bool last = r + 1 == readouts();
    for (std::size_t i = 0; i < 3; ++i) {
        if (r == 0) {
            set_flag(head, first_of_frame[i]);
        }
        if (last) {
            set_flag(head, last_of_frame[i]);
        }
    }
    if (last && f + 1 == scan_.frames.size()) {
        set_flag(head, last_in_measurement);
    }
}

} // namespace lsrecon
