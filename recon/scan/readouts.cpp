// Finds what is wrong with the lines of a frame.

#include "scan/readouts.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/numbers.hpp"
#include "scan/cartesian_lines.hpp"

// Prediction of lines: Griswold et al. 2002, GRAPPA. Line t of class b is predicted by the kernel
// K of class a from its two neighbours s. Where class b has the factor g against class a,
//     K_a s = t / g^2 for t of class b,  K_b s = t g^2 for t of class a.

namespace lsrecon {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;

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
        if (std::min(of_second, classes.targets.size() - of_second) >= FrameReadouts::fewest &&
            !known) {
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
                      {"gain", found.gain_is_sure ? found.gain : 1}}}};
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
    if (pairs.size() < 2 * FrameReadouts::fewest) {
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
    if (readouts.ends.size() < FrameReadouts::fewest || samples.empty()) {
        return {};
    }
    Lines lines = lines_of(trajectory, samples, readouts);
    if (lines.values.empty()) {
        return findings_at_centre(trajectory, samples, readouts);
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
