#include "io/ismrmrd_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/replacing_file.hpp"
#include "io/hdf5/writer.hpp"
#include "io/ismrmrd_hdf5.hpp"
#include "io/ismrmrd_rows.hpp"
#include "io/native_writer.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

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

void check_times(const std::string& path, const Sampling& sampling, const IsmrmrdReadout& readout) {
    if (sampling.times.size() == 0) {
        return;
    }
    const double dwell = dwell_of(sampling, readout);
    const auto samples = static_cast<double>(readout.end - readout.first);
    constexpr double rounding = 1e-6; // of the readout: sample_time_us is a float
    for (std::size_t m = readout.first; m < readout.end; ++m) {
        const double found = sampling.times(static_cast<Eigen::Index>(m));
        const double read =
            dwell * (static_cast<double>(m - readout.first) - static_cast<double>(readout.center));
        if (!(dwell > 0 && std::abs(found - read) <= rounding * samples * dwell)) {
            cannot_hold(path,
                        text("the time ", found, " s of sample ", m - readout.first,
                             " of a readout: its readers count times from the sample nearest to "
                             "the centre of k-space, which is sample ",
                             readout.center, ", and would take it for ", read, " s"),
                        "take a trajectory whose readouts begin at the centre, such as spiral or "
                        "cones; or write the native format, a name that ends in .h5");
        }
    }
}

/// What the format has no place for, as the native scan file has it.
void write_beside(Hdf5Writer& file, const std::string& path, const Scan& scan, Reporter& report) {
    if (scan.coil_maps.empty() && !scan.off_resonance) {
        return;
    }
    write_grid(file, scan.grid);
    write_image_side(file, scan);
    const auto note = [&](const std::string& what, const std::string& flag) {
        report.note(path + ": ISMRMRD has no place for " + what +
                    " beside the raw data in the same file; give recon " + flag + " " + path);
    };
    if (!scan.coil_maps.empty()) {
        note("coil maps; they are /coil_maps", "--maps");
    }
    if (scan.off_resonance) {
        note("a field map; it is /field_map", "--field-map");
    }
}

/// As a reader finds them, from the range.
void note_unclear_units(const std::string& path, const Scan& scan, Reporter& report) {
    const Vec3 to_cycles = to_cycles_per_fov(IsmrmrdRows::units, scan.grid);
    Vec3 largest{0, 0, 0};
    for (const Frame& frame : scan.frames) {
        for (const Vec3& k : frame.sampling->trajectory) {
            for (std::size_t d = 0; d < 3; ++d) {
                largest[d] = std::max(largest[d], std::abs(k[d] / to_cycles[d]));
            }
        }
    }
    if (guess_trajectory_units({largest}, scan.grid) != IsmrmrdRows::units) {
        report.note(text(path,
                         ": no reader can tell the units of the trajectory from its range on "
                         "so small a matrix; give recon --traj-units ",
                         IsmrmrdRows::units));
    }
}

} // namespace

void require_ismrmrd_holds(const std::string& path, const Simulation& simulation) {
    const Scan& scan = simulation.scan;
    if (scan.voxels) {
        cannot_hold(path, "positions of voxels off a grid");
    }
    if (!scan.calibrations.empty()) {
        cannot_hold(path, "calibration samples of its own here", "leave them out");
    }
    require_16_bits(path, *std::max_element(scan.grid.size.begin(), scan.grid.size.end()),
                    "voxels in a dimension", "ask for a smaller --matrix");
    require_16_bits(path, scan.coils(), "coils", "ask for fewer --coils");
    require_16_bits(path, scan.frames.size() - 1, "repetitions after the first",
                    "ask for fewer --frames");
    const Sampling* before = nullptr;
    for (const Frame& frame : scan.frames) {
        const Sampling& sampling = *frame.sampling;
        if (&sampling == before) {
            continue;
        }
        before = &sampling;
        if (sampling.phi.size() > 0 || sampling.weights.size() > 0) {
            cannot_hold(path, "phi and weights");
        }
        for (std::size_t r = 0; r < simulation.readout_ends.size(); ++r) {
            const IsmrmrdReadout readout = readout_of(simulation, sampling, r);
            require_16_bits(path, readout.end - readout.first, "samples in a readout",
                            "ask for more --readouts, or fewer --samples-per-readout");
            check_times(path, sampling, readout);
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
    note_unclear_units(path, simulation.scan, report);
    file.close();
    output.commit();
}

} // namespace lsrecon
