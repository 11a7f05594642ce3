#include "scan/check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/check_samples.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

namespace {

/// How far outside +-N/2 a trajectory may reach: gradients overshoot, but by no more than this.
constexpr double allowed_overshoot = 1.05;
/// The same where samples beyond N/2 will be left out: more is a wrong unit.
constexpr double most_left_out = 2;

/// Fields of view from the centre, which is their unit: positions in mm go beyond unless the field
/// of view is below 20 mm. Up to here the phase of a matrix of 2048 is right to 2^-24 (20480 /
/// 2048)^2 = 6e-6 turns (engines/split.hpp); beyond, digits are lost, and soon all of them.
constexpr double farthest_voxel = 10;

[[noreturn]] void refuse_bad_value(const Scan& scan, const std::string& name, double value,
                                   const std::string& at) {
    throw InputError({scan.file, scan.name_of(name), shown(value) + " at " + at, "finite numbers",
                      "remove or repair the value and write the scan again"});
}

double worse(Complex value) {
    return std::isfinite(value.real()) ? value.imag() : value.real();
}

/// The checks of one scan, each naming the thing as the file's format does.
class Checker {
public:
    Checker(const Scan& scan, bool has_room, const std::vector<std::size_t>& matrix)
        : scan_(scan), has_room_(has_room), matrix_(matrix) {
        for (const Frame& frame : scan.frames) {
            shares_sampling_ = shares_sampling_ && frame.sampling == scan.frames.front().sampling;
        }
    }

    void check_all() const {
        check_memory();
        std::set<const Sampling*> checked;
        for (std::size_t f = 0; f < scan_.frames.size(); ++f) {
            check_sizes(scan_.frames[f]);
            if (checked.insert(scan_.frames[f].sampling.get()).second) {
                check_sampling(*scan_.frames[f].sampling, f);
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
            check_points("voxels", *scan_.voxels, "");
            check_voxels(*scan_.voxels);
        }
    }

private:
    [[noreturn]] void refuse(const std::string& name, const std::string& found,
                             const std::string& expected, const std::string& next) const {
        throw InputError({scan_.file, scan_.name_of(name), found, expected, next});
    }

    /// What stands in front of an index in a scan of several frames.
    std::string frame_index(std::size_t frame) const {
        return scan_.frames.size() > 1 ? text(frame, ", ") : "";
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

    [[noreturn]] void refuse_bad_value(const std::string& name, double value,
                                       const std::string& at) const {
        lsrecon::refuse_bad_value(scan_, name, value, at);
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
            return; // reported by check_sampling
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
        check_range(calibration.sampling->trajectory, "calibration, ");
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

    void check_points(const std::string& name, const std::vector<Vec3>& points,
                      const std::string& before) const {
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t d = 0; d < 3; ++d) {
                if (!std::isfinite(points[i][d])) {
                    const std::string at = text("[", before, i, ", ", d, "]");
                    if (before.empty()) {
                        refuse_bad_value(name, points[i][d], at);
                    }
                    refuse(
                        name, shown(points[i][d]) + " at " + at, "finite numbers",
                        "leave the frame out, which the first index counts (--frames), or repair "
                        "the value and write the scan again");
                }
            }
        }
    }

    void check_sampling(const Sampling& sampling, std::size_t frame) const {
        const std::string before = shares_sampling_ ? "" : frame_index(frame);
        if (sampling.trajectory.empty()) {
            refuse("trajectory", text("no point in frame ", frame), "at least one sample",
                   "check how the scan was written");
        }
        check_points("trajectory", sampling.trajectory, before);
        check_range(sampling.trajectory, before);
        check_phi_and_weights(sampling);
    }

    void check_phi_and_weights(const Sampling& sampling) const {
        for (Eigen::Index m = 0; m < sampling.phi.size(); ++m) {
            const double value = worse(sampling.phi(m));
            if (!std::isfinite(value)) {
                refuse_bad_value("phi", value, text("[", m, "]"));
            }
        }
        for (Eigen::Index m = 0; m < sampling.weights.size(); ++m) {
            if (!std::isfinite(sampling.weights(m))) {
                refuse_bad_value("weights", sampling.weights(m), text("[", m, "]"));
            }
            if (sampling.weights(m) < 0) {
                refuse("weights", text(sampling.weights(m), " at [", m, "]"), "numbers >= 0",
                       "weights are statistical and cannot be negative; correct them");
            }
        }
        const auto all_zero = [](const auto& values) {
            return values.size() > 0 && values.cwiseAbs().sum() == 0;
        };
        for (const bool phi : {true, false}) {
            if (phi ? all_zero(sampling.phi) : all_zero(sampling.weights)) {
                refuse(phi ? "phi" : "weights", "every value is 0", "at least one that is not",
                       "check how the scan was written");
            }
        }
        if (sampling.q_weights().sum() == 0) {
            refuse("weights", "every value is 0 where phi is not",
                   "at least one sample that counts", "check how the scan was written");
        }
    }

    void check_range(const std::vector<Vec3>& trajectory, const std::string& before) const {
        for (std::size_t m = 0; m < trajectory.size(); ++m) {
            for (std::size_t d = 0; d < 3; ++d) {
                const bool other = d < matrix_.size();
                const std::size_t size =
                    std::max(scan_.grid.size[d], other ? matrix_[d] : std::size_t(0));
                const double half = static_cast<double>(size) / 2;
                if (std::abs(trajectory[m][d]) >
                    (other ? most_left_out : allowed_overshoot) * half) {
                    refuse("trajectory",
                           text(trajectory[m][d], " cycles/fov at [", before, m, ", ", d, "]"),
                           other ? text("within +-", 2 * half, " (N of the larger matrix)")
                                 : text("within +-", half, " (N/2 of the matrix) and 5 %"),
                           text("correct the units (--traj-units), the matrix or the trajectory",
                                other ? ""
                                      : "; or pass --matrix, which leaves out what is "
                                        "beyond its N/2"));
                }
            }
        }
    }

    void check_voxels(const std::vector<Vec3>& voxels) const {
        for (std::size_t n = 0; n < voxels.size(); ++n) {
            for (std::size_t d = 0; d < 3; ++d) {
                if (std::abs(voxels[n][d]) > farthest_voxel) {
                    refuse("voxels", text(voxels[n][d], " at [", n, ", ", d, "]"),
                           text("within +-", farthest_voxel, " fields of view"),
                           text("divide positions in mm by the field of view, ",
                                scan_.grid.fov_mm[d], " mm in this dimension"));
                }
            }
        }
    }

    void check_memory() const {
        if (!scan_.voxels && !has_room_) {
            HostMemory memory;
            memory.add_volumes(scan_.format == "lsrecon-scan" ? "attribute \"matrix\" of /"
                                                              : "matrix",
                               scan_.grid, scan_.coil_maps.empty() ? scan_.coils() : 1);
            memory.require(scan_.file);
        }
    }

    const Scan& scan_;
    bool has_room_;
    std::vector<std::size_t> matrix_; ///< of the image; empty: that of the scan
    bool shares_sampling_ = true;
};

} // namespace

void check(const Scan& scan, bool has_room, const std::vector<std::size_t>& matrix) {
    Checker(scan, has_room, matrix).check_all();
    if (scan.has_samples() && !scan.frames.front().samples.empty()) {
        SampleCheck samples(scan);
        for (const Frame& frame : scan.frames) {
            samples.add(frame.samples);
        }
        samples.end();
    }
}

void require_finite_values(
    const Scan& scan, const std::string& name, const CoilRows& values,
    const std::function<std::string(std::size_t row, std::size_t column)>& place) {
    if (std::isfinite(values.largest_part())) {
        return;
    }
    for (std::size_t c = 0; c < values.rows(); ++c) {
        for (std::size_t m = 0; m < values.columns(); ++m) {
            const double value = worse(values(c, m));
            if (!std::isfinite(value)) {
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
