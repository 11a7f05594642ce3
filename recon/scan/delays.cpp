// Finds the readouts of a trajectory, the parameters of their delays, and the delays of spokes by
// the energy along them.

#include "scan/delays.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/option.hpp"
#include "base/parallel.hpp"
#include "scan/pose.hpp"
#include "scan/readouts.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

constexpr std::size_t fewest_readouts = 8;

Vec3 times(double factor, const Vec3& v) {
    return {factor * v[0], factor * v[1], factor * v[2]};
}

/// The ends of readouts, where the course of k has a break or a long step.
std::vector<std::size_t> ends_of(const Trajectory& trajectory) {
    constexpr double long_step = 3; // times the median
    const std::vector<Vec3>& k = trajectory.positions;
    std::vector<std::size_t> ends = readouts_of(trajectory).ends;
    if (!ends.empty() || k.size() < 2) {
        return ends;
    }
    std::vector<double> steps;
    for (std::size_t m = 1; m < k.size(); ++m) {
        steps.push_back(distance(k[m - 1], k[m]));
    }
    const double longest = long_step * median(steps);
    for (std::size_t m = 1; m < k.size(); ++m) {
        if (steps[m - 1] > longest) {
            ends.push_back(m);
        }
    }
    ends.push_back(k.size());
    return ends;
}

/// The point of a line through k, along a direction, that is nearest to the middle of the plane or
/// of k-space.
Vec3 nearest_to_middle(Vec3 k, const Vec3& direction, bool in_plane) {
    if (in_plane) {
        k[2] = 0;
    }
    return minus(k, times(dot(k, direction), direction));
}

/// Whether directions differ: the least of their mean square along any axis of those they have.
class Directions {
public:
    explicit Directions(bool in_plane) : axes_(in_plane ? 2 : 3) {}

    void add(const Vec3& v) {
        const double square = dot(v, v);
        if (square == 0) {
            return;
        }
        for (Index a = 0; a < axes_; ++a) {
            for (Index b = 0; b < axes_; ++b) {
                products_(a, b) +=
                    v[static_cast<std::size_t>(a)] * v[static_cast<std::size_t>(b)] / square;
            }
        }
        ++count_;
    }
    bool are_various() const {
        constexpr double least = 0.02;
        return count_ > 0 &&
               eigen_of(products_.topLeftCorner(axes_, axes_) / count_).values(0) > least;
    }

private:
    Index axes_;
    double count_ = 0;
    Eigen::MatrixXcd products_ = Eigen::MatrixXcd::Zero(3, 3);
};

constexpr double unlike_a_line = 1e-3; ///< of the length of a readout

} // namespace

ReadoutCourse::ReadoutCourse(const Trajectory& trajectory)
    : ends(ends_of(trajectory)), k_(trajectory.positions) {
    double longest = 0;
    double along_z = 0;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        const Vec3 course = minus(k_[ends[r] - 1], k_[first(r)]);
        const double size = length(course);
        directions.push_back(size > 0 ? times(1 / size, course) : Vec3{0, 0, 0});
        longest = std::max(longest, size);
        along_z = std::max(along_z, std::abs(course[2]));
    }
    in_plane = along_z <= unlike_a_line * longest;
    look_at_velocities();
    Directions of_readouts(in_plane);
    for (const Vec3& u : directions) {
        of_readouts.add(u);
    }
    is_radial = shows_delays && ends.size() >= fewest_readouts && of_readouts.are_various() &&
                are_lines_through_middle();
}

std::vector<std::size_t> ReadoutCourse::some() const {
    constexpr std::size_t enough = 2000;
    std::vector<std::size_t> readouts;
    for (std::size_t r = 0; r < ends.size(); r += ends.size() / enough + 1) {
        readouts.push_back(r);
    }
    return readouts;
}

std::size_t ReadoutCourse::readout_of(std::size_t sample) const {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), sample) -
                                    ends.begin());
}

Vec3 ReadoutCourse::velocity(std::size_t sample, std::size_t readout) const {
    const std::size_t before = sample > first(readout) ? sample - 1 : sample;
    const std::size_t after = sample + 1 < ends[readout] ? sample + 1 : sample;
    return after > before
               ? times(1 / static_cast<double>(after - before), minus(k_[after], k_[before]))
               : Vec3{0, 0, 0};
}

Vec3 ReadoutCourse::velocity(std::size_t sample) const {
    return velocity(sample, readout_of(sample));
}

/// Samples are in order whose direction hardly changes from one to the next.
void ReadoutCourse::look_at_velocities() {
    constexpr double most = 0.2; // of the squares
    double squares = 0;
    double changes = 0;
    Directions of_samples(in_plane);
    for (const std::size_t r : some()) {
        Vec3 before = velocity(first(r), r);
        for (std::size_t m = first(r); m < ends[r]; ++m) {
            const Vec3 now = velocity(m, r);
            const Vec3 change = minus(now, before);
            squares += dot(now, now);
            changes += dot(change, change);
            of_samples.add(now);
            before = now;
        }
    }
    shows_delays = changes < most * squares && of_samples.are_various();
}

bool ReadoutCourse::are_lines_through_middle() const {
    constexpr double nearby = 1.5; // cycles per field of view
    for (const std::size_t r : some()) {
        const double size = distance(k_[first(r)], k_[ends[r] - 1]);
        for (std::size_t m = first(r); m < ends[r]; ++m) {
            const Vec3 from_first = minus(k_[m], k_[first(r)]);
            const Vec3 across =
                minus(from_first, times(dot(from_first, directions[r]), directions[r]));
            if (length(across) > unlike_a_line * size) {
                return false;
            }
        }
        if (length(nearest_to_middle(k_[first(r)], directions[r], in_plane)) > nearby) {
            return false;
        }
    }
    return true;
}

namespace {

/// The axes of each delay: {0, 1} of xy.
std::vector<std::array<std::size_t, 2>> axes_of_delays(bool in_plane) {
    return in_plane ? std::vector<std::array<std::size_t, 2>>{{0, 0}, {1, 1}, {0, 1}}
                    : std::vector<std::array<std::size_t, 2>>{{0, 0}, {1, 1}, {2, 2},
                                                              {0, 1}, {0, 2}, {1, 2}};
}

} // namespace

std::vector<SampleParameter> parameters_of(const ReadoutCourse& course,
                                           const std::vector<std::size_t>& samples) {
    constexpr std::array<const char*, 3> names{"x", "y", "z"};
    std::vector<SampleParameter> parameters;
    for (const auto& [a, b] : axes_of_delays(course.in_plane)) {
        SampleParameter delay{a == b ? names[a] : std::string(names[a]) + names[b], {}, {}};
        for (const std::size_t m : samples) {
            const Vec3 velocity = course.velocity(m);
            Vec3 shift{0, 0, 0};
            shift[a] = velocity[b];
            shift[b] = velocity[a];
            delay.shift.push_back(shift);
        }
        parameters.push_back(std::move(delay));
    }
    for (std::size_t d = 0; d < (course.in_plane ? 2 : 3); ++d) {
        SampleParameter phase{
            std::string("phase_") + names[d], {}, RealVector(static_cast<Index>(samples.size()))};
        for (std::size_t i = 0; i < samples.size(); ++i) {
            phase.phase(static_cast<Index>(i)) =
                course.directions[course.readout_of(samples[i])][d];
        }
        parameters.push_back(std::move(phase));
    }
    return parameters;
}

MovedReadouts moved_by(const Delays& delays, const Trajectory& trajectory) {
    return moved_by(delays, trajectory, ReadoutCourse(trajectory));
}

MovedReadouts moved_by(const Delays& delays, const Trajectory& trajectory,
                       const ReadoutCourse& course) {
    const RealVector values = values_of(delays, course.in_plane);
    const auto axes = axes_of_delays(course.in_plane);
    const std::size_t samples = trajectory.samples();
    MovedReadouts result{
        {vector_for<Vec3>(samples), trajectory.phi, trajectory.weights, trajectory.times},
        unwritten<RealVector>(static_cast<Index>(samples))};
    std::vector<Vec3>& positions = result.trajectory.positions;
    positions.assign(trajectory.positions.begin(), trajectory.positions.end());
    const auto move_readout = [&](std::size_t r) {
        double phase = 0;
        for (std::size_t i = axes.size(); i < static_cast<std::size_t>(values.size()); ++i) {
            phase += values(static_cast<Index>(i)) * course.directions[r][i - axes.size()];
        }
        for (std::size_t m = course.first(r); m < course.ends[r]; ++m) {
            const Vec3 velocity = course.velocity(m, r);
            Vec3& k = positions[m];
            for (std::size_t i = 0; i < axes.size(); ++i) {
                const auto& [a, b] = axes[i];
                const double value = values(static_cast<Index>(i));
                k[a] += value * velocity[b];
                k[b] += a == b ? 0 : value * velocity[a];
            }
            result.phases(static_cast<Index>(m)) = phase;
        }
    };
    for_each_range_in_parallel(course.ends.size(), cores_for(samples), [&](const Range& some) {
        for (std::size_t r = some.first; r < some.first + some.count; ++r) {
            move_readout(r);
        }
    });
    return result;
}

std::string Delays::word() const {
    return option::in_one_word(of_axes) + (phases.empty() ? "" : ":" + option::in_one_word(phases));
}

Delays Delays::rounded() const {
    Delays result = *this;
    for (std::vector<double>* const values : {&result.of_axes, &result.phases}) {
        for (double& value : *values) {
            value = std::round(1000 * value) / 1000 + 0.0; // never -0
        }
    }
    return result;
}

std::string Delays::take(const std::string& word) {
    constexpr double longest = 100; // dwell times; more is a slip
    const std::size_t colon = word.find(':');
    const std::string after = colon == std::string::npos ? "" : word.substr(colon + 1);
    const bool are_delays = option::number(of_axes, option::from(-longest, longest), "")
                                .take(word.substr(0, colon))
                                .empty();
    phases.clear();
    const bool are_phases = colon == std::string::npos ||
                            option::number(phases, option::from(-pi, pi), "").take(after).empty();
    const bool is_count = of_axes.size() == 2 || of_axes.size() == 3 || of_axes.size() == 6;
    return are_delays && are_phases && is_count && phases.size() <= 3 && phases.size() != 1
               ? ""
               : text(form_of_delays, ": delays of at most ", longest,
                      " dwell times, and phases of at most pi rad");
}

RealVector values_of(const Delays& delays, bool in_plane) {
    const std::size_t axes = in_plane ? 2 : 3;
    const std::size_t count = axes_of_delays(in_plane).size();
    const std::size_t given = delays.of_axes.size();
    if ((given != axes && given != count) ||
        (!delays.phases.empty() && delays.phases.size() != axes)) {
        throw UsageError(
            text("`delays` ", delays.word(), "\n  expected: ",
                 in_plane ? "X,Y or X,Y,XY, and after a colon COS,SIN: the readouts lie in planes"
                          : "X,Y,Z or X,Y,Z,XY,XZ,YZ, and after a colon the phases of x, y and z: "
                            "the readouts lie in no plane",
                 "\n  next:     'lsrecon delays SCAN' prints the word of a scan"));
    }
    RealVector values = RealVector::Zero(static_cast<Index>(count + axes));
    for (std::size_t i = 0; i < given; ++i) {
        values(static_cast<Index>(i)) = delays.of_axes[i];
    }
    for (std::size_t i = 0; i < delays.phases.size(); ++i) {
        values(static_cast<Index>(count + i)) = delays.phases[i];
    }
    return values;
}

Delays delays_of(const RealVector& values, bool in_plane) {
    const auto count = static_cast<Index>(axes_of_delays(in_plane).size());
    Delays delays;
    delays.of_axes.assign(values.data(), values.data() + count);
    delays.phases.assign(values.data() + count, values.data() + values.size());
    return delays;
}

namespace {

/// The products of up to three components of a direction with an odd sum of powers.
std::vector<double> odd_terms(const Vec3& u, bool in_plane) {
    std::vector<double> terms;
    const std::size_t axes = in_plane ? 2 : 3;
    for (std::size_t a = 0; a < axes; ++a) {
        for (std::size_t b = a; b < axes; ++b) {
            for (std::size_t c = b; c < axes; ++c) {
                terms.push_back(u[a] * u[b] * u[c]); // sums of which are u itself, too
            }
        }
    }
    return terms;
}

/// The centre of a spoke's energy in cycles per field of view from the nearest point to the middle,
/// and the square of that energy, its weight. Where energies are squared noise adds little.
struct Centre {
    double at = 0;
    double weight = 0;
};
Centre centre_of(const std::vector<Vec3>& k, const CoilRows& samples, const ReadoutCourse& course,
                 std::size_t readout) {
    Centre centre;
    const Vec3& u = course.directions[readout];
    samples.visit([&](const auto& values) {
        for (std::size_t m = course.first(readout); m < course.ends[readout]; ++m) {
            const double energy =
                values.col(static_cast<Index>(m)).template cast<Complex>().squaredNorm();
            centre.weight += energy * energy;
            centre.at += energy * energy * dot(k[m], u);
        }
    });
    centre.at /= centre.weight > 0 ? centre.weight : 1;
    return centre;
}

} // namespace

RealVector delays_of_crossing_spokes(const Trajectory& trajectory, const CoilRows& samples,
                                     const ReadoutCourse& course) {
    constexpr double to_both_sides = 4; // cycles per field of view
    const std::vector<Vec3>& k = trajectory.positions;
    const auto axes = axes_of_delays(course.in_plane);
    const auto delays = static_cast<Index>(axes.size());
    RealVector result = RealVector::Zero(delays + (course.in_plane ? 2 : 3));
    std::vector<std::vector<double>> rows;
    std::vector<double> centres;
    for (const std::size_t r : course.some()) {
        const Vec3& u = course.directions[r];
        const std::size_t first = course.first(r);
        if (dot(k[first], u) > -to_both_sides || dot(k[course.ends[r] - 1], u) < to_both_sides) {
            return result;
        }
        const Centre centre = centre_of(k, samples, course, r);
        const double weight = std::sqrt(centre.weight);
        std::vector<double> row = odd_terms(u, course.in_plane);
        const Vec3 velocity = course.velocity((first + course.ends[r]) / 2);
        for (const auto& [a, b] : axes) { // positions move on, the energy back
            row.push_back(-(u[a] * velocity[b] + (a == b ? 0 : u[b] * velocity[a])));
        }
        for (double& value : row) {
            value *= weight;
        }
        rows.push_back(std::move(row));
        centres.push_back(weight * centre.at);
    }
    if (rows.empty() || rows.size() < rows.front().size()) {
        return result;
    }
    Eigen::MatrixXd matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        matrix.row(static_cast<Index>(r)) =
            Eigen::Map<const Eigen::RowVectorXd>(rows[r].data(), matrix.cols());
    }
    const Eigen::Map<const RealVector> right(centres.data(), matrix.rows());
    result.head(delays) = matrix.colPivHouseholderQr().solve(right).tail(delays);
    return result;
}

} // namespace lsrecon
