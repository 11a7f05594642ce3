// Writes a simulated scan as ISMRMRD: the XML header, and a row of counters, positions and samples
// for each readout.

#include "io/ismrmrd/writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/ismrmrd/formats.hpp"
#include "io/native/scan.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// Noise of one acquisition, whose length has 16 bits.
constexpr std::size_t noise_at_once = 32768;

void take(IsmrmrdAcquisition& row, const CoilRows& from, std::size_t first, std::size_t end) {
    row.header.number_of_samples = static_cast<std::uint16_t>(end - first);
    for (std::size_t c = 0; c < from.rows(); ++c) {
        for (std::size_t m = first; m < end; ++m) {
            const Complex value = from(static_cast<Eigen::Index>(c), m);
            row.values.push_back(static_cast<float>(value.real()));
            row.values.push_back(static_cast<float>(value.imag()));
        }
    }
}

void set_dwell(IsmrmrdAcquisition& row, const Trajectory& trajectory,
               const IsmrmrdReadout& readout) {
    row.header.sample_time_us = static_cast<float>(1e6 * dwell_of(trajectory, readout));
}

constexpr std::size_t most_of_16_bits = std::numeric_limits<std::uint16_t>::max();

[[noreturn]] void cannot_hold(const std::string& path, const std::string& what,
                              const std::string& next = "write the native format, a name that "
                                                        "ends in .h5") {
    throw UsageError(path + ": ISMRMRD raw data cannot hold " + what + "\n  next:     " + next);
}

void require_16_bits(const std::string& path, std::size_t number, const std::string& what,
                     const std::string& next) {
    if (number > most_of_16_bits) {
        cannot_hold(path, text(number, " ", what, ", at most ", most_of_16_bits), next);
    }
}

void check_times(const std::string& path, const Trajectory& trajectory,
                 const IsmrmrdReadout& readout) {
    if (trajectory.times.size() == 0) {
        return;
    }
    const double dwell = dwell_of(trajectory, readout);
    const auto samples = static_cast<double>(readout.end - readout.first);
    constexpr double rounding = 1e-6; // of the readout: sample_time_us is a float
    for (std::size_t m = readout.first; m < readout.end; ++m) {
        const double found = trajectory.times(static_cast<Eigen::Index>(m));
        const double read =
            dwell * (static_cast<double>(m - readout.first) - static_cast<double>(readout.center));
        if (!(dwell > 0 && std::abs(found - read) <= rounding * samples * dwell)) {
            cannot_hold(path,
                        text("the time ", found, " s of sample ", m - readout.first,
                             " of a readout: readers of ISMRMRD count times from the sample "
                             "nearest to the centre of k-space (sample ",
                             readout.center, ") and would read ", read, " s"),
                        "take a trajectory whose readouts begin at the centre, such as spiral or "
                        "cones; or write the native format, a name that ends in .h5");
        }
    }
}

/// Writes the data that the format cannot hold, as the native scan file has it.
void write_beside(Hdf5Writer& file, const std::string& path, const Scan& scan, Reporter& report) {
    if (scan.coil_maps.empty() && !scan.off_resonance) {
        return;
    }
    write_grid(file, scan.grid);
    write_image_side(file, scan);
    if (!scan.coil_maps.empty()) {
        report.add({Found::maps_beside, {}, {{"file", path}}});
    }
    if (scan.off_resonance) {
        report.add({Found::field_beside, {}, {{"file", path}}});
    }
}

/// An element with its content on one line.
template <typename Content> std::string element(const std::string& name, const Content& content) {
    return text("<", name, ">", content, "</", name, ">\n");
}

std::string space(const std::string& name, const Grid& grid) {
    const auto& n = grid.size;
    const Vec3& fov = grid.fov_mm;
    return element(
        name,
        "\n" + element("matrixSize", element("x", n[0]) + element("y", n[1]) + element("z", n[2])) +
            element("fieldOfView_mm", element("x", exact(fov[0])) + element("y", exact(fov[1])) +
                                          element("z", exact(fov[2]))));
}

std::string limits(const std::string& name, std::size_t count, std::size_t center) {
    return element(name, element("minimum", 0) + element("maximum", count - 1) +
                             element("center", center));
}

/// The format's word for a trajectory; "other" where it has none.
std::string word_for(const Simulation& simulation) {
    const std::string& design = simulation.design;
    if (design == "cartesian" && simulation.readout_ends.front() != simulation.scan.grid.size[0]) {
        return "other"; // as dense as its trajectory says
    }
    static const std::vector<std::pair<std::string, std::string>> words{
        {"radial", "radial"},
        {"golden-angle", "goldenangle"},
        {"spiral", "spiral"},
        {"cartesian", "cartesian"},
    };
    for (const auto& [name, word] : words) {
        if (name == design) {
            return word;
        }
    }
    return "other";
}

bool are_echoes(const Simulation& simulation) {
    return simulation.scan.frames.front().echo.has_value();
}

std::string encoding_limits(const Simulation& simulation) {
    const Grid& grid = simulation.scan.grid;
    const bool lines = simulation.design == "cartesian";
    const std::size_t steps = simulation.readout_ends.size();
    constexpr std::size_t most = 65536;
    return limits("kspace_encoding_step_1", lines ? grid.size[1] : std::min(steps, most),
                  lines ? grid.size[1] / 2 : 0) +
           limits("kspace_encoding_step_2", lines ? grid.size[2] : 1 + (steps - 1) / most,
                  lines ? grid.size[2] / 2 : 0) +
           limits(are_echoes(simulation) ? "contrast" : "repetition", simulation.scan.frames.size(),
                  0);
}

/// TE in ms, one a contrast.
std::string sequence_parameters(const Scan& scan) {
    std::string times;
    for (const Frame& frame : scan.frames) {
        times += frame.echo ? element("TE", exact(1000 * frame.echo->time)) : "";
    }
    return times.empty() ? "" : element("sequenceParameters", times);
}

} // namespace

IsmrmrdReadout readout_of(const Simulation& simulation, const Trajectory& trajectory,
                          std::size_t index) {
    const auto& ends = simulation.readout_ends;
    IsmrmrdReadout readout{index == 0 ? 0 : ends[index - 1], ends[index], 0};
    double least = HUGE_VAL;
    for (std::size_t m = readout.first; m < readout.end; ++m) {
        const Vec3& k = trajectory.positions[m];
        const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        if (square < least) {
            least = square;
            readout.center = m - readout.first;
        }
    }
    return readout;
}

double dwell_of(const Trajectory& trajectory, const IsmrmrdReadout& readout) {
    const auto first = static_cast<Eigen::Index>(readout.first);
    const auto last = static_cast<Eigen::Index>(readout.end) - 1;
    return trajectory.times.size() == 0 || last <= first
               ? 0
               : (trajectory.times(last) - trajectory.times(first)) /
                     static_cast<double>(last - first);
}

IsmrmrdRows::IsmrmrdRows(const Simulation& simulation)
    : simulation_(simulation), scan_(simulation.scan),
      to_cycles_(to_cycles_per_fov(units, scan_.grid)),
      noise_rows_((scan_.noise.columns() + noise_at_once - 1) / noise_at_once) {}

IsmrmrdAcquisition IsmrmrdRows::row(std::size_t index) const {
    IsmrmrdAcquisition result = index < noise_rows_ ? noise(index) : readout(index - noise_rows_);
    result.header.scan_counter = static_cast<std::uint32_t>(index);
    result.header.available_channels = static_cast<std::uint16_t>(scan_.coils());
    result.header.active_channels = result.header.available_channels;
    for (std::size_t c = 0; c < std::min<std::size_t>(scan_.coils(), 1024); ++c) {
        result.header.channel_mask[c / 64] |= std::uint64_t{1} << (c % 64);
    }
    return result;
}

/// A row of noise, with the dwell time of the image, whose noise it has.
IsmrmrdAcquisition IsmrmrdRows::noise(std::size_t index) const {
    IsmrmrdAcquisition row;
    const std::size_t first = index * noise_at_once;
    take(row, scan_.noise, first, std::min(first + noise_at_once, scan_.noise.columns()));
    const Trajectory& trajectory = *scan_.frames.front().trajectory;
    set_dwell(row, trajectory, readout_of(simulation_, trajectory, 0));
    row.header.set_flag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
    return row;
}

IsmrmrdAcquisition IsmrmrdRows::readout(std::size_t index) const {
    const std::size_t f = index / readouts();
    const std::size_t r = index % readouts();
    const Frame& frame = scan_.frames[f];
    const Trajectory& trajectory = *frame.trajectory;
    const IsmrmrdReadout readout = readout_of(simulation_, trajectory, r);
    IsmrmrdAcquisition row;
    take(row, frame.samples, readout.first, readout.end);
    row.header.center_sample = static_cast<std::uint16_t>(readout.center);
    row.header.trajectory_dimensions = static_cast<std::uint16_t>(scan_.grid.dimensions);
    for (std::size_t m = readout.first; m < readout.end; ++m) {
        for (std::size_t d = 0; d < row.header.trajectory_dimensions; ++d) {
            row.positions.push_back(static_cast<float>(trajectory.positions[m][d] / to_cycles_[d]));
        }
    }
    set_dwell(row, trajectory, readout);
    set_pose(row.header, scan_.grid, frame.position);
    set_counters(row.header, f, r, trajectory.positions[readout.first]);
    return row;
}

/// Lines are counted by where they lie, others in their order.
void IsmrmrdRows::set_counters(IsmrmrdHeader& head, std::size_t f, std::size_t r,
                               const Vec3& k) const {
    const auto& size = scan_.grid.size;
    const bool lines = simulation_.design == "cartesian";
    const auto step = [&](std::size_t d) {
        return static_cast<std::uint16_t>(std::lround(k[d]) + static_cast<long>(size[d] / 2));
    };
    head.idx.kspace_encode_step_1 = lines ? step(1) : static_cast<std::uint16_t>(r);
    head.idx.kspace_encode_step_2 = lines ? step(2)
                                    : scan_.grid.dimensions == 3
                                        ? static_cast<std::uint16_t>(r >> 16U)
                                        : std::uint16_t(0); // one partition
    (are_echoes(simulation_) ? head.idx.contrast : head.idx.repetition) =
        static_cast<std::uint16_t>(f);
    const bool last = r + 1 == readouts();
    using namespace ISMRMRD;
    for (const int flag : {ISMRMRD_ACQ_FIRST_IN_ENCODE_STEP1, ISMRMRD_ACQ_FIRST_IN_SLICE,
                           ISMRMRD_ACQ_FIRST_IN_REPETITION}) {
        if (r == 0) {
            head.set_flag(flag);
        }
        if (last) {
            head.set_flag(flag + 1); // the last of the same
        }
    }
    if (last && f + 1 == scan_.frames.size()) {
        head.set_flag(ISMRMRD_ACQ_LAST_IN_MEASUREMENT);
    }
}

std::string ismrmrd_header_of(const Simulation& simulation) {
    const Grid& grid = simulation.scan.grid;
    // The schema demands a frequency. A simulation has none; this is that of hydrogen at 1.5 T.
    constexpr long at_1_5_tesla = 63866218;
    const std::optional<double>& error = simulation.error;
    const std::string parameters =
        (error ? element("userParameterDouble",
                         element("name", "simulation_error") + element("value", exact(*error)))
               : "") +
        element("userParameterString",
                element("name", "trajectory_units") + element("value", IsmrmrdRows::units));
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<ismrmrdHeader xmlns=\"http://www.ismrm.org/ISMRMRD\">\n" +
           element("acquisitionSystemInformation",
                   element("systemVendor", "lsrecon simulate") +
                       element("receiverChannels", simulation.scan.coils())) +
           element("experimentalConditions", element("H1resonanceFrequency_Hz", at_1_5_tesla)) +
           element("encoding", "\n" + space("encodedSpace", grid) + space("reconSpace", grid) +
                                   element("encodingLimits", encoding_limits(simulation)) +
                                   element("trajectory", word_for(simulation))) +
           sequence_parameters(simulation.scan) + element("userParameters", parameters) +
           "</ismrmrdHeader>\n";
}

void require_ismrmrd_holds(const std::string& path, const Simulation& simulation) {
    const Scan& scan = simulation.scan;
    if (scan.voxels) {
        cannot_hold(path, "positions of voxels off a grid");
    }
    if (!scan.calibrations.empty()) {
        cannot_hold(path, "calibration samples of its own here", "leave them out");
    }
    require_16_bits(path, *std::max_element(scan.grid.size.begin(), scan.grid.size.end()),
                    "voxels in a dimension", "ask for a smaller `matrix`");
    require_16_bits(path, scan.coils(), "coils", "ask for fewer `coils`");
    require_16_bits(path, scan.frames.size() - 1, "repetitions after the first",
                    "ask for fewer `frames`");
    const Trajectory* before = nullptr;
    for (const Frame& frame : scan.frames) {
        const Trajectory& trajectory = *frame.trajectory;
        if (&trajectory == before) {
            continue;
        }
        before = &trajectory;
        if (trajectory.phi.size() > 0 || trajectory.weights.size() > 0) {
            cannot_hold(path, "phi and weights");
        }
        for (std::size_t r = 0; r < simulation.readout_ends.size(); ++r) {
            const IsmrmrdReadout readout = readout_of(simulation, trajectory, r);
            require_16_bits(path, readout.end - readout.first, "samples in a readout",
                            "ask for more `readouts`, or fewer `samples_per_readout`");
            check_times(path, trajectory, readout);
        }
    }
}

void write_ismrmrd_scan(const std::string& path, const Simulation& simulation, Reporter& report) {
    require_ismrmrd_holds(path, simulation);
    const IsmrmrdRows rows(simulation);
    ReplacingFile output(path);
    Hdf5Writer file(output.path(), path);
    file.group("dataset");
    file.variable_texts("dataset/xml", {ismrmrd_header_of(simulation)});
    write_acquisitions(file, "dataset/data", rows.count(),
                       [&](std::size_t row) { return rows.row(row); });
    write_beside(file, path, simulation.scan, report);
    file.close();
    output.commit();
}

} // namespace lsrecon
