#include "scan/check_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/numbers.hpp"
#include "scan/check.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// The reach of a trajectory relative to +-N/2 that is allowed: gradients overshoot, but by no more
/// than this.
constexpr double allowed_overshoot = 1.05;
/// The limit where samples beyond N/2 will be left out: a larger reach is a wrong unit.
constexpr double most_left_out = 2;

} // namespace

SamplingCheck::SamplingCheck(const Scan& scan, const std::vector<std::size_t>& matrix)
    : scan_(scan), matrix_(matrix) {
    for (const Frame& frame : scan.frames) {
        all_share_one_ = all_share_one_ && frame.sampling == scan.frames.front().sampling;
    }
}

void SamplingCheck::of_frame(std::size_t frame) const {
    const Sampling& sampling = *scan_.frames[frame].sampling;
    const std::string before = all_share_one_ ? "" : text(frame, ", ");
    if (sampling.trajectory.empty()) {
        refuse_part(scan_, "trajectory", text("no point in frame ", frame), "at least one sample",
                    "check how the scan was written");
    }
    points(sampling.trajectory, before);
    range(sampling.trajectory, before);
    phi_and_weights(sampling);
}

std::map<std::size_t, InputError> SamplingCheck::of_some_frames() const {
    std::map<std::size_t, InputError> bad;
    std::set<const Sampling*> sound{nullptr};
    for (std::size_t f = 0; f < scan_.frames.size() && !all_share_one_; ++f) {
        const Sampling* const sampling = scan_.frames[f].sampling.get();
        try {
            if (sound.count(sampling) == 0) {
                points(sampling->trajectory, text(f, ", "));
                sound.insert(sampling);
            }
        } catch (const InputError& error) {
            bad.emplace(f, error);
        }
    }
    return bad;
}

void SamplingCheck::points(const std::vector<Vec3>& trajectory, const std::string& before) const {
    for (std::size_t i = 0; i < trajectory.size(); ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            if (std::isfinite(trajectory[i][d])) {
                continue;
            }
            const std::string at = text("[", before, i, ", ", d, "]");
            if (before.empty()) {
                refuse_bad_value(scan_, "trajectory", trajectory[i][d], at);
            }
            refuse_part(
                scan_, "trajectory", shown(trajectory[i][d]) + " at " + at, "finite numbers",
                "repair the value and write the scan again, or leave its frame out (`frames`)");
        }
    }
}

void SamplingCheck::range(const std::vector<Vec3>& trajectory, const std::string& before) const {
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        for (std::size_t d = 0; d < 3; ++d) {
            const bool other = d < matrix_.size();
            const std::size_t size =
                std::max(scan_.grid.size[d], other ? matrix_[d] : std::size_t(0));
            const double half = static_cast<double>(size) / 2;
            if (std::abs(trajectory[m][d]) > (other ? most_left_out : allowed_overshoot) * half) {
                refuse_part(scan_, "trajectory",
                            text(trajectory[m][d], " cycles/fov at [", before, m, ", ", d, "]"),
                            other ? text("within +-", 2 * half, " (N of the larger matrix)")
                                  : text("within +-", half, " (N/2 of the matrix) and 5 %"),
                            what_fits(trajectory) +
                                (other ? ""
                                       : "; or pass `matrix`, which leaves out what is "
                                         "beyond its N/2"));
            }
        }
    }
}

/// The next step for a trajectory that reaches too far.
std::string SamplingCheck::what_fits(const std::vector<Vec3>& trajectory) const {
    const std::string any = "correct the units (`traj_units`), the matrix or the trajectory";
    if (scan_.trajectory_units.empty()) {
        return any;
    }
    const Vec3 factor = to_cycles_per_fov(scan_.trajectory_units, scan_.grid);
    Vec3 least{HUGE_VAL, HUGE_VAL, HUGE_VAL};
    Vec3 most{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    Vec3 largest{0, 0, 0};
    for (const Vec3& k : trajectory) {
        for (std::size_t d = 0; d < 3; ++d) {
            least[d] = std::min(least[d], k[d] / factor[d]);
            most[d] = std::max(most[d], k[d] / factor[d]);
            largest[d] = std::max(largest[d], std::abs(k[d] / factor[d]));
        }
    }
    const std::string fits = guess_trajectory_units({largest}, scan_.grid);
    if (!fits.empty()) {
        return "pass `traj_units` " + fits + ", in which the matrix is filled; or " + any;
    }
    const std::optional<UnitsHint> hint =
        hint_on_units(least, most, scan_.grid, scan_.trajectory_units);
    return hint ? hint->next_step + ", since " + hint->seems + "; or " + any : any;
}

void SamplingCheck::phi_and_weights(const Sampling& sampling) const {
    for (Eigen::Index m = 0; m < sampling.phi.size(); ++m) {
        for (const double part : {sampling.phi(m).real(), sampling.phi(m).imag()}) {
            if (!std::isfinite(part)) {
                refuse_bad_value(scan_, "phi", part, text("[", m, "]"));
            }
        }
    }
    for (Eigen::Index m = 0; m < sampling.weights.size(); ++m) {
        if (!std::isfinite(sampling.weights(m))) {
            refuse_bad_value(scan_, "weights", sampling.weights(m), text("[", m, "]"));
        }
        if (sampling.weights(m) < 0) {
            refuse_part(scan_, "weights", text(sampling.weights(m), " at [", m, "]"),
                        "numbers >= 0",
                        "weights are statistical and cannot be negative; correct them");
        }
    }
    const auto all_zero = [](const auto& values) {
        return values.size() > 0 && values.cwiseAbs().sum() == 0;
    };
    for (const bool phi : {true, false}) {
        if (phi ? all_zero(sampling.phi) : all_zero(sampling.weights)) {
            refuse_part(scan_, phi ? "phi" : "weights", "every value is 0",
                        "at least one that is not", "check how the scan was written");
        }
    }
    if (sampling.phi.size() > 0 && sampling.q_weights().sum() == 0) {
        refuse_part(scan_, "weights", "every value is 0 where phi is not",
                    "at least one sample that counts", "check how the scan was written");
    }
}

} // namespace lsrecon
