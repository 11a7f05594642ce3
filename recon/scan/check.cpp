// Checks that values are finite, sizes agree, the trajectory stays within the grid and no coil is
// silent; messages name each thing as the file does.

#include "scan/check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "scan/host_memory.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// Fields of view from the centre, which is their unit: positions in mm go beyond unless the field
/// of view is below 20 mm. Up to here the phase of a matrix of 2048 is right to 2^-24 (20480 /
/// 2048)^2 = 6e-6 turns (engines/split.hpp); beyond, digits are lost, and soon all of them.
constexpr double farthest_voxel = 10;
/// The reach of a trajectory relative to +-N/2 that is allowed: gradients overshoot, but by no more
/// than this.
constexpr double allowed_overshoot = 1.05;
/// The limit where samples beyond N/2 will be left out: a larger reach is a wrong unit.
constexpr double most_left_out = 2;

/// The part of a value to check and to name in the message: the one that is NaN, else the larger.
double worse(Complex value) {
    const bool is_imaginary =
        std::isnan(value.imag()) || std::abs(value.real()) <= std::abs(value.imag());
    return is_imaginary ? value.imag() : value.real();
}

/// InputError about a part of the scan, which the message calls as the scan's format does.
[[noreturn]] void refuse_part(const Scan& scan, const std::string& name, const std::string& found,
                              const std::string& expected, const std::string& next) {
    throw InputError({scan.file, scan.name_of(name), found, expected, next});
}

/// InputError that names a value that is NaN or infinite, and where it stands.
[[noreturn]] void refuse_bad_value(const Scan& scan, const std::string& name, double value,
                                   const std::string& at) {
    refuse_part(scan, name, shown(value) + " at " + at, "finite numbers, and their squares, too",
                "remove or repair the value and write the scan again");
}

/// InputError that names the first value, by its row and column, that is NaN, infinite or near it.
void require_finite_values(
    const Scan& scan, const std::string& name, const CoilRows& values,
    const std::function<std::string(std::size_t row, std::size_t column)>& words_of_index) {
    constexpr double most = 1e150; // an energy is finite
    if (values.largest_part() <= most) { // not of NaN
        return;
    }
    for (std::size_t c = 0; c < values.rows(); ++c) {
        for (std::size_t m = 0; m < values.columns(); ++m) {
            const double value = worse(values(c, m));
            if (!(std::abs(value) <= most)) {
                refuse_bad_value(scan, name, value, words_of_index(c, m));
            }
        }
    }
}

/// The checks of one scan, each naming the thing as the file's format does.
class Checker {
public:
    Checker(const Scan& scan, const std::vector<std::size_t>& matrix)
        : scan_(scan), matrix_(matrix),
          share_one_(std::all_of(scan.frames.begin(), scan.frames.end(), [&](const Frame& frame) {
              return frame.trajectory == scan.frames.front().trajectory;
          })) {}

    void check_all() const {
        std::set<const Trajectory*> checked;
        for (std::size_t f = 0; f < scan_.frames.size(); ++f) {
            check_sizes(scan_.frames[f]);
            if (checked.insert(scan_.frames[f].trajectory.get()).second) {
                check_trajectory(f);
            }
        }
        if (scan_.frames.empty()) {
            refuse_part(scan_, "samples", "no frame", "at least one sample",
                        "check how the scan was written");
        }
        for (const Frame& calibration : scan_.calibrations) {
            check_calibration(calibration);
        }
        check_coil_maps();
        if (scan_.voxels) {
            check_voxels(*scan_.voxels);
        }
    }

    std::map<std::size_t, InputError> bad_trajectories() const {
        std::map<std::size_t, InputError> bad;
        std::set<const Trajectory*> sound{nullptr};
        for (std::size_t f = 0; f < scan_.frames.size() && !share_one_; ++f) {
            const Trajectory* const trajectory = scan_.frames[f].trajectory.get();
            try {
                if (sound.count(trajectory) == 0) {
                    check_points(trajectory->positions, text(f, ", "));
                    sound.insert(trajectory);
                }
            } catch (const InputError& error) {
                bad.emplace(f, error);
            }
        }
        return bad;
    }

private:
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
            refuse_part(scan_, name, text(found, " values"),
                        text(expected, ", as many as the ", what), "make the sizes agree");
        }
    }

    /// Readers check their files' shapes; this is for scans that a program made.
    void check_sizes(const Frame& frame) const {
        const Trajectory& trajectory = *frame.trajectory;
        if (trajectory.positions.empty()) {
            return; // reported by check_sampling
        }
        const std::string points = "points of the trajectory";
        if (!frame.samples.empty()) {
            check_size("samples", frame.samples.columns(), trajectory.samples(), points);
            check_size("samples", frame.samples.rows(), scan_.coils(), "coils of the first frame");
        }
        for (const auto& [name, size] :
             {std::pair("phi", trajectory.phi.size()), {"weights", trajectory.weights.size()}}) {
            if (size > 0) {
                check_size(name, static_cast<std::size_t>(size), trajectory.samples(), points);
            }
        }
    }

    void check_trajectory(std::size_t frame) const {
        const Trajectory& trajectory = *scan_.frames[frame].trajectory;
        const std::string before = share_one_ ? "" : text(frame, ", ");
        if (trajectory.positions.empty()) {
            refuse_part(scan_, "trajectory", text("no point in frame ", frame),
                        "at least one sample", "check how the scan was written");
        }
        check_points(trajectory.positions, before);
        check_range(trajectory.positions, before);
        check_phi_and_weights(trajectory);
    }

    /// The first of some positions that is not as `is_sound`(position) wants it in a dimension.
    template <typename IsSound> static std::optional<std::pair<std::size_t, std::size_t>>
    first_unsound(const std::vector<Vec3>& positions, const IsSound& is_sound) {
        const auto among = [&](const Range& some) {
            std::optional<std::pair<std::size_t, std::size_t>> found;
            for (std::size_t m = some.first; m < some.first + some.count && !found; ++m) {
                for (std::size_t d = 3; d-- > 0;) {
                    found = is_sound(positions[m], d) ? found : std::pair(m, d);
                }
            }
            return found;
        };
        for (const auto& found :
             of_each_range(positions.size(), cores_for(positions.size()), among)) {
            if (found) {
                return found;
            }
        }
        return {};
    }

    void check_points(const std::vector<Vec3>& positions, const std::string& before) const {
        const auto found = first_unsound(
            positions, [](const Vec3& k, std::size_t d) { return std::isfinite(k[d]); });
        if (!found) {
            return;
        }
        const auto [m, d] = *found;
        const std::string at = text("[", before, m, ", ", d, "]");
        if (before.empty()) {
            refuse_bad_value(scan_, "trajectory", positions[m][d], at);
        }
        refuse_part(scan_, "trajectory", shown(positions[m][d]) + " at " + at, "finite numbers",
                    "repair the value and write the scan again, or leave its frame out (`frames`)");
    }

    void check_range(const std::vector<Vec3>& positions, const std::string& before) const {
        Vec3 half{};
        Vec3 most{};
        for (std::size_t d = 0; d < 3; ++d) {
            const bool other = d < matrix_.size();
            half[d] = static_cast<double>(std::max(scan_.grid.size[d], other ? matrix_[d] : 0)) / 2;
            most[d] = (other ? most_left_out : allowed_overshoot) * half[d];
        }
        const auto found = first_unsound(
            positions, [&](const Vec3& k, std::size_t d) { return !(std::abs(k[d]) > most[d]); });
        if (!found) {
            return;
        }
        const auto [m, d] = *found;
        const bool other = d < matrix_.size();
        refuse_part(scan_, "trajectory",
                    text(positions[m][d], " cycles/fov at [", before, m, ", ", d, "]"),
                    other ? text("within +-", 2 * half[d], " (N of the larger matrix)")
                          : text("within +-", half[d], " (N/2 of the matrix) and 5 %"),
                    what_fits(positions) + (other ? ""
                                                  : "; or pass `matrix`, which leaves out what is "
                                                    "beyond its N/2"));
    }

    /// The next step for a trajectory that reaches too far.
    std::string what_fits(const std::vector<Vec3>& positions) const {
        const std::string any = "correct the units (`traj_units`), the matrix or the trajectory";
        if (scan_.trajectory_units.empty()) {
            return any;
        }
        Extent extent;
        extent.add(positions);
        const auto hint = hint_on_wrong_units(extent, scan_.grid, scan_.trajectory_units);
        return hint ? hint->next_step + (hint->seems.empty() ? "" : ", since ") + hint->seems +
                          "; or " + any
                    : any;
    }

    void check_phi_and_weights(const Trajectory& trajectory) const {
        for (Eigen::Index m = 0; m < trajectory.phi.size(); ++m) {
            for (const double part : {trajectory.phi(m).real(), trajectory.phi(m).imag()}) {
                if (!std::isfinite(part)) {
                    refuse_bad_value(scan_, "phi", part, text("[", m, "]"));
                }
            }
        }
        for (Eigen::Index m = 0; m < trajectory.weights.size(); ++m) {
            if (!std::isfinite(trajectory.weights(m))) {
                refuse_bad_value(scan_, "weights", trajectory.weights(m), text("[", m, "]"));
            }
            if (trajectory.weights(m) < 0) {
                refuse_part(scan_, "weights", text(trajectory.weights(m), " at [", m, "]"),
                            "numbers >= 0",
                            "weights are statistical and cannot be negative; correct them");
            }
        }
        const auto all_zero = [](const auto& values) {
            return values.size() > 0 && values.cwiseAbs().sum() == 0;
        };
        for (const bool phi : {true, false}) {
            if (phi ? all_zero(trajectory.phi) : all_zero(trajectory.weights)) {
                refuse_part(scan_, phi ? "phi" : "weights", "every value is 0",
                            "at least one that is not", "check how the scan was written");
            }
        }
        if (trajectory.phi.size() > 0 && trajectory.q_weights().sum() == 0) {
            refuse_part(scan_, "weights", "every value is 0 where phi is not",
                        "at least one sample that counts", "check how the scan was written");
        }
    }

    void check_calibration(const Frame& calibration) const {
        check_sizes(calibration);
        check_range(calibration.trajectory->positions, "calibration, ");
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
            refuse_part(scan_, "coil_maps", "every value is 0", "maps with sensitivity somewhere",
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
                    refuse_part(scan_, "voxels", text(voxels[n][d], " at [", n, ", ", d, "]"),
                                text("within +-", farthest_voxel, " fields of view"),
                                text("divide positions in mm by the field of view, ",
                                     scan_.grid.fov_mm[d], " mm in this dimension"));
                }
            }
        }
    }

    const Scan& scan_;
    const std::vector<std::size_t>& matrix_; ///< of the image, empty for that of the scan
    bool share_one_; ///< whether all frames share one trajectory
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

std::map<std::size_t, InputError> bad_trajectories(const Scan& scan) {
    return Checker(scan, {}).bad_trajectories();
}

void require_samples(const Scan& scan) {
    if (!scan.has_samples()) {
        throw InputError({scan.file, "/samples", "it is missing", "complex [C, M]",
                          "add the samples; without them only 'lsrecon q' can run"});
    }
}

/// Ends at the first sample that is not 0, so that a sound scan costs nothing.
bool is_silent(const CoilRows& samples, std::size_t coil) {
    return samples.visit([&](const auto& values) {
        const auto row = values.row(static_cast<Eigen::Index>(coil));
        return std::all_of(row.data(), row.data() + row.size(),
                           [](auto d) { return d == decltype(d)(0); });
    });
}

/// Samples of a coil that share its largest real or imaginary part, where these lie in several
/// cells of k-space; 0 where few do. Noise leaves no two equal. Noiseless samples of one cell are,
/// those of a symmetric object in pairs, and those of a point everywhere.
std::size_t clipped(const CoilRows& samples, std::size_t coil, const Trajectory& trajectory) {
    constexpr std::size_t fewest = 4; // cells
    constexpr double strong = 0.1; // the parts' mean square over the largest, of a point 0.5
    return samples.visit([&](const auto& values) -> std::size_t {
        const auto row = values.row(static_cast<Eigen::Index>(coil));
        using Real = typename std::decay_t<decltype(values)>::RealScalar;
        const Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, 1>> parts(
            reinterpret_cast<const Real*>(row.data()), 2 * row.size());
        const Real largest = parts.abs().maxCoeff();
        if (largest == 0 || static_cast<std::size_t>((parts.abs() == largest).count()) < fewest ||
            (parts / largest).square().mean() > strong) {
            return 0;
        }
        std::set<std::array<long, 3>> cells;
        std::size_t count = 0;
        for (Eigen::Index m = 0; m < row.size(); ++m) {
            if (std::abs(row(m).real()) == largest || std::abs(row(m).imag()) == largest) {
                const Vec3& k = trajectory.positions[static_cast<std::size_t>(m)];
                cells.insert({std::lround(k[0]), std::lround(k[1]), std::lround(k[2])});
                ++count;
            }
        }
        return cells.size() < fewest ? 0 : count;
    });
}

bool counts(const Trajectory& trajectory, std::size_t m) {
    const auto i = static_cast<Eigen::Index>(m);
    return trajectory.weight(m) > 0 &&
           (trajectory.phi.size() == 0 || trajectory.phi(i) != Complex(0));
}

/// How many samples are 0 in all coils, of those that count, and how many count.
std::pair<std::size_t, std::size_t> count_zeros(const CoilRows& samples,
                                                const Trajectory& trajectory) {
    const auto among = [&](const Range& some) {
        std::pair<std::size_t, std::size_t> found;
        samples.visit([&](const auto& values) {
            for (std::size_t m = some.first; m < some.first + some.count; ++m) {
                if (counts(trajectory, m)) {
                    const auto of_coils = values.col(static_cast<Eigen::Index>(m)).array();
                    found.first += (of_coils == 0).all() ? 1 : 0;
                    ++found.second;
                }
            }
        });
        return found;
    };
    std::pair<std::size_t, std::size_t> all;
    for (const auto& some : of_each_range(samples.columns(), cores_for(samples.columns()), among)) {
        all.first += some.first;
        all.second += some.second;
    }
    return all;
}

void SampleCheck::add(const CoilRows& samples) {
    require_finite_values(scan_, "samples", samples, [&](std::size_t c, std::size_t m) {
        return text("[", scan_.frames.size() > 1 ? text(frame_, ", ") : "", c, ", ", m, "]");
    });
    silent_coils_.resize(std::max(silent_coils_.size(), samples.rows()));
    std::vector<std::size_t> silent;
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        if (is_silent(samples, c)) {
            silent.push_back(c);
        }
    }
    if (silent.size() == samples.rows()) {
        silent_.push_back(frame_);
    } else {
        for (const std::size_t c : silent) {
            silent_coils_[c].push_back(frame_);
        }
    }
    const Trajectory& trajectory = *scan_.frames[frame_].trajectory;
    std::vector<std::size_t> clipped_of_coil(samples.rows());
    for_each_in_parallel(samples.rows(), [&](std::size_t c) {
        clipped_of_coil[c] = clipped(samples, c, trajectory);
    });
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        if (clipped_of_coil[c] > 0) {
            clipped_ += clipped_of_coil[c];
            clipped_coils_.insert(c);
        }
    }
    const auto [zeros, counted] = count_zeros(samples, trajectory);
    const Spikes spikes = spikes_of(samples, trajectory);
    if (spikes.count > 0 && spikes_.count == 0) {
        spikes_ = spikes;
        frame_of_spikes_ = frame_;
    } else {
        spikes_.count += spikes.count;
        spikes_.times = std::max(spikes_.times, spikes.times);
    }
    if (zeros < counted) {
        zeros_ += zeros;
        counted_ += counted;
    } else {
        empty_.push_back(frame_);
    }
    ++frame_;
}

void SampleCheck::skip() {
    ++skipped_;
    ++frame_;
}

Findings SampleCheck::end() const {
    const std::size_t checked = frame_ - skipped_;
    if (empty_.size() == checked) {
        throw InputError({scan_.file, scan_.name_of("samples"),
                          silent_.size() == checked
                              ? "every sample is 0"
                              : "every sample is 0 where its weight and phi are not",
                          "at least one that is not", "check how the scan was written"});
    }
    Findings findings;
    const auto find = [&](Found found, const std::vector<std::size_t>& frames, std::size_t coil) {
        if (!frames.empty()) {
            findings.push_back({found,
                                {{"coil", coil},
                                 {"silent", frames.size()},
                                 {"frames", checked},
                                 {"first", frames.front()}}});
        }
    };
    find(Found::coils_silent, silent_, 0);
    for (std::size_t c = 0; c < silent_coils_.size(); ++c) {
        find(Found::coil_silent, silent_coils_[c], c);
    }
    if (empty_.size() > silent_.size()) {
        findings.push_back(
            {Found::frames_zero, {{"count", empty_.size()}, {"first", empty_.front()}}});
    }
    if (clipped_ > 0) {
        findings.push_back(
            {Found::samples_clipped, {{"count", clipped_}, {"coils", clipped_coils_.size()}}});
    }
    if (spikes_.count > 0) {
        findings.push_back({Found::spikes,
                            {{"count", spikes_.count},
                             {"times", std::round(spikes_.times)},
                             {"frame", frame_of_spikes_},
                             {"first", spikes_.first}}});
    }
    constexpr double many = 0.05; // more than the first samples of readouts
    const double share = static_cast<double>(zeros_) / static_cast<double>(counted_);
    if (share > many) {
        findings.push_back({Found::samples_zero, {{"share", share}}});
    }
    return findings;
}

} // namespace lsrecon
