// Finds the phases of lines by how well lines predict each other, with their covariance.

#include "scan/line_phases.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "scan/cartesian_lines.hpp"

// Line t between lines l and r: J(p) = min_K sum_i w_i ||c_i t_i - K [c_l l; c_r r]||^2, where c(p)
// takes phases out of lines, and values are those at k + shift. K is one kernel over coils and
// samples beside each other (Griswold et al. 2002, GRAPPA). Products of the values of a line's
// triple are summed once for a shift; phases change factors of their blocks alone.
// w_i = 1 / (noise + share of the lines' energies): of some shares, the one of the least variance.
// Covariance: H^-1 (sum_i g_i g_i^H) H^-1 of the gradients g_i of each line at fixed K.

namespace lsrecon {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

constexpr std::size_t most_shots = 8;
constexpr double by_field = 0.25; ///< root mean square of x / field of view in the object

/// How much of a frame is looked at.
struct LineExtent {
    std::size_t lines;
    Index half_window; ///< samples to each side of the strongest
    Index channels; ///< strongest combinations of coils
};

/// The energy below which a tenth of the lines have theirs: noise.
double of_weakest(std::vector<double> energies) {
    std::sort(energies.begin(), energies.end());
    return energies[energies.size() / 10];
}

/// The products of a line with those beside it.
struct Triple {
    std::array<std::size_t, 3> lines; ///< left, itself, right
    double energy = 0; ///< of the samples of all lines of the triple
    double own = 0; ///< ||t||^2
    MatrixXcd sources; ///< S S^H
    MatrixXcd target; ///< S t^H
};

class LineModel {
public:
    LineModel(const Trajectory& trajectory, const CoilRows& samples, const LineClasses& classes,
              const std::vector<Line>& lines, const LineExtent& extent);

    bool is_folded() const { return std::abs(lines_.distance - 1) > 0.05; }
    bool usable() const { return !inner_.empty(); }
    /// Parameters that the lines determine, by their indices.
    const std::vector<std::size_t>& free() const { return free_; }
    RealVector none() const { return RealVector::Zero(static_cast<Index>(1 + classes_.count)); }

    void weigh(double share) { share_ = share; }
    double all(const RealVector& p);
    double left(const RealVector& p) { return fit(p, nullptr); }
    RealVector searched();
    RealVector refined(RealVector p);
    MatrixXd covariance(const RealVector& p);
    std::vector<RealVector> as_good(const RealVector& p) const;
    RealVector within_field(const std::vector<RealVector>& as_good);

private:
    struct Curve {
        RealVector slope;
        MatrixXd curvature;
    };
    std::vector<MatrixXcd> on_grid(double shift) const;
    const std::vector<Triple>& triples(double shift);
    RealVector profile(const RealVector& p);
    MatrixXcd resampling(bool backward, double shift) const;
    double angle(std::size_t line, const RealVector& p) const;
    double weight(const Triple& triple) const { return 1 / (noise_ + share_ * triple.energy); }
    ComplexVector source_factors(const Triple& triple, const RealVector& p) const;
    double fit(const RealVector& p, MatrixXcd* kernel);
    RealVector left_of_lines(const RealVector& p, const MatrixXcd& kernel);
    Curve curve(const RealVector& p);
    RealVector moved(const RealVector& p, std::size_t which, double by) const;
    bool take(const Line& line, const std::vector<Vec3>& positions, const CoilRows& samples);
    void set_grid(Index half_window);
    bool find_free();
    std::optional<RealVector> as_phases(double step) const;
    void search_shots(RealVector& p, double& least);

    const LineClasses& classes_;
    Lines lines_; ///< with all samples of each
    std::array<std::vector<double>, 2> k_; ///< of lines that run forwards, and backwards
    std::vector<double> grid_;
    double step_ = 0; ///< of the grid
    std::vector<std::size_t> inner_;
    std::vector<std::size_t> free_;
    double noise_ = 0;
    double share_ = 1;
    std::map<double, std::vector<Triple>> known_;
};

LineModel::LineModel(const Trajectory& trajectory, const CoilRows& samples,
                     const LineClasses& classes, const std::vector<Line>& lines,
                     const LineExtent& extent)
    : classes_(classes), lines_(plane_of(lines, samples, extent.lines)) {
    for (const Line& line : lines_.lines) {
        if (!take(line, trajectory.positions, samples)) {
            return;
        }
    }
    if (lines_.values.size() < 2 * FrameReadouts::fewest) {
        return;
    }
    combine_coils(lines_, extent.channels);
    set_grid(extent.half_window);
    lines_.energy.clear();
    for (const MatrixXcd& values : lines_.values) {
        lines_.energy.push_back(values.squaredNorm());
    }
    noise_ = std::max(of_weakest(lines_.energy),
                      1e-6 * *std::max_element(lines_.energy.begin(), lines_.energy.end()));
    if (grid_.size() >= 12 && find_free()) {
        inner_ = lines_.inner();
    }
}

/// Takes a line's values; not where other lines of its direction have samples elsewhere.
bool LineModel::take(const Line& line, const std::vector<Vec3>& positions,
                     const CoilRows& samples) {
    constexpr double same = 0.01; // cycles per field of view
    std::vector<double> k;
    for (std::size_t m = line.first; m < line.first + line.count; ++m) {
        k.push_back(positions[m][classes_.axis]);
    }
    MatrixXcd values = samples.visit([&](const auto& all) {
        return MatrixXcd(
            all.middleCols(static_cast<Index>(line.first), static_cast<Index>(line.count))
                .template cast<Complex>());
    });
    if (line.step < 0) {
        std::reverse(k.begin(), k.end());
        values = values.rowwise().reverse().eval();
    }
    std::vector<double>& known = k_[line.step < 0 ? 1 : 0];
    known = known.empty() ? k : known;
    lines_.values.push_back(std::move(values));
    return std::equal(k.begin(), k.end(), known.begin(), known.end(),
                      [](double a, double b) { return std::abs(a - b) < same; });
}

/// The grid lies around the strongest samples, within all lines.
void LineModel::set_grid(Index half_window) {
    std::map<double, double> along;
    double begin = -HUGE_VAL;
    double end = HUGE_VAL;
    for (const std::vector<double>& k : k_) {
        for (std::size_t i = 1; i < k.size(); ++i) {
            step_ = std::max(step_, k[i] - k[i - 1]);
        }
    }
    for (std::size_t i = 0; i < lines_.values.size(); ++i) {
        const std::vector<double>& k = k_[lines_.lines[i].step < 0 ? 1 : 0];
        begin = std::max(begin, k.front() + step_);
        end = std::min(end, k.back() - step_);
        for (std::size_t m = 0; m < k.size(); ++m) {
            along[k[m]] += lines_.values[i].col(static_cast<Index>(m)).squaredNorm();
        }
    }
    const double centre =
        std::max_element(along.begin(), along.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    for (Index i = -half_window; i <= half_window; ++i) {
        const double k = centre + static_cast<double>(i) * step_;
        if (k >= begin && k <= end) {
            grid_.push_back(k);
        }
    }
}

/// A class is compared with another where enough of its lines have a neighbour of the other.
bool LineModel::find_free() {
    std::array<std::size_t, 2> ways{0, 0};
    std::vector<std::size_t> shots(classes_.count, 0);
    for (const std::size_t i : lines_.inner()) {
        const auto readout = [&](std::size_t line) { return lines_.lines[line].readout; };
        const auto differs = [&](const auto& of) {
            return of[readout(i)] != of[readout(i - 1)] || of[readout(i)] != of[readout(i + 1)];
        };
        ways[classes_.backward[readout(i)] ? 1 : 0] += differs(classes_.backward) ? 1 : 0;
        shots[classes_.shots[readout(i)]] += differs(classes_.shots) ? 1 : 0;
    }
    const std::size_t least = FrameReadouts::fewest / 2;
    if (std::min(ways[0], ways[1]) >= least) {
        free_ = {0, 1};
    }
    if (classes_.count > 1 && *std::min_element(shots.begin(), shots.end()) >= least) {
        for (std::size_t shot = 1; shot < classes_.count; ++shot) {
            free_.push_back(1 + shot);
        }
    }
    return !free_.empty();
}

/// From samples of a line to values on the grid: sinc interpolation of what was sampled at k +
/// shift, each sample with the distance to the next as its weight.
MatrixXcd LineModel::resampling(bool backward, double shift) const {
    const std::vector<double>& k = k_[backward ? 1 : 0];
    const double own = classes_.share_of_shift(backward) * shift;
    MatrixXcd values(static_cast<Index>(k.size()), static_cast<Index>(grid_.size()));
    for (std::size_t m = 0; m < k.size(); ++m) {
        const double apart =
            (k[std::min(m + 1, k.size() - 1)] - k[m == 0 ? 0 : m - 1]) /
            static_cast<double>(std::min(m + 1, k.size() - 1) - (m == 0 ? 0 : m - 1));
        for (std::size_t j = 0; j < grid_.size(); ++j) {
            const double t = pi * (grid_[j] - k[m] - own * apart) / step_;
            values(static_cast<Index>(m), static_cast<Index>(j)) =
                apart / step_ * (std::abs(t) < 1e-9 ? 1 : std::sin(t) / t);
        }
    }
    return values;
}

std::vector<MatrixXcd> LineModel::on_grid(double shift) const {
    const std::array<MatrixXcd, 2> resamplings{
        k_[0].empty() ? MatrixXcd() : resampling(false, shift),
        k_[1].empty() ? MatrixXcd() : resampling(true, shift)};
    std::vector<MatrixXcd> values;
    for (std::size_t i = 0; i < lines_.values.size(); ++i) {
        values.push_back(lines_.values[i] * resamplings[lines_.lines[i].step < 0 ? 1 : 0]);
    }
    return values;
}

const std::vector<Triple>& LineModel::triples(double shift) {
    std::vector<Triple>& found = known_[shift];
    if (!found.empty()) {
        return found;
    }
    const std::vector<MatrixXcd> values = on_grid(shift);
    const Index channels = values.front().rows();
    const Index width = static_cast<Index>(grid_.size()) - 2;
    MatrixXcd sources(6 * channels, width);
    for (const std::size_t i : inner_) {
        for (Index d = 0; d < 3; ++d) {
            sources.middleRows(d * channels, channels) = values[i - 1].middleCols(d, width);
            sources.middleRows((3 + d) * channels, channels) = values[i + 1].middleCols(d, width);
        }
        const MatrixXcd target = values[i].middleCols(1, width);
        const std::vector<double>& energy = lines_.energy;
        MatrixXcd products = MatrixXcd::Zero(6 * channels, 6 * channels);
        products.selfadjointView<Eigen::Lower>().rankUpdate(sources);
        found.push_back({{i - 1, i, i + 1},
                         energy[i] + (energy[i - 1] + energy[i + 1]) / 2,
                         target.squaredNorm(),
                         products.selfadjointView<Eigen::Lower>(),
                         sources * target.adjoint()});
    }
    return found;
}

double LineModel::angle(std::size_t line, const RealVector& p) const {
    return classes_.phase_of(p, lines_.lines[line].readout);
}

/// The factors of the sources against that of the target.
ComplexVector LineModel::source_factors(const Triple& triple, const RealVector& p) const {
    const Index half = triple.sources.rows() / 2;
    ComplexVector factors(2 * half);
    const double own = angle(triple.lines[1], p);
    factors.head(half).setConstant(std::polar(1.0, own - angle(triple.lines[0], p)));
    factors.tail(half).setConstant(std::polar(1.0, own - angle(triple.lines[2], p)));
    return factors;
}

/// What is left by a kernel of zeros.
double LineModel::all(const RealVector& p) {
    double sum = 0;
    for (const Triple& triple : triples(p(1))) {
        sum += weight(triple) * triple.own;
    }
    return sum;
}

double LineModel::fit(const RealVector& p, MatrixXcd* kernel) {
    constexpr double damping = 1e-3; // of the mean eigenvalue
    const std::vector<Triple>& of = triples(p(1));
    const Index size = of.front().sources.rows();
    const Index channels = size / 6;
    // Triples of the same factors are summed before these are applied.
    std::map<std::pair<double, double>, std::pair<MatrixXcd, MatrixXcd>> sums;
    double own = 0;
    for (const Triple& triple : of) {
        const double middle = angle(triple.lines[1], p);
        auto& [sources, target] =
            sums[{middle - angle(triple.lines[0], p), middle - angle(triple.lines[2], p)}];
        if (sources.size() == 0) {
            sources = MatrixXcd::Zero(size, size);
            target = MatrixXcd::Zero(size, channels);
        }
        const double w = weight(triple);
        sources += w * triple.sources;
        target += w * triple.target;
        own += w * triple.own;
    }
    MatrixXcd gram = MatrixXcd::Zero(size, size);
    MatrixXcd right = MatrixXcd::Zero(size, channels);
    for (const auto& [angles, products] : sums) {
        ComplexVector factors(size);
        factors.head(size / 2).setConstant(std::polar(1.0, angles.first));
        factors.tail(size / 2).setConstant(std::polar(1.0, angles.second));
        gram += factors.asDiagonal() * products.first * factors.conjugate().asDiagonal();
        right += factors.asDiagonal() * products.second;
    }
    gram.diagonal().array() += damping * gram.trace().real() / static_cast<double>(size);
    const Eigen::LLT<MatrixXcd> solver(gram);
    if (kernel != nullptr) {
        *kernel = solver.solve(right);
    }
    return own - solver.matrixL().solve(right).squaredNorm();
}

/// What a kernel leaves of each line, weighted.
RealVector LineModel::left_of_lines(const RealVector& p, const MatrixXcd& kernel) {
    const std::vector<Triple>& of = triples(p(1));
    RealVector left(static_cast<Index>(of.size()));
    for (std::size_t i = 0; i < of.size(); ++i) {
        const Triple& triple = of[i];
        const MatrixXcd k = source_factors(triple, p).conjugate().asDiagonal() * kernel;
        left(static_cast<Index>(i)) =
            weight(triple) *
            (triple.own - 2 * k.cwiseProduct(triple.target.conjugate()).sum().real() +
             k.conjugate().cwiseProduct(triple.sources * k).sum().real());
    }
    return left;
}

constexpr double apart_by = 0.01; ///< rad or samples, of differences in place of derivatives

RealVector LineModel::moved(const RealVector& p, std::size_t which, double by) const {
    RealVector result = p;
    result(static_cast<Index>(free_[which])) += by;
    return result;
}

LineModel::Curve LineModel::curve(const RealVector& p) {
    const auto n = static_cast<Index>(free_.size());
    Curve result{RealVector(n), MatrixXd(n, n)};
    const double here = left(p);
    RealVector up(n);
    for (Index a = 0; a < n; ++a) {
        const auto which = static_cast<std::size_t>(a);
        up(a) = left(moved(p, which, apart_by));
        const double down = left(moved(p, which, -apart_by));
        result.slope(a) = (up(a) - down) / (2 * apart_by);
        result.curvature(a, a) = (up(a) + down - 2 * here) / (apart_by * apart_by);
    }
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < a; ++b) {
            const double both = left(moved(moved(p, static_cast<std::size_t>(a), apart_by),
                                           static_cast<std::size_t>(b), apart_by));
            result.curvature(a, b) = result.curvature(b, a) =
                (both - up(a) - up(b) + here) / (apart_by * apart_by);
        }
    }
    return result;
}

/// Newton's steps, downhill and no longer than a sixth of a turn.
RealVector LineModel::refined(RealVector p) {
    constexpr int most = 8;
    constexpr double longest = 0.5;
    constexpr double enough = 3e-4;
    double here = left(p);
    for (int i = 0; i < most; ++i) {
        const Curve at = curve(p);
        const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(at.curvature);
        RealVector values = solver.eigenvalues().cwiseAbs();
        values = values.cwiseMax(1e-3 * values.maxCoeff());
        RealVector step = -solver.eigenvectors() *
                          (solver.eigenvectors().transpose() * at.slope).cwiseQuotient(values);
        step *= std::min(1.0, longest / std::max(step.cwiseAbs().maxCoeff(), 1e-30));
        const auto next = [&] {
            RealVector result = p;
            for (std::size_t a = 0; a < free_.size(); ++a) {
                result(static_cast<Index>(free_[a])) += step(static_cast<Index>(a));
            }
            return result;
        };
        double there = left(next());
        while (there > here && step.cwiseAbs().maxCoeff() > enough) {
            step /= 4;
            there = left(next());
        }
        if (there > here) {
            break;
        }
        p = next();
        here = there;
        known_.erase(known_.begin(), known_.find(p(1)));
        known_.erase(std::next(known_.find(p(1))), known_.end());
        if (step.cwiseAbs().maxCoeff() < enough) {
            break;
        }
    }
    return p;
}

MatrixXd LineModel::covariance(const RealVector& p) {
    const auto n = static_cast<Index>(free_.size());
    MatrixXcd kernel;
    fit(p, &kernel);
    MatrixXd slopes(n, static_cast<Index>(inner_.size()));
    RealVector leverage = RealVector::Zero(static_cast<Index>(inner_.size()));
    const RealVector here = left_of_lines(p, kernel);
    for (Index a = 0; a < n; ++a) {
        const auto which = static_cast<std::size_t>(a);
        const RealVector up = left_of_lines(moved(p, which, apart_by), kernel);
        const RealVector down = left_of_lines(moved(p, which, -apart_by), kernel);
        slopes.row(a) = (up - down) / (2 * apart_by);
        const RealVector own = (up + down - 2 * here).cwiseAbs();
        leverage = leverage.cwiseMax(own / std::max(own.sum(), 1e-300));
    }
    // A line that decides most of a phase hides its own error.
    slopes *= (1 - leverage.cwiseMin(0.9).array()).inverse().matrix().asDiagonal();
    const MatrixXd inverse = Eigen::FullPivLU<MatrixXd>(curve(p).curvature).inverse();
    const auto lines = static_cast<double>(inner_.size());
    const MatrixXd of_free = inverse * (slopes * slopes.transpose()) * inverse * lines /
                             std::max(1.0, lines - static_cast<double>(n));
    MatrixXd covariance = MatrixXd::Zero(p.size(), p.size());
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < n; ++b) {
            covariance(static_cast<Index>(free_[static_cast<std::size_t>(a)]),
                       static_cast<Index>(free_[static_cast<std::size_t>(b)])) = of_free(a, b);
        }
    }
    return covariance;
}

/// The phases of shots one after the other, each on a circle.
void LineModel::search_shots(RealVector& p, double& least) {
    constexpr int steps = 8;
    for (const std::size_t which : free_) {
        for (int i = 1; which > 1 && i < steps; ++i) {
            RealVector other = p;
            other(static_cast<Index>(which)) = 2 * pi * i / steps;
            const double found = left(other);
            if (found < least) {
                least = found;
                p = other;
            }
        }
    }
}

/// The least of a coarse grid. A phase of pi moves the image of one shot by half of the field.
RealVector LineModel::searched() {
    constexpr double largest = 5; // samples
    constexpr double apart = 0.5;
    constexpr int steps = 6;
    const bool both_ways = free_.front() == 0;
    RealVector best = none();
    double least = HUGE_VAL;
    for (double shift = both_ways ? -largest : 0; shift <= (both_ways ? largest : 0);
         shift += apart) {
        for (int i = 0; i < (both_ways ? steps : 1); ++i) {
            RealVector p = none();
            p(0) = both_ways ? pi * (static_cast<double>(i) / steps - 0.5) : 0;
            p(1) = shift;
            double found = left(p);
            search_shots(p, found);
            if (found < least) {
                least = found;
                best = p;
            }
        }
        known_.erase(shift);
    }
    return best;
}

/// Phases that grow by a step from each position of a line to the next; none where lines of one
/// class would have several.
std::optional<RealVector> LineModel::as_phases(double step) const {
    const auto of_class = [&](bool backward, std::size_t shot) -> std::optional<double> {
        for (std::size_t i = 0; i < lines_.lines.size(); ++i) {
            const std::size_t readout = lines_.lines[i].readout;
            if (classes_.backward[readout] == backward && classes_.shots[readout] == shot) {
                return step * static_cast<double>(lines_.at[i]);
            }
        }
        return std::nullopt;
    };
    RealVector phases = none();
    const std::optional<double> first = of_class(false, 0);
    for (const std::size_t which : free_) {
        const auto found = which == 0 ? of_class(true, 0) : of_class(false, which - 1);
        if (which != 1 && (!found || !first)) {
            return std::nullopt;
        }
        phases(static_cast<Index>(which)) = which == 1 ? 0 : *found - *first;
    }
    for (std::size_t i = 0; i < lines_.lines.size(); ++i) {
        const double phase = step * static_cast<double>(lines_.at[i]) - *first;
        if (std::abs(std::remainder(phase - angle(i, phases), 2 * pi)) > 1e-6) {
            return std::nullopt;
        }
    }
    return phases;
}

/// Energy of the image across lines, from -1/2 to 1/2 of their field of view.
RealVector LineModel::profile(const RealVector& p) {
    constexpr long lags = 16;
    constexpr Index points = 64;
    const std::vector<MatrixXcd> values = on_grid(p(1));
    ComplexVector correlation = ComplexVector::Zero(lags);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size() && lines_.at[j] - lines_.at[i] < lags; ++j) {
            correlation(lines_.at[j] - lines_.at[i]) +=
                std::polar(1.0, angle(i, p) - angle(j, p)) *
                values[i].conjugate().cwiseProduct(values[j]).sum();
        }
    }
    std::vector<double> energies; // the weakest lines are noise
    for (const MatrixXcd& line : values) {
        energies.push_back(line.squaredNorm());
    }
    correlation(0) -= of_weakest(energies) * static_cast<double>(energies.size());
    RealVector energy(points);
    for (Index y = 0; y < points; ++y) {
        const double at = static_cast<double>(y) / static_cast<double>(points) - 0.5;
        energy(y) = correlation(0).real();
        for (long lag = 1; lag < lags; ++lag) {
            const double taper = 1 - static_cast<double>(lag) / static_cast<double>(lags);
            energy(y) +=
                2 * taper *
                (correlation(lag) * std::polar(1.0, 2 * pi * at * static_cast<double>(lag))).real();
        }
    }
    return energy;
}

/// All phases that leave as much, the least first: those that grow from line to line move the
/// image.
std::vector<RealVector> LineModel::as_good(const RealVector& p) const {
    std::vector<RealVector> all;
    const auto count = static_cast<int>(2 * classes_.count);
    for (int m = 0; m < count; ++m) {
        if (const std::optional<RealVector> phases = as_phases(2 * pi * m / count)) {
            all.emplace_back(p + *phases);
            for (Index i = 0; i < p.size(); ++i) {
                all.back()(i) = i == 1 ? p(1) : std::remainder(all.back()(i), 2 * pi);
            }
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const RealVector& a, const RealVector& b) {
        return a.squaredNorm() < b.squaredNorm() - 1e-9;
    });
    return all;
}

/// The least phases; where they put the object across the edge of the field of view, the least of
/// others that do not. An image of folded lines does not show it.
RealVector LineModel::within_field(const std::vector<RealVector>& as_good) {
    constexpr double empty = 0.25; // of the mean
    const auto at_edge = [&](const RealVector& p) {
        const RealVector energy = profile(p);
        return energy(0) / energy.mean();
    };
    const double first = is_folded() ? 0 : at_edge(as_good.front());
    const auto best = std::find_if(as_good.begin(), as_good.end(), [&](const RealVector& p) {
        return first > empty && at_edge(p) < std::min(empty, first / 3);
    });
    return best == as_good.end() ? as_good.front() : *best;
}

} // namespace

std::optional<LinePhases> line_phases(const Trajectory& trajectory, const CoilRows& samples,
                                      const FrameReadouts& readouts, const LineClasses& classes) {
    if (samples.rows() < 2 && classes.count > 1) { // which one coil cannot tell apart
        return std::nullopt;
    }
    const std::vector<Line> lines =
        readouts_as_lines(trajectory.positions, readouts, classes.evenly);
    LineModel coarse(trajectory, samples, classes, lines,
                     {std::min<std::size_t>(64, 16 + 16 * classes.count), 12, 4});
    LineModel model(trajectory, samples, classes, lines, {64, 16, 4});
    if (!coarse.usable() || !model.usable() || coarse.free() != model.free()) {
        return std::nullopt;
    }
    const RealVector start = model.refined(coarse.refined(coarse.searched()));
    std::optional<LinePhases> best;
    double least = HUGE_VAL;
    double first = 0;
    for (const double share : {1.0, 0.03, 0.001}) {
        // Kernels predict folded lines badly, and the strongest ones worst.
        if (best && model.is_folded()) {
            break;
        }
        model.weigh(share);
        LinePhases found;
        found.values = best ? model.refined(start) : start;
        found.covariance = model.covariance(found.values);
        found.left = model.left(found.values) / model.all(found.values);
        found.left_before = model.left(model.none()) / model.all(model.none());
        const double deviation = ghost_deviation(found);
        first = best ? first : deviation;
        LinePhases moved;
        moved.values = found.values - start;
        const bool agrees = ghost_of(moved) < 4 * (first + deviation);
        if (agrees && deviation < least) {
            best = found;
            least = deviation;
        }
    }
    if (best) {
        const std::vector<RealVector> as_good = model.as_good(best->values);
        best->values = as_good.front();
        best->values = is_ghost(*best) ? model.within_field(as_good) : best->values;
    }
    return best;
}

bool is_known(const LinePhases& phases) {
    constexpr double unknown = 0.05; // standard deviation
    return ghost_deviation(phases) < unknown;
}

bool is_ghost(const LinePhases& phases) {
    constexpr double visible = 0.01; // of the object
    constexpr double of_left = 0.1; // healthy lines: up to 0.07 of what kernels leave
    constexpr double sure = 5; // standard deviations
    return is_known(phases) &&
           ghost_of(phases) >
               std::max({visible, 3 * ghost_deviation(phases), of_left * phases.left}) &&
           significance(phases) > sure && phases.left < phases.left_before;
}

double ghost_of(const LinePhases& phases) {
    const RealVector& p = phases.values;
    double sum = (p(0) * p(0) + std::pow(2 * pi * by_field * p(1), 2)) / 4;
    const Index shots = p.size() - 1;
    const double mean = p.tail(shots - 1).sum() / static_cast<double>(shots);
    for (Index shot = 0; shot < shots; ++shot) {
        sum += std::pow((shot > 0 ? p(1 + shot) : 0) - mean, 2) / static_cast<double>(shots);
    }
    return std::sqrt(sum);
}

double ghost_deviation(const LinePhases& phases) {
    const RealVector variances = phases.covariance.diagonal();
    const Index shots = variances.size() - 1;
    return std::sqrt((variances(0) + std::pow(2 * pi * by_field, 2) * variances(1)) / 4 +
                     variances.tail(shots - 1).sum() / static_cast<double>(shots));
}

double significance(const LinePhases& phases) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(phases.covariance);
    double sum = 0;
    for (Index i = 0; i < phases.values.size(); ++i) {
        const double along = solver.eigenvectors().col(i).dot(phases.values);
        const double variance = solver.eigenvalues()(i);
        sum += variance > 1e-12 * solver.eigenvalues().maxCoeff() ? along * along / variance : 0;
    }
    return std::sqrt(sum);
}

bool is_about_line_phases(const Finding& finding) {
    const bool is_of_lines =
        finding.code == Found::shots_differ || finding.code == Found::directions_differ;
    const bool has_gain = finding.number("gain") != 1; // which stays
    return (is_of_lines && !has_gain) || finding.code == Found::epi_ghost;
}

namespace {

/// Numbers the shots of lines: by their segments, or where these do not differ by the order in
/// each plane, since a shot goes one way across k-space.
std::vector<std::size_t> shots_of(const std::vector<Line>& lines) {
    struct Course {
        double last;
        double step = 0;
        std::size_t shot = 0;
    };
    std::map<std::uint16_t, std::size_t> segments;
    for (const Line& line : lines) {
        segments.emplace(line.segment, segments.size());
    }
    const std::size_t axis = lines.front().axis;
    std::map<long, Course> planes;
    std::vector<std::size_t> shots;
    for (const Line& line : lines) {
        const double at = line.start[axis == 0 ? 1 : 0];
        Course& course =
            planes.emplace(std::lround(line.start[axis == 2 ? 1 : 2]), Course{at}).first->second;
        const double step = at - course.last;
        course.step = course.step == 0 ? step : course.step;
        course.shot += step * course.step < 0 ? 1 : 0;
        course.last = at;
        shots.push_back(segments.size() > 1 ? segments.at(line.segment) : course.shot);
    }
    return shots;
}

} // namespace

double LineClasses::phase_of(const RealVector& values, std::size_t readout) const {
    const auto of_shot = static_cast<Index>(1 + shots[readout]);
    return (backward[readout] ? values(0) : 0) +
           (of_shot > 1 && of_shot < values.size() ? values(of_shot) : 0);
}

double LineClasses::share_of_shift(bool is_backward) const {
    return evenly ? (is_backward ? 1 : 0) : (is_backward ? 0.5 : -0.5);
}

std::optional<LineClasses> line_classes(const std::vector<Vec3>& positions,
                                        const FrameReadouts& readouts) {
    LineClasses classes;
    std::vector<Line> lines = readouts_as_lines(positions, readouts, true);
    if (lines.empty()) {
        lines = readouts_as_lines(positions, readouts, false);
        classes.evenly = false;
    }
    if (lines.empty()) {
        return std::nullopt;
    }
    classes.axis = lines.front().axis;
    classes.shots = shots_of(lines);
    for (const Line& line : lines) {
        classes.backward.push_back(line.step < 0);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        classes.both_ways = classes.both_ways || (classes.shots[i] == classes.shots.front() &&
                                                  classes.backward[i] != classes.backward.front());
    }
    classes.count = 1 + *std::max_element(classes.shots.begin(), classes.shots.end());
    if (classes.count > most_shots) {
        classes.shots.assign(lines.size(), 0);
        classes.count = 1;
    }
    return classes;
}

std::vector<Vec3> shifted_lines(const std::vector<Vec3>& positions, const FrameReadouts& readouts,
                                const LineClasses& classes, double shift) {
    std::vector<Vec3> result = positions;
    std::size_t first = 0;
    for (std::size_t r = 0; r < readouts.ends.size(); first = readouts.ends[r++]) {
        const double own = classes.share_of_shift(classes.backward[r]) * shift;
        const std::size_t last = readouts.ends[r] - 1;
        for (std::size_t m = first; own != 0 && m <= last; ++m) {
            const std::size_t before = m == first ? m : m - 1;
            const std::size_t after = m == last ? m : m + 1;
            const double apart =
                (positions[after][classes.axis] - positions[before][classes.axis]) /
                static_cast<double>(after - before);
            result[m][classes.axis] += own * std::abs(apart);
        }
    }
    return result;
}

void remove_phases(const LinePhases& phases, const FrameReadouts& readouts,
                   const LineClasses& classes, CoilRows& samples) {
    samples.visit([&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::Scalar;
        std::size_t first = 0;
        for (std::size_t r = 0; r < readouts.ends.size(); first = readouts.ends[r++]) {
            const double phase = classes.phase_of(phases.values, r);
            if (phase != 0) {
                values.middleCols(static_cast<Index>(first),
                                  static_cast<Index>(readouts.ends[r] - first)) *=
                    Value(std::polar(1.0, -phase));
            }
        }
    });
}

} // namespace lsrecon
