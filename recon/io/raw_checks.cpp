#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/raw_acquisitions.hpp"

// What RawAcquisitionSorter wants of an acquisition.

namespace lsrecon {

void RawAcquisitionSorter::refuse(const RawAcquisition& acquisition, const std::string& field,
                                  const std::string& found, const std::string& expected,
                                  const std::string& next_step) const {
    throw InputError({encoding_.file,
                      text(encoding_.dataset, ", acquisition ", acquisition.index, ", ", field),
                      found, expected, next_step});
}

void RawAcquisitionSorter::check_header(const RawAcquisition& acquisition) const {
    if (acquisition.channels == 0) {
        refuse(acquisition, "active_channels", "0", "at least one coil", "write the coils' data");
    }
    check_discards(acquisition, [&](const auto&... said) { refuse(said...); });
    if (acquisition.channels != kind_.channels) {
        refuse(acquisition, "active_channels", text(acquisition.channels),
               text(kind_.channels, " as in acquisition ", kind_.index),
               "write one number of coils in the whole scan, or choose frames that have the same");
    }
}

void RawAcquisitionSorter::check_kind(const RawAcquisition& acquisition) const {
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
    if (acquisition.trajectory_dimensions != kind_.trajectory_dimensions) {
        refuse(acquisition, "trajectory_dimensions", text(acquisition.trajectory_dimensions),
               text(kind_.trajectory_dimensions, " as in acquisition ", kind_.index),
               "write trajectories of one kind, or choose frames that have one");
    }
}

// A grid of two dimensions would sum them.
void RawAcquisitionSorter::check_partition(const RawAcquisition& acquisition,
                                           const RawFrame& frame) const {
    if (dimensions() == 2 && acquisition.encode_steps[1] != frame.partition) {
        refuse(acquisition, "kspace_encode_step_2", text(acquisition.encode_steps[1]),
               text(frame.partition, " as in acquisition ", frame.first,
                    " of its frame, because encodedSpace/matrixSize/z of the header is 1; or a z "
                    "above 1"),
               "write encodedSpace with all partitions, or count slices in idx.slice");
    }
}

// Times count from center_sample of each acquisition. Those of one excitation would begin anew, and
// so would echoes (contrast, or set) that are joined. A line without a stored trajectory has an
// excitation of its own, whatever segment it is of.
void RawAcquisitionSorter::check_excitation(const RawAcquisition& acquisition,
                                            const RawFrame& frame) const {
    if (!options_.with_times || frame.values.empty()) {
        return;
    }
    const std::string first = text(" as in acquisition ", frame.first, " of its frame");
    const auto refuse_times = [&](const std::string& field, const std::string& found,
                                  const std::string& expected, const std::string& why,
                                  const std::string& next) {
        refuse(acquisition, field, found,
               text(expected,
                    ", for --field-map: times count from center_sample of each "
                    "acquisition, and when each ",
                    why, " is not in the file"),
               next + ", or write a native scan with /times");
    };
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        const std::string& name = frame_counters()[i];
        const auto found = acquisition.counters[i];
        if ((name == "contrast" || name == "set") && found != frame.counters[i]) {
            refuse_times("idx." + name, text(found), text(frame.counters[i], first),
                         "echo was taken", "leave --join " + name + " or --field-map out");
        }
    }
    const char* const train = "of an echo train began";
    if (has_trajectory() && acquisition.segment != frame.segment) {
        refuse_times("idx.segment", text(acquisition.segment), text(frame.segment, first), train,
                     "leave --field-map out");
    }
    if (encoding_.echo_train) {
        refuse_times("time of its excitation",
                     "not known: the header calls the trajectory epi, and the frame has several "
                     "acquisitions",
                     "an excitation for each acquisition", train, "leave --field-map out");
    }
}

// Reported here, not only by check(scan), because only here are the fields at fault known.
void RawAcquisitionSorter::check_line(const RawAcquisition& acquisition) const {
    if (encoding_.ramps && acquisition.samples != encoding_.ramps->k.size()) {
        refuse(acquisition, "number_of_samples", text(acquisition.samples),
               text(encoding_.ramps->k.size(), ", numSamples of trajectoryDescription"),
               "correct the header, or store a trajectory");
    }
    if (acquisition.samples == acquisition.discard_pre + acquisition.discard_post) {
        return;
    }
    constexpr std::array<const char*, 3> fields{
        "center_sample", "kspace_encode_step_1 and its center in encodingLimits",
        "kspace_encode_step_2 and its center in encodingLimits"};
    for (const std::size_t sample :
         {acquisition.discard_pre, acquisition.samples - acquisition.discard_post - 1}) {
        const Vec3 k = line_position(acquisition, sample);
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

// A line that ends near kx = 0 is cut off where the signal is strongest, and rings across the field
// of view: images of smooth objects are 9 to 50 % wrong at half a line, and 1 to 3 % at 9/16 of 256
// samples, where one side has an eighth of the other.
void RawAcquisitionSorter::check_crop(const RawAcquisition& acquisition, double first,
                                      double last) const {
    const auto [shorter, longer] = std::minmax({-first, last + 1});
    if (8 * shorter < longer) {
        refuse(acquisition, "kx", text("from ", first, " to ", last, " cycles per FOV"),
               "9/16 of a line or more: on each side of kx = 0 an eighth of the samples of the "
               "other, or readout oversampling cannot be removed",
               "write a header whose reconSpace has the matrix and field of view of encodedSpace "
               "along x, and the image covers both");
    }
}

// Reported here, because only here is the place in the file known, and because neither units can
// be found from a NaN nor readouts be made shorter.
void RawAcquisitionSorter::check_positions(const RawAcquisition& acquisition,
                                           const std::vector<Vec3>& k) const {
    for (std::size_t i = 0; i < k.size(); ++i) {
        for (std::size_t d = 0; d < dimensions(); ++d) {
            if (!std::isfinite(k[i][d])) {
                refuse(acquisition, "traj",
                       text(shown(k[i][d]), " at [", acquisition.discard_pre + i, ", ", d, "]"),
                       "finite numbers", "repair the trajectory and write the file again");
            }
        }
    }
}

// kz of a stack is that of its encoding steps, not of the trajectory.
void RawAcquisitionSorter::check_kz(const RawAcquisition& acquisition, double kz) const {
    const Grid image = options_.grid_of_image(encoding_.grid);
    const std::size_t partitions = std::max(encoding_.grid.size[2], image.size[2]);
    const double half = 0.5 * static_cast<double>(partitions);
    if (dimensions() == 3 && has_trajectory() && stored_dimensions() < 3 &&
        std::abs(kz) > 1.05 * half) {
        refuse(acquisition, "kspace_encode_step_2 and its center in encodingLimits",
               text(acquisition.encode_steps[1], " less ", encoding_.encode_centers[1], ", kz ", kz,
                    " cycles per FOV"),
               text("between ", -half, " and ", half, " for ", partitions, " partitions"),
               "correct kspace_encoding_step_2/center of the header, or store kz in a trajectory "
               "of three dimensions");
    }
}

void RawAcquisitionSorter::check_values(const RawAcquisition& acquisition,
                                        std::size_t sample) const {
    for (std::size_t c = 0; c < acquisition.channels; ++c) {
        const float* value = acquisition.values + 2 * (c * acquisition.samples + sample);
        for (const float part : {value[0], value[1]}) {
            if (!std::isfinite(part)) {
                refuse(acquisition, "data",
                       text(shown(static_cast<double>(part)), " at [", c, ", ", sample, "]"),
                       "finite numbers", "remove or repair the value and write the file again");
            }
        }
    }
}

} // namespace lsrecon
