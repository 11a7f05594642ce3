#include "scan/check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/check_samples.hpp"
#include "scan/check_sampling.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

namespace {

/// Fields of view from the centre, which is their unit: positions in mm go beyond unless the field
/// of view is below 20 mm. Up to here the phase of a matrix of 2048 is right to 2^-24 (20480 /
/// 2048)^2 = 6e-6 turns (engines/split.hpp); beyond, digits are lost, and soon all of them.
constexpr double farthest_voxel = 10;

double worse(Complex value) {
    const bool is_imaginary =
        std::isnan(value.imag()) || std::abs(value.real()) <= std::abs(value.imag());
    return is_imaginary ? value.imag() : value.real();
}

/// The checks of one scan, each naming the thing as the file's format does.
class Checker {
public:
    Checker(const Scan& scan, const std::vector<std::size_t>& matrix)
        : scan_(scan), sampling_(scan, matrix) {}

    void check_all() const {
        std::set<const Sampling*> checked;
        for (std::size_t f = 0; f < scan_.frames.size(); ++f) {
            check_sizes(scan_.frames[f]);
            if (checked.insert(scan_.frames[f].sampling.get()).second) {
                sampling_.of_frame(f);
            }
        }
        if (scan_.frames.empty()) {
            refuse("samples", "no frame", "at least one sample", "check how the scan was written");
        }
        for (const Frame& calibration : scan_.calibrations) {
            check_calibration(calibration);
        }
        check_coil_maps();
        if (scan_.voxels) {
            check_voxels(*scan_.voxels);
        }
    }

private:
    [[noreturn]] void refuse(const std::string& name, const std::string& found,
                             const std::string& expected, const std::string& next) const {
        refuse_part(scan_, name, found, expected, next);
    }

    /// "(z,) y, x" of voxel n of the grid, or its number in a list of voxels.
    std::string voxel_index(std::size_t n) const {
        if (scan_.voxels) {
            return text(n);
        }
        const auto& size = scan_.grid.size;
        const std::string in_plane = text(n / size[0] % size[1], ", ", n % size[0]);
        return scan_.grid.dimensions == 3 ? text(n / size[0] / size[1], ", ", in_plane) : in_plane;
    }

    void check_size(const std::string& name, std::size_t found, std::size_t expected,
                    const std::string& what) const {
        if (found != expected) {
            refuse(name, text(found, " values"), text(expected, ", as many as the ", what),
                   "make the sizes agree");
        }
    }

    /// Readers check their files' shapes; this is for scans that a program made.
    void check_sizes(const Frame& frame) const {
        const Sampling& sampling = *frame.sampling;
        if (sampling.trajectory.empty()) {
            return; // reported by SamplingCheck
        }
        const std::string points = "points of the trajectory";
        if (!frame.samples.empty()) {
            check_size("samples", frame.samples.columns(), sampling.samples(), points);
            check_size("samples", frame.samples.rows(), scan_.coils(), "coils of the first frame");
        }
        if (sampling.phi.size() > 0) {
            check_size("phi", static_cast<std::size_t>(sampling.phi.size()), sampling.samples(),
                       points);
        }
        if (sampling.weights.size() > 0) {
            check_size("weights", static_cast<std::size_t>(sampling.weights.size()),
                       sampling.samples(), points);
        }
    }

    void check_calibration(const Frame& calibration) const {
        check_sizes(calibration);
        sampling_.range(calibration.sampling->trajectory, "calibration, ");
        require_finite_values(
            scan_, "samples", calibration.samples,
            [&](std::size_t c, std::size_t m) { return text("[calibration, ", c, ", ", m, "]"); });
    }

    void check_coil_maps() const {
        const CoilRows& maps = scan_.coil_maps;
        if (maps.empty()) {
            return;
        }
        const std::size_t voxels = scan_.voxels ? scan_.voxels->size() : scan_.grid.voxels();
        check_size("coil_maps", maps.columns(), voxels, "voxels of the image");
        if (scan_.has_samples()) {
            check_size("coil_maps", maps.rows(), scan_.coils(), "coils of the samples");
        }
        require_finite_values(scan_, "coil_maps", maps, [&](std::size_t c, std::size_t n) {
            return text("[", c, ", ", voxel_index(n), "]");
        });
        if (maps.largest_part() == 0) {
            refuse("coil_maps", "every value is 0", "maps with sensitivity somewhere",
                   "check how the maps were made");
        }
    }

    void check_voxels(const std::vector<Vec3>& voxels) const {
        for (std::size_t n = 0; n < voxels.size(); ++n) {
            for (std::size_t d = 0; d < 3; ++d) {
                if (!std::isfinite(voxels[n][d])) {
                    refuse_bad_value(scan_, "voxels", voxels[n][d], text("[", n, ", ", d, "]"));
                }
                if (std::abs(voxels[n][d]) > farthest_voxel) {
                    refuse("voxels", text(voxels[n][d], " at [", n, ", ", d, "]"),
                           text("within +-", farthest_voxel, " fields of view"),
                           text("divide positions in mm by the field of view, ",
                                scan_.grid.fov_mm[d], " mm in this dimension"));
                }
            }
        }
    }

    const Scan& scan_;
    SamplingCheck sampling_;
};

} // namespace

void require_room(const ScanShape& shape) {
    const Grid& grid = shape.grid;
    // Half of Q in floats, its real spectra of all parities, three vectors of conjugate gradients,
    // and images.
    const double of_solver = 0.75 * (grid.dimensions == 3 ? 8 : 4) + 3;
    const double images = 6 + (shape.coil_maps > 0 ? 1 : static_cast<double>(shape.coils));
    HostMemory memory;
    memory.add(
        shape.name_of_grid, by(grid.size, grid.dimensions),
        Cost::on_host((of_solver + images) * static_cast<double>(grid.voxels() * sizeof(Complex))));
    memory.require(shape.file);
}

void check(const Scan& scan, const std::vector<std::size_t>& matrix) {
    Checker(scan, matrix).check_all();
    if (scan.has_samples() && !scan.frames.front().samples.empty()) {
        SampleCheck samples(scan);
        for (const Frame& frame : scan.frames) {
            samples.add(frame.samples);
        }
        samples.end();
    }
}

void refuse_part(const Scan& scan, const std::string& name, const std::string& found,
                 const std::string& expected, const std::string& next) {
    throw InputError({scan.file, scan.name_of(name), found, expected, next});
}

void refuse_bad_value(const Scan& scan, const std::string& name, double value,
                      const std::string& at) {
    refuse_part(scan, name, shown(value) + " at " + at, "finite numbers, and their squares, too",
                "remove or repair the value and write the scan again");
}

void require_finite_values(
    const Scan& scan, const std::string& name, const CoilRows& values,
    const std::function<std::string(std::size_t row, std::size_t column)>& place) {
    constexpr double most = 1e150; // an energy is finite
    if (values.largest_part() <= most) { // not of NaN
        return;
    }
    for (std::size_t c = 0; c < values.rows(); ++c) {
        for (std::size_t m = 0; m < values.columns(); ++m) {
            const double value = worse(values(c, m));
            if (!(std::abs(value) <= most)) {
                refuse_bad_value(scan, name, value, place(c, m));
            }
        }
    }
}

void require_samples(const Scan& scan) {
    if (!scan.has_samples()) {
        throw InputError({scan.file, "/samples", "it is missing", "complex [C, M]",
                          "add the samples; without them only 'lsrecon q' can run"});
    }
}

} // namespace lsrecon
