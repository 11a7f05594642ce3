#include "scan/readouts.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/numbers.hpp"

// Prediction of lines: Griswold et al. 2002, GRAPPA. Line t of class b is predicted by the kernel
// K of class a from its two neighbours s. Where class b has the factor g against class a,
//     K_a s = t / g^2 for t of class b,  K_b s = t g^2 for t of class a.

namespace lsrecon {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;

constexpr std::size_t fewest_lines = 8; ///< of a class
constexpr std::size_t most_lines = 96; ///< around the strongest
constexpr Index most_channels = 6; ///< the strongest combinations of coils
constexpr std::ptrdiff_t half_window = 20; ///< samples to each side of the strongest
constexpr double sure = 5; ///< t-value
constexpr double gained = 1.1; ///< what is unexplained, over that with the correction
constexpr double per_radian = 180 / pi;

double mean_over_error(const std::vector<double>& values) {
    const Eigen::Map<const RealVector> v(values.data(), static_cast<Index>(values.size()));
    const double n = static_cast<double>(v.size());
    const double error = std::sqrt((v.array() - v.mean()).square().sum() / (n - 1) / n);
    return error > 0 ? v.mean() / error : 0;
}

/// A readout that is a straight line along an axis of k-space, with samples evenly apart.
struct Line {
    std::size_t first = 0; ///< sample
    std::size_t count = 0;
    std::size_t axis = 0;
    double step = 0; ///< below 0 where it runs backwards
    Vec3 start{}; ///< its sample of the least k
    std::size_t number = 0; ///< in the order of the frame's lines
    std::uint16_t segment = 0;
};

/// count is 0 where the readout is no such line.
Line line_of(const std::vector<Vec3>& k, std::size_t first, std::size_t end) {
    constexpr double straight = 0.01; // cycles per field of view
    if (end < first + 8) {
        return {};
    }
    Line line{first, end - first, 0, 0, k[first], 0, 0};
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
            if (!(std::abs(k[m][d] - k[first][d] - along) < straight)) {
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

/// Lines of one plane of k-space that lie evenly beside each other, by their position in it. The
/// values of each hold the samples, a row a channel, that all lines have, in the order of rising k.
struct Lines {
    std::vector<Line> lines;
    std::vector<MatrixXcd> values;
    std::vector<long> at; ///< position in steps of the least distance
    std::vector<double> energy;
    double floor = 0; ///< energy of lines of little but noise
    std::size_t across = 0; ///< axis on which they lie beside each other
    double distance = 0; ///< cycles per field of view

    /// Lines with a neighbour on both sides.
    std::vector<std::size_t> inner() const {
        std::vector<std::size_t> result;
        for (std::size_t i = 1; i + 1 < at.size(); ++i) {
            if (at[i] - at[i - 1] == 1 && at[i + 1] - at[i] == 1) {
                result.push_back(i);
            }
        }
        return result;
    }
};

/// The lines of the plane with the most energy; none unless every readout is a line of one axis,
/// whose samples fall on those of the others.
std::vector<Line> plane_of(const Trajectory& trajectory, const CoilRows& samples,
                           const FrameReadouts& readouts) {
    std::map<long, std::pair<double, std::vector<Line>>> planes;
    Line first_line;
    std::size_t first = 0;
    for (std::size_t r = 0; r < readouts.ends.size(); first = readouts.ends[r++]) {
        Line line = line_of(trajectory.positions, first, readouts.ends[r]);
        first_line = first_line.count > 0 ? first_line : line;
        const double apart =
            line.count == 0
                ? HUGE_VAL
                : (line.start[line.axis] - first_line.start[first_line.axis]) / line.step;
        if (line.axis != first_line.axis || !(std::abs(apart - std::round(apart)) < 0.05) ||
            std::abs(std::abs(line.step / first_line.step) - 1) > 1e-3) {
            return {};
        }
        line.segment = readouts.segments.empty() ? std::uint16_t(0) : readouts.segments[r];
        const std::size_t normal = line.axis == 2 ? 1 : 2;
        auto& [energy, lines] = planes[std::lround(line.start[normal])];
        line.number = lines.size();
        energy += line_energy(samples, line);
        lines.push_back(line);
    }
    const auto strongest =
        std::max_element(planes.begin(), planes.end(), [](const auto& a, const auto& b) {
            return a.second.first < b.second.first;
        });
    return strongest == planes.end() ? std::vector<Line>() : strongest->second.second;
}

/// Sorts lines by position, the first of each, and keeps those around the strongest.
void sort_lines(std::vector<Line> plane, const CoilRows& samples, Lines& sorted) {
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
    const std::size_t last = std::min(sorted.lines.size(), middle + most_lines / 2);
    const std::size_t first = last - std::min(last, most_lines);
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

/// Leaves the combinations of coils that hold the most energy.
void combine_coils(Lines& lines) {
    const Index coils = lines.values.front().rows();
    if (coils <= most_channels) {
        return;
    }
    MatrixXcd covariance = MatrixXcd::Zero(coils, coils);
    for (const MatrixXcd& values : lines.values) {
        covariance += values * values.adjoint();
    }
    const MatrixXcd strongest = Eigen::SelfAdjointEigenSolver<MatrixXcd>(covariance)
                                    .eigenvectors()
                                    .rightCols(most_channels);
    for (MatrixXcd& values : lines.values) {
        values = strongest.adjoint() * values;
    }
}

Lines lines_of(const Trajectory& trajectory, const CoilRows& samples,
               const FrameReadouts& readouts) {
    const std::vector<Line> plane = plane_of(trajectory, samples, readouts);
    Lines lines;
    if (plane.size() < 2 * fewest_lines || samples.largest_part() == 0) {
        return lines;
    }
    lines.across = plane.front().axis == 0 ? 1 : 0;
    sort_lines(plane, samples, lines);
    if (lines.lines.size() >= 2 * fewest_lines) {
        set_values(samples, lines);
    }
    const bool usable = !lines.values.empty() && lines.values.front().cols() >= 16;
    return usable ? lines : Lines();
}

/// A way to sort lines into two classes.
struct Classes {
    std::string name;
    std::vector<bool> second; ///< of each line
    std::vector<std::size_t> targets; ///< lines between two of the other class
};

/// Returns each way to sort lines whose two classes have enough lines, once.
std::vector<Classes> classes_of(const Lines& lines) {
    std::uint16_t most = 0;
    for (const Line& line : lines.lines) {
        most = std::max(most, line.segment);
    }
    std::vector<Classes> all{{"direction", {}, {}},
                             {"segment", {}, {}},
                             {"every other line", {}, {}},
                             {"every other position", {}, {}}};
    for (std::size_t i = 0; i < lines.lines.size(); ++i) {
        all[0].second.push_back(lines.lines[i].step < 0);
        all[1].second.push_back(most == 1 && lines.lines[i].segment == 1);
        all[2].second.push_back(lines.lines[i].number % 2 == 1);
        all[3].second.push_back(lines.at[i] % 2 == 1);
    }
    std::vector<Classes> usable;
    for (Classes& classes : all) {
        const std::vector<bool>& second = classes.second;
        std::size_t of_second = 0;
        for (const std::size_t i : lines.inner()) {
            if (second[i] != second[i - 1] && second[i] != second[i + 1]) {
                classes.targets.push_back(i);
                of_second += second[i] ? 1 : 0;
            }
        }
        const bool known = std::any_of(usable.begin(), usable.end(), [&](const Classes& other) {
            return other.targets == classes.targets;
        });
        if (std::min(of_second, classes.targets.size() - of_second) >= fewest_lines && !known) {
            usable.push_back(std::move(classes));
        }
    }
    return usable;
}

/// exp(+i 2 pi m x / points): samples m to points x.
MatrixXcd waves_of(Index samples, Index points) {
    MatrixXcd waves(samples, points);
    for (Index m = 0; m < samples; ++m) {
        for (Index x = 0; x < points; ++x) {
            waves(m, x) = std::polar(1.0, 2 * pi * static_cast<double>(m * x % points) /
                                              static_cast<double>(points));
        }
    }
    return waves;
}

/// How much better lines match those beside them mirrored than as they are: the difference of two
/// correlations of |image along the line|, which a shift along k does not change.
struct Match {
    double of_others = 0; ///< lines of the other class, next to them
    double of_own = 0; ///< lines of their own class, two away
    double t = 0; ///< t-value of of_others
};

Match mirrored_match(const Lines& lines, const Classes& classes) {
    constexpr Index longest = 128;
    constexpr Index most_coils = 16;
    const Index n = std::min(longest, lines.values.front().cols());
    const Index first = (lines.values.front().cols() - n) / 2;
    const Index coils = std::min(most_coils, lines.values.front().rows());
    const MatrixXcd waves = waves_of(n, n);
    std::map<std::size_t, Eigen::MatrixXd> known;
    const auto profile = [&](std::size_t i) -> const Eigen::MatrixXd& {
        Eigen::MatrixXd& of_line = known[i];
        if (of_line.size() == 0) {
            of_line = (lines.values[i].block(0, first, coils, n) * waves).cwiseAbs();
        }
        return of_line;
    };
    const auto mirrored_better = [&](std::size_t i, std::size_t before, std::size_t after) {
        const Eigen::MatrixXd beside = profile(before) + profile(after);
        Eigen::MatrixXd mirrored = beside;
        mirrored.rightCols(n - 1) = beside.rightCols(n - 1).rowwise().reverse();
        const double norm = std::max(beside.norm() * profile(i).norm(), 1e-300);
        return (profile(i).cwiseProduct(mirrored).sum() - profile(i).cwiseProduct(beside).sum()) /
               norm;
    };
    Match match;
    std::vector<double> better;
    for (const std::size_t i : classes.targets) {
        better.push_back(mirrored_better(i, i - 1, i + 1));
        match.of_others += better.back();
        const std::size_t last = lines.values.size() - 1;
        match.of_own += mirrored_better(i, i < 2 ? i + 2 : i - 2, i + 2 > last ? i - 2 : i + 2);
    }
    match.of_others /= static_cast<double>(better.size());
    match.of_own /= static_cast<double>(better.size());
    match.t = mean_over_error(better);
    return match;
}

/// Finds the samples along the lines' axis that are strong: the first, and how many.
std::pair<Index, Index> window_of(const Lines& lines) {
    RealVector along = RealVector::Zero(lines.values.front().cols());
    for (const MatrixXcd& values : lines.values) {
        along += values.cwiseAbs2().colwise().sum().transpose();
    }
    Index strongest = 0;
    along.maxCoeff(&strongest);
    const Index first = std::max<Index>(1, strongest - half_window);
    return {first, std::min<Index>(along.size() - 1, strongest + half_window) - first};
}

/// Samples and those before and after them, of one line: 3C x n.
MatrixXcd with_neighbours(const MatrixXcd& values, const std::pair<Index, Index>& window) {
    MatrixXcd result(3 * values.rows(), window.second);
    for (Index d = 0; d < 3; ++d) {
        result.middleRows(d * values.rows(), values.rows()) =
            values.middleCols(window.first + d - 1, window.second);
    }
    return result;
}

Eigen::LLT<MatrixXcd> solver_of(const MatrixXcd& gram) {
    constexpr double damping = 1e-3; // of its mean eigenvalue
    const double mean = gram.trace().real() / static_cast<double>(gram.rows());
    return Eigen::LLT<MatrixXcd>(gram +
                                 damping * mean * MatrixXcd::Identity(gram.rows(), gram.cols()));
}

/// Lines that the kernel of the other class predicted: p is the prediction of t.
struct Predicted {
    std::vector<bool> second; ///< class
    std::vector<double> p_squared;
    std::vector<double> t_squared;
    /// conj(p) t, where asked for at positions along the line; of the first class its conjugate.
    std::vector<ComplexVector> products;
    double by_own = 0; ///< what the kernel of the own class explains, of the sum of t_squared
};

Predicted predict_lines(const Lines& lines, const Classes& classes, bool along) {
    const auto window = window_of(lines);
    const Index channels = lines.values.front().rows();
    const auto target = [&](std::size_t i) {
        return lines.values[i].middleCols(window.first, window.second);
    };
    const auto sources = [&](std::size_t i) {
        MatrixXcd both(6 * channels, window.second);
        both << with_neighbours(lines.values[i - 1], window),
            with_neighbours(lines.values[i + 1], window);
        return both;
    };
    const auto weight = [&](std::size_t i) {
        return 1 / (lines.energy[i] + (lines.energy[i - 1] + lines.energy[i + 1]) / 2 +
                    2 * lines.floor);
    };
    std::array<MatrixXcd, 2> kernels;
    for (const bool second : {false, true}) {
        MatrixXcd gram = MatrixXcd::Zero(6 * channels, 6 * channels);
        MatrixXcd right = MatrixXcd::Zero(6 * channels, channels);
        for (const std::size_t i : classes.targets) {
            if (classes.second[i] == second) {
                const MatrixXcd s = sources(i);
                gram += weight(i) * s * s.adjoint();
                right += weight(i) * s * target(i).adjoint();
            }
        }
        kernels[second ? 1 : 0] = solver_of(gram).solve(right).adjoint();
    }
    const Index points = 2 * window.second;
    const MatrixXcd waves =
        waves_of(window.second, points) / std::sqrt(static_cast<double>(points));
    Predicted result;
    for (const std::size_t i : classes.targets) {
        const bool second = classes.second[i];
        const MatrixXcd s = sources(i);
        const MatrixXcd p = kernels[second ? 0 : 1] * s;
        const MatrixXcd own = kernels[second ? 1 : 0] * s;
        const MatrixXcd t = target(i);
        ComplexVector product =
            ComplexVector::Constant(1, weight(i) * p.conjugate().cwiseProduct(t).sum());
        if (along) {
            product = weight(i) *
                      (p * waves).conjugate().cwiseProduct(t * waves).colwise().sum().transpose();
        }
        result.products.push_back(second ? product : ComplexVector(product.conjugate()));
        result.p_squared.push_back(weight(i) * p.squaredNorm());
        result.t_squared.push_back(weight(i) * t.squaredNorm());
        result.by_own += weight(i) * (t.squaredNorm() - (t - own).squaredNorm());
        result.second.push_back(second);
    }
    return result;
}

/// How the second class differs from the first.
struct Difference {
    double phase = 0; ///< from -90 to 90 degrees
    double delay = 0; ///< samples
    double gain = 1;
    bool phase_is_sure = false;
    bool gain_is_sure = false;
};

/// Whether a correction explains the lines: it leaves less unexplained, of most lines, and explains
/// about what a kernel of their own does.
bool is_explained(const Predicted& predicted, double before, double after,
                  const std::vector<double>& gains) {
    double all = 0;
    for (const double squared : predicted.t_squared) {
        all += squared;
    }
    return before > gained * after && all - after > 0.5 * predicted.by_own &&
           mean_over_error(gains) > sure;
}

/// Phase and delay: a line that is `delay` samples late has a phase along x.
void find_phase(const Predicted& predicted, bool with_delay, Difference& difference,
                std::vector<double>& matched) {
    constexpr double largest = 2; // samples
    constexpr double step = 0.05;
    ComplexVector sum = ComplexVector::Zero(predicted.products.front().size());
    for (const ComplexVector& product : predicted.products) {
        sum += product;
    }
    const auto ramp = [&](double delay) {
        ComplexVector values(sum.size());
        for (Index x = 0; x < values.size(); ++x) {
            const double at = static_cast<double>(x) / static_cast<double>(values.size());
            values(x) = std::polar(1.0, 4 * pi * delay * (at < 0.5 ? at : at - 1));
        }
        return values;
    };
    Complex best = sum.sum();
    for (double delay = -largest; with_delay && delay < largest + step / 2; delay += step) {
        const Complex found = ramp(delay).cwiseProduct(sum).sum();
        if (std::abs(found) > std::abs(best)) {
            best = found;
            difference.delay = delay;
        }
    }
    difference.phase = per_radian * std::arg(best) / 2;
    const ComplexVector correction = std::polar(1.0, -std::arg(best)) * ramp(difference.delay);
    double before = 0;
    double after = 0;
    std::vector<double> gains;
    for (std::size_t i = 0; i < predicted.products.size(); ++i) {
        const ComplexVector& product = predicted.products[i];
        matched.push_back(product.cwiseProduct(correction).sum().real());
        const double both = predicted.p_squared[i] + predicted.t_squared[i];
        gains.push_back(2 * (matched.back() - product.sum().real()));
        after += both - 2 * matched.back();
        before += both - 2 * product.sum().real();
    }
    difference.phase_is_sure = is_explained(predicted, before, after, gains);
}

void find_gain(const Predicted& predicted, const std::vector<double>& matched,
               Difference& difference) {
    std::array<double, 2> match{0, 0};
    std::array<double, 2> squares{0, 0};
    for (std::size_t i = 0; i < matched.size(); ++i) {
        match[predicted.second[i] ? 1 : 0] += matched[i];
        squares[predicted.second[i] ? 1 : 0] += predicted.p_squared[i];
    }
    if (match[0] <= 0 || match[1] <= 0) {
        return;
    }
    const double squared_gain = std::sqrt(match[1] / squares[1] / (match[0] / squares[0]));
    difference.gain = std::sqrt(squared_gain);
    double before = 0;
    double after = 0;
    std::vector<double> gains;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const double factor = predicted.second[i] ? squared_gain : 1 / squared_gain;
        const double p = predicted.p_squared[i];
        const double as_it_is = p - 2 * matched[i];
        const double scaled = factor * factor * p - 2 * factor * matched[i];
        gains.push_back(as_it_is - scaled);
        before += predicted.t_squared[i] + as_it_is;
        after += predicted.t_squared[i] + scaled;
    }
    difference.gain_is_sure = is_explained(predicted, before, after, gains);
}

/// Lines that run the other way than the scan says: mirrored, they match the other class, and as
/// they are, their own. A symmetric object matches both as well mirrored; few coils, which see all
/// of it, have to say it more clearly, and a single one most of all.
Findings on_direction(const Lines& lines, const std::vector<Classes>& all) {
    const auto coils = static_cast<double>(lines.values.front().rows());
    const double better = std::max(0.015, (coils == 1 ? 0.12 : 0.06) / coils);
    for (const Classes& classes : all) {
        const Match match = mirrored_match(lines, classes);
        if (match.of_others > better && match.of_own < -better / 2 && match.t > sure) {
            return {{Found::lines_reversed,
                     {{"flagged", classes.name == "direction"}, {"better", match.of_others}}}};
        }
    }
    return {};
}

/// Lines of which every other one, or those of a shot, have another phase or strength.
Findings on_classes(const Lines& lines, const std::vector<Classes>& all) {
    for (const Classes& classes : all) {
        const bool direction = classes.name == "direction";
        const Predicted predicted = predict_lines(lines, classes, direction);
        Difference found;
        std::vector<double> matched;
        find_phase(predicted, direction, found, matched);
        find_gain(predicted, matched, found);
        if (direction && (found.phase_is_sure || found.gain_is_sure)) {
            return {{Found::directions_differ,
                     {{"degrees", std::round(found.phase)},
                      {"samples", std::round(100 * found.delay) / 100},
                      {"gain", found.gain}}}};
        }
        if (found.phase_is_sure || found.gain_is_sure) {
            const double phase = std::round(std::abs(found.phase));
            return {{Found::shots_differ,
                     {{"degrees", found.phase_is_sure ? phase : 0},
                      {"gain", found.gain_is_sure ? found.gain : 1},
                      {"lines", true}},
                     {{"which", classes.name == "segment" ? "lines of segments 0 and 1"
                                                          : "even and odd lines"}}}};
        }
    }
    return {};
}

/// The step, in degrees, of the largest value, where it stands out from those at 0 and on average.
template <typename Explained>
std::optional<double> strongest_step(const Explained& explained, int steps, double channels) {
    constexpr int wide = 12; // of a peak
    constexpr int finer = 40;
    const double each = 2 * pi / steps;
    int best = 0;
    double at_best = 0;
    double mean = 0;
    for (int q = -steps / 2; q < steps / 2; ++q) {
        const double found = explained(each * q);
        mean += found / steps;
        // A step of 180 degrees is two classes of lines.
        if (std::abs(q) > wide && std::abs(q) < steps / 2 - wide && found > at_best) {
            at_best = found;
            best = q;
        }
    }
    // What is explained by chance is a sum of 3 channels^2 squares: its peaks are lower for many.
    const double by_chance = (2 + 10 / channels) * mean;
    if (at_best < std::max({3 * explained(0), by_chance, 0.1 / channels})) {
        return std::nullopt;
    }
    double step = each * best;
    for (int q = -finer; q <= finer; ++q) {
        const double near = each * (best + static_cast<double>(q) / finer);
        if (explained(near) > at_best) {
            at_best = explained(near);
            step = near;
        }
    }
    return per_radian * step;
}

/// The step of a phase that grows quadratically with the number of the line, in degrees: the phase
/// between line n and the next is `step` n. Each line predicts the next.
std::optional<double> quadratic_phase(const Lines& lines) {
    const auto window = window_of(lines);
    const Index channels = lines.values.front().rows();
    std::map<std::size_t, std::size_t> by_number;
    for (std::size_t i = 0; i < lines.lines.size(); ++i) {
        by_number[lines.lines[i].number] = i;
    }
    MatrixXcd gram = MatrixXcd::Zero(3 * channels, 3 * channels);
    std::vector<std::pair<double, MatrixXcd>> pairs;
    double all = 0;
    for (const auto& [number, i] : by_number) {
        const auto next = by_number.find(number + 1);
        if (next == by_number.end() || std::abs(lines.at[next->second] - lines.at[i]) != 1) {
            continue;
        }
        const std::size_t j = next->second;
        const double weight = 1 / (lines.energy[i] + lines.energy[j] + 2 * lines.floor);
        const MatrixXcd s = with_neighbours(lines.values[i], window);
        const MatrixXcd t = lines.values[j].middleCols(window.first, window.second);
        gram += weight * s * s.adjoint();
        all += weight * t.squaredNorm();
        pairs.emplace_back(static_cast<double>(number), weight * s * t.adjoint());
    }
    if (pairs.size() < 2 * fewest_lines) {
        return std::nullopt;
    }
    const Eigen::LLT<MatrixXcd> solver = solver_of(gram);
    for (auto& [number, product] : pairs) {
        product = solver.matrixL().solve(product).eval();
    }
    const auto explained = [&](double step) {
        MatrixXcd turned = MatrixXcd::Zero(3 * channels, channels);
        for (const auto& [number, product] : pairs) {
            turned += std::polar(1.0, step * number) * product;
        }
        return turned.squaredNorm() / all;
    };
    return strongest_step(explained, static_cast<int>(4 * pairs.size()),
                          static_cast<double>(channels));
}

/// An object of which nothing is in the middle of the field of view, and that crosses its edge:
/// lines whose sign alternates shift it by half of the field.
Findings on_position(const Grid& grid, const Lines& lines) {
    constexpr long lags = 8; // a profile of an eighth of the field of view
    constexpr double none = 0.05;
    constexpr double much = 0.3;
    const bool has_gaps = lines.at.back() + 1 != static_cast<long>(lines.at.size());
    if (std::abs(lines.distance - 1) > 0.05 || has_gaps) {
        return {};
    }
    std::vector<Complex> correlation(static_cast<std::size_t>(lags), 0);
    for (std::size_t i = 0; i < lines.values.size(); ++i) {
        for (std::size_t j = i; j < lines.values.size() && lines.at[j] - lines.at[i] < lags; ++j) {
            correlation[static_cast<std::size_t>(lines.at[j] - lines.at[i])] +=
                lines.values[i].conjugate().cwiseProduct(lines.values[j]).sum();
        }
    }
    constexpr int points = 32;
    std::array<double, points> profile{};
    for (int p = 0; p < points; ++p) {
        profile[static_cast<std::size_t>(p)] = correlation[0].real();
        for (long lag = 1; lag < lags; ++lag) {
            const double taper = 1 - static_cast<double>(lag) / static_cast<double>(lags);
            const double angle = 2 * pi * static_cast<double>(lag * p) / points;
            profile[static_cast<std::size_t>(p)] +=
                2 * taper *
                (correlation[static_cast<std::size_t>(lag)] * std::polar(1.0, angle)).real();
        }
    }
    const auto [least, most] = std::minmax_element(profile.begin(), profile.end());
    const double range = *most - *least;
    const bool empty_middle = profile[0] - *least < none * range;
    const bool crosses_edge = profile[points / 2] - *least > much * range &&
                              std::abs(std::arg(-correlation[1])) < 0.2 * pi &&
                              range > correlation[0].real();
    if (!empty_middle || !crosses_edge) {
        return {};
    }
    std::string shift;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        shift += (d > 0 ? "," : "") + text(d == lines.across ? grid.fov_mm[d] / 2 : 0.0);
    }
    return {{Found::object_at_edge,
             {},
             {{"axis", std::string(1, "xyz"[lines.across])}, {"shift", shift}}}};
}

/// The values of readouts where they cross k = 0, between the two samples beside it.
std::vector<ComplexVector> at_centre(const Trajectory& trajectory, const CoilRows& samples,
                                     const FrameReadouts& readouts, double& noise) {
    constexpr double near = 0.2; // cycles per field of view
    std::vector<ComplexVector> centres;
    std::vector<double> last;
    const auto column = [&](std::size_t m) {
        return samples.visit([&](const auto& values) {
            return ComplexVector(values.col(static_cast<Index>(m)).template cast<Complex>());
        });
    };
    std::size_t first = 0;
    for (std::size_t r = 0; r < readouts.ends.size(); first = readouts.ends[r++]) {
        double nearest = near;
        std::size_t best = 0;
        double share = 0;
        for (std::size_t m = first; m + 1 < readouts.ends[r]; ++m) {
            const Vec3& k = trajectory.positions[m];
            Vec3 step = trajectory.positions[m + 1];
            double along = 0;
            double squared = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                step[d] -= k[d];
                along -= k[d] * step[d];
                squared += step[d] * step[d];
            }
            const double part = squared > 0 ? std::clamp(along / squared, 0.0, 1.0) : 0;
            const double distance =
                std::hypot(k[0] + part * step[0], k[1] + part * step[1], k[2] + part * step[2]);
            if (distance < nearest && squared < 2) {
                nearest = distance;
                best = m + 1;
                share = part;
            }
        }
        if (best > 0) {
            centres.emplace_back((1 - share) * column(best - 1) + share * column(best));
            last.push_back(column(readouts.ends[r] - 1).squaredNorm());
        }
    }
    noise = last.empty() ? 0 : std::sqrt(median(last));
    return centres;
}

/// The steps of phase and strength from each readout to the next, at k = 0.
struct Steps {
    ComplexVector phases; ///< of absolute value 1
    double angle = 0; ///< median, in degrees
    double ratio = 1; ///< median of the stronger over the weaker
    double coherence = 0; ///< 1 where all coils step alike
    double noise = 0; ///< bound of the standard deviation of a phase, times 4
};

Steps centre_steps(const std::vector<ComplexVector>& centres, double noise) {
    Steps steps;
    steps.phases.resize(static_cast<Index>(centres.size()) - 1);
    std::vector<double> angles;
    std::vector<double> ratios;
    std::vector<double> strengths;
    for (std::size_t s = 0; s + 1 < centres.size(); ++s) {
        const double a = std::max(centres[s].norm(), 1e-30);
        const double b = std::max(centres[s + 1].norm(), 1e-30);
        const Complex step = centres[s].dot(centres[s + 1]) / (a * b);
        steps.phases(static_cast<Index>(s)) = step / std::max(std::abs(step), 1e-30);
        steps.coherence += std::abs(step) / static_cast<double>(centres.size() - 1);
        angles.push_back(per_radian * std::abs(std::arg(step)));
        ratios.push_back(std::max(a / b, b / a));
        strengths.push_back(a);
    }
    steps.angle = median(angles);
    steps.ratio = median(ratios);
    steps.noise = 4 * noise / median(strengths);
    return steps;
}

/// The step of a step that grows by the same from one readout to the next, in degrees; none where
/// the steps are not so regular, or as regular without growth.
std::optional<double> growth_of(const ComplexVector& phases, double regular) {
    constexpr int resolution = 720; // half degrees
    constexpr int least = 6;
    double best = std::max(regular, std::abs(phases.mean()));
    std::optional<double> growth;
    for (int q = least; q <= resolution - least; ++q) {
        Complex sum = 0;
        for (Index s = 0; s < phases.size(); ++s) {
            sum += phases(s) * std::polar(1.0, -2 * pi * q * static_cast<double>(s) / resolution);
        }
        if (std::abs(sum) / static_cast<double>(phases.size()) > best) {
            best = std::abs(sum) / static_cast<double>(phases.size());
            growth = (q <= resolution / 2 ? q : q - resolution) * 360.0 / resolution;
        }
    }
    return growth;
}

/// Readouts that measure k = 0 measure the same there, but for noise.
Findings on_centres(const std::vector<ComplexVector>& centres, double noise) {
    constexpr double differ = 20; // degrees
    constexpr double differ_in_strength = 1.15;
    constexpr double regular = 0.8; // share of the steps
    constexpr double same_coils = 0.9;
    if (centres.size() < fewest_lines) {
        return {};
    }
    const Steps steps = centre_steps(centres, noise);
    if (steps.coherence < same_coils) {
        return {};
    }
    if (steps.angle > std::max(differ, per_radian * steps.noise)) {
        const Complex mean = steps.phases.mean();
        const double step = per_radian * std::arg(mean);
        const std::optional<double> growth = growth_of(steps.phases, regular);
        if (growth && std::abs(*growth) < 175) { // 180: two classes
            return {{Found::readout_quadratic, {{"degrees", *growth}, {"half", *growth / 2}}}};
        }
        if (std::abs(mean) > regular && std::abs(step) > differ / 2) {
            return {{Found::readout_steps, {{"degrees", std::round(step)}}}};
        }
        return {{Found::shots_differ,
                 {{"degrees", std::round(steps.angle)}, {"gain", 1}},
                 {{"which", "neighbouring readouts"}}}};
    }
    if (steps.ratio > std::max(differ_in_strength, std::exp(steps.noise))) {
        return {{Found::shots_differ,
                 {{"degrees", 0}, {"gain", 1 / steps.ratio}},
                 {{"which", "neighbouring readouts"}}}};
    }
    return {};
}

} // namespace

FrameReadouts readouts_of(const Trajectory& trajectory) {
    const std::vector<Vec3>& k = trajectory.positions;
    const auto breaks = [&](std::size_t m) { // between m - 1 and m
        double bend = 0;
        double before = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            bend += std::pow(k[m][d] - 2 * k[m - 1][d] + k[m - 2][d], 2);
            before += std::pow(k[m - 1][d] - k[m - 2][d], 2);
        }
        return bend > 0.5 * before + 1e-12;
    };
    std::size_t length = 0;
    for (std::size_t m = 2; m < k.size() && length == 0; ++m) {
        length = breaks(m) ? m : 0;
    }
    FrameReadouts readouts;
    if (length < 8 || k.size() % length != 0) {
        return readouts;
    }
    for (std::size_t m = length; m <= k.size(); m += length) {
        if (m < k.size() && !breaks(m)) {
            return {};
        }
        readouts.ends.push_back(m);
    }
    return readouts;
}

Findings findings_on_readouts(const Grid& grid, const Trajectory& trajectory,
                              const CoilRows& samples, const FrameReadouts& readouts) {
    if (readouts.ends.size() < fewest_lines || samples.empty()) {
        return {};
    }
    Lines lines = lines_of(trajectory, samples, readouts);
    if (lines.values.empty()) {
        double noise = 0;
        const auto centres = at_centre(trajectory, samples, readouts, noise);
        return on_centres(centres, noise);
    }
    const std::vector<Classes> classes = classes_of(lines);
    Findings findings = on_direction(lines, classes);
    if (!findings.empty()) { // others follow from it
        return findings;
    }
    combine_coils(lines);
    if (const std::optional<double> step = quadratic_phase(lines)) {
        return {
            {Found::readout_quadratic,
             {{"degrees", std::round(10 * *step) / 10}, {"half", std::round(10 * *step) / 20}}}};
    }
    findings = on_classes(lines, classes);
    return findings.empty() ? on_position(grid, lines) : findings;
}

} // namespace lsrecon
