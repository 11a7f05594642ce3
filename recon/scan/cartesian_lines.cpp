// Gathers the lines of one plane of k-space.

#include "scan/cartesian_lines.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

namespace lsrecon {

using Eigen::Index;
using Eigen::MatrixXcd;

namespace {

constexpr std::size_t most_lines = 96; ///< around the strongest

Line line_of(const std::vector<Vec3>& k, std::size_t first, std::size_t end, bool evenly) {
    constexpr double straight = 0.01; // cycles per field of view
    if (end < first + 8) {
        return {};
    }
    Line line{first, end - first, 0, 0, k[first]};
    for (std::size_t d = 0; d < 3; ++d) {
        if (std::abs(k[end - 1][d] - k[first][d]) > std::abs(line.step)) {
            line.axis = d;
            line.step = k[end - 1][d] - k[first][d];
        }
    }
    line.step /= static_cast<double>(line.count - 1);
    for (std::size_t m = first; m < end; ++m) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double along = d == line.axis ? line.step * static_cast<double>(m - first) : 0;
            const bool is_straight = d == line.axis && !evenly
                                         ? m == first || (k[m][d] - k[m - 1][d]) * line.step > 0
                                         : std::abs(k[m][d] - k[first][d] - along) < straight;
            if (!is_straight) {
                return {};
            }
        }
    }
    line.start[line.axis] = std::min(k[first][line.axis], k[end - 1][line.axis]);
    return line;
}

double line_energy(const CoilRows& samples, const Line& line) {
    return samples.visit([&](const auto& values) {
        return static_cast<double>(
            values.middleCols(static_cast<Index>(line.first), static_cast<Index>(line.count))
                .squaredNorm());
    });
}

/// Sorts lines by position, the first of each, and keeps those around the strongest.
void sort_lines(std::vector<Line> plane, const CoilRows& samples, std::size_t most, Lines& sorted) {
    const std::size_t across = sorted.across;
    std::stable_sort(plane.begin(), plane.end(), [&](const Line& a, const Line& b) {
        return a.start[across] < b.start[across];
    });
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < plane.size(); ++i) {
        const double gap =
            i == 0 ? HUGE_VAL : plane[i].start[across] - sorted.lines.back().start[across];
        if (gap > 0.1) {
            least = std::min(least, gap);
            sorted.lines.push_back(plane[i]);
            sorted.energy.push_back(line_energy(samples, plane[i]));
        }
    }
    sorted.distance = least;
    const auto strongest = std::max_element(sorted.energy.begin(), sorted.energy.end());
    const std::size_t middle = static_cast<std::size_t>(strongest - sorted.energy.begin());
    const std::size_t last = std::min(sorted.lines.size(), middle + most / 2);
    const std::size_t first = last - std::min(last, most);
    sorted.lines = {sorted.lines.begin() + static_cast<std::ptrdiff_t>(first),
                    sorted.lines.begin() + static_cast<std::ptrdiff_t>(last)};
    for (const Line& line : sorted.lines) {
        sorted.at.push_back(
            std::lround((line.start[across] - sorted.lines.front().start[across]) / least));
    }
}

void set_values(const CoilRows& samples, Lines& lines) {
    const std::size_t axis = lines.lines.front().axis;
    double start = -HUGE_VAL;
    double end = HUGE_VAL;
    for (const Line& line : lines.lines) {
        const double step = std::abs(line.step);
        start = std::max(start, line.start[axis]);
        end = std::min(end, line.start[axis] + step * static_cast<double>(line.count));
    }
    for (const Line& line : lines.lines) {
        const double step = std::abs(line.step);
        const auto count = static_cast<Index>(std::max(0L, std::lround((end - start) / step)));
        const Index from = static_cast<Index>(std::lround((start - line.start[axis]) / step));
        const Index first = static_cast<Index>(line.first) +
                            (line.step > 0 ? from : static_cast<Index>(line.count) - from - count);
        MatrixXcd values = samples.visit([&](const auto& all) {
            return MatrixXcd(all.middleCols(first, count).template cast<Complex>());
        });
        if (line.step < 0) {
            values = values.rowwise().reverse().eval();
        }
        lines.values.push_back(std::move(values));
    }
    for (std::size_t i = 0; i < lines.values.size(); ++i) {
        lines.energy.resize(lines.values.size());
        lines.energy[i] = lines.values[i].squaredNorm();
    }
    std::vector<double> energies = lines.energy;
    std::sort(energies.begin(), energies.end());
    lines.floor = std::max(energies[energies.size() / 10], 1e-6 * energies.back());
}

} // namespace

std::vector<Line> readouts_as_lines(const std::vector<Vec3>& positions,
                                    const FrameReadouts& readouts, bool evenly) {
    std::vector<Line> lines;
    std::size_t first = 0;
    for (std::size_t r = 0; r < readouts.ends.size(); first = readouts.ends[r++]) {
        Line line = line_of(positions, first, readouts.ends[r], evenly);
        const Line& other = lines.empty() ? line : lines.front();
        const double apart = line.count == 0
                                 ? HUGE_VAL
                                 : (line.start[line.axis] - other.start[other.axis]) / line.step;
        const bool falls_on_others = std::abs(apart - std::round(apart)) < 0.05 &&
                                     std::abs(std::abs(line.step / other.step) - 1) <= 1e-3;
        if (line.count == 0 || line.axis != other.axis || (evenly && !falls_on_others)) {
            return {};
        }
        line.segment = readouts.segments.empty() ? std::uint16_t(0) : readouts.segments[r];
        line.readout = r;
        lines.push_back(line);
    }
    return lines;
}

Lines plane_of(const std::vector<Line>& lines, const CoilRows& samples, std::size_t most) {
    std::map<long, std::pair<double, std::vector<Line>>> planes;
    for (Line line : lines) {
        const std::size_t normal = line.axis == 2 ? 1 : 2;
        auto& [energy, plane] = planes[std::lround(line.start[normal])];
        line.number = plane.size();
        energy += line_energy(samples, line);
        plane.push_back(line);
    }
    const auto strongest =
        std::max_element(planes.begin(), planes.end(), [](const auto& a, const auto& b) {
            return a.second.first < b.second.first;
        });
    Lines sorted;
    if (strongest == planes.end() || strongest->second.second.size() < 2 * FrameReadouts::fewest ||
        samples.largest_part() == 0) {
        return sorted;
    }
    sorted.across = lines.front().axis == 0 ? 1 : 0;
    sort_lines(strongest->second.second, samples, most, sorted);
    return sorted;
}

Lines lines_of(const Trajectory& trajectory, const CoilRows& samples,
               const FrameReadouts& readouts) {
    Lines lines =
        plane_of(readouts_as_lines(trajectory.positions, readouts, true), samples, most_lines);
    if (lines.lines.size() >= 2 * FrameReadouts::fewest) {
        set_values(samples, lines);
    }
    const bool usable = !lines.values.empty() && lines.values.front().cols() >= 16;
    return usable ? lines : Lines();
}

/// Leaves the combinations of coils that hold the most energy.
void combine_coils(Lines& lines, Index most) {
    const Index coils = lines.values.front().rows();
    if (coils <= most) {
        return;
    }
    MatrixXcd covariance = MatrixXcd::Zero(coils, coils);
    for (const MatrixXcd& values : lines.values) {
        covariance += values * values.adjoint();
    }
    const MatrixXcd strongest =
        Eigen::SelfAdjointEigenSolver<MatrixXcd>(covariance).eigenvectors().rightCols(most);
    for (MatrixXcd& values : lines.values) {
        values = strongest.adjoint() * values;
    }
}

} // namespace lsrecon
