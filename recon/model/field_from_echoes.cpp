// Phases of pairs of echoes, their unwrapping, and the smooth map that fits them.

#include "model/field_from_echoes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <random>

#include "base/parallel.hpp"
#include "scan/scan.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

namespace {

double wrapped(double phase) {
    return std::remainder(phase, 2 * pi);
}

/// The value below which a share of the values lie; they change their order.
double value_at(std::vector<double>& values, double share) {
    const auto at =
        values.begin() + static_cast<long>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// Echoes m and n, whose phases differ by -2 pi f (t_n - t_m).
struct EchoPair {
    double spacing; ///< t_n - t_m in s, above 0
    /// p = sum_c conj(x_mc) x_nc times 2 |p| / (sum |x_m|^2 + sum |x_n|^2): noise of variance v a
    /// part gives its phase the variance 2 v / |this|, of many coils with little signal, too.
    std::vector<std::complex<float>> product;

    double phase(std::size_t voxel) const {
        return -std::arg(std::complex<double>(product[voxel]));
    }
    double in_hz() const { return 1 / (2 * pi * spacing); }
};

/// The number of a voxel along a dimension, and the distance of neighbours in memory.
struct Axis {
    std::size_t stride, size;
    std::size_t index(std::size_t voxel) const { return voxel / stride % size; }
};

std::vector<Axis> axes_of(const Grid& grid) {
    std::vector<Axis> axes;
    std::size_t stride = 1;
    for (const std::size_t size : grid.size) {
        axes.push_back({stride, size});
        stride *= size;
    }
    return axes;
}

/// Calls visit(neighbour) for each voxel beside this one along the axes.
template <typename Visit>
void for_neighbours(const std::vector<Axis>& axes, std::size_t voxel, const Visit& visit) {
    for (const Axis& axis : axes) {
        const std::size_t index = axis.index(voxel);
        if (index > 0) {
            visit(voxel - axis.stride);
        }
        if (index + 1 < axis.size) {
            visit(voxel + axis.stride);
        }
    }
}

/// Pairs of echoes, and the information of the nearest one on its phase.
class Echoes {
public:
    explicit Echoes(const EchoImages& echoes);

    const std::size_t voxels;
    const std::size_t count; ///< of the echoes
    /// Pairs of neighbours and with the first and the last echo hold nearly all: memory
    /// grows with the echoes, and not with their square. The pair that is unwrapped comes first.
    std::vector<EchoPair> pairs;
    double number_of_likelihood = 0; ///< likelihood()
    RealVector energy; ///< N, of all echoes
    RealVector information; ///< N: noise of variance 1 a part gives the first phase 1 / sqrt(this)
    double noise = 0; ///< variance of a real or imaginary part
    std::vector<bool> mask;

private:
    void find_noise(const std::vector<Axis>& axes);
    void find_mask(const std::vector<Axis>& axes);
};

/// EchoPair::product of two images.
std::vector<std::complex<float>> product_of(const CoilRows& m, const CoilRows& n) {
    const RealVector energies = squares_of(m) + squares_of(n);
    std::vector<std::complex<float>> result(m.columns());
    for (std::size_t i = 0; i < result.size(); ++i) {
        Complex sum = 0;
        for (std::size_t c = 0; c < m.rows(); ++c) {
            sum += std::conj(m(c, i)) * n(c, i);
        }
        const double both = energies(static_cast<Eigen::Index>(i));
        result[i] = std::complex<float>(both > 0 ? 2 * std::abs(sum) / both * sum : 0);
    }
    return result;
}

Echoes::Echoes(const EchoImages& echoes)
    : voxels(echoes.grid.voxels()), count(echoes.times.size()) {
    energy = RealVector::Zero(static_cast<Eigen::Index>(voxels));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return echoes.times[a] < echoes.times[b]; });
    double of_all = 0; // squares of distances
    double of_pairs = 0;
    for (std::size_t b = 0; b < count; ++b) {
        energy += squares_of(echoes.images[b]);
        for (std::size_t a = 0; a < b; ++a) {
            const double spacing = echoes.times[order[b]] - echoes.times[order[a]];
            of_all += spacing * spacing;
            if (a + 1 == b || a == 0 || b + 1 == count) {
                of_pairs += spacing * spacing;
                pairs.push_back(
                    {spacing, product_of(echoes.images[order[a]], echoes.images[order[b]])});
            }
        }
    }
    number_of_likelihood = static_cast<double>(count) * of_pairs / of_all;
    constexpr double same = 1 + 1e-3; // echo times are rounded
    std::stable_sort(pairs.begin(), pairs.end(), [&](const EchoPair& a, const EchoPair& b) {
        return a.spacing * same < b.spacing;
    });
    information.resize(energy.size());
    for (std::size_t i = 0; i < voxels; ++i) {
        information(static_cast<Eigen::Index>(i)) = std::abs(Complex(pairs.front().product[i])) / 2;
    }
    find_noise(axes_of(echoes.grid));
    find_mask(axes_of(echoes.grid));
}

/// The noise by third differences of the phase where the signal is strong, of which a smooth field
/// has none: their median, since edges of the field have large ones.
void Echoes::find_noise(const std::vector<Axis>& axes) {
    std::vector<double> values(information.data(), information.data() + information.size());
    const double least = value_at(values, 0.99) / 25;
    std::vector<double> differences;
    for (const Axis& axis : axes) {
        for (std::size_t i = 0; i < voxels; ++i) {
            double variance = 0;
            std::array<double, 4> phase{};
            bool strong = axis.index(i) + 3 < axis.size;
            for (std::size_t j = 0; strong && j < 4; ++j) {
                const std::size_t voxel = i + j * axis.stride;
                const double its = information(static_cast<Eigen::Index>(voxel));
                strong = its > least;
                phase[j] = pairs.front().phase(voxel);
                variance += (j == 0 || j == 3 ? 1 : 9) / its;
            }
            if (strong) {
                const auto step = [&](std::size_t j) { return wrapped(phase[j + 1] - phase[j]); };
                differences.push_back(std::abs(step(0) - 2 * step(1) + step(2)) /
                                      std::sqrt(variance));
            }
        }
    }
    constexpr double median_of_normal = 0.6745;
    const double deviation =
        differences.empty() ? 0 : value_at(differences, 0.5) / median_of_normal;
    const double rounding = 1e-6 * std::sqrt(energy.maxCoeff());
    noise = std::pow(std::max(deviation, rounding), 2);
}

/// A voxel is in the mask by itself and its neighbours together: one by itself may be noise.
void Echoes::find_mask(const std::vector<Axis>& axes) {
    constexpr double largest_deviation = 0.5; // rad, of both; of noise alone 1 and more
    constexpr double least_share = 0.1; // of the signal: below it are ghosts, rings and streaks
    std::vector<double> values(energy.data(), energy.data() + energy.size());
    const double strong = value_at(values, 0.99);
    for (std::size_t i = 0; i < voxels; ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        double sum = information(at);
        double number = 1;
        for_neighbours(axes, i, [&](std::size_t next) {
            sum += information(static_cast<Eigen::Index>(next));
            ++number;
        });
        mask.push_back(std::min(sum / number, 2 * information(at)) >
                           noise / (largest_deviation * largest_deviation) &&
                       energy(at) > least_share * least_share * strong);
    }
}

/// A neighbour that the tree has not reached yet, with the phase that it would have.
struct Branch {
    double reliability;
    std::size_t voxel;
    double phase;
    bool operator<(const Branch& other) const { return reliability < other.reliability; }
};

/// How sure it is that the phases of two neighbours differ by less than half a turn: by how little
/// they differ, how much the signal of both is alike and strong, and how well another pair of
/// echoes, where there is one, says the same.
double reliability(const Echoes& echoes, std::size_t a, std::size_t b, double strong) {
    const EchoPair& first = echoes.pairs.front();
    const double step = wrapped(first.phase(b) - first.phase(a));
    const double at_a = echoes.energy(static_cast<Eigen::Index>(a));
    const double at_b = echoes.energy(static_cast<Eigen::Index>(b));
    double result = (1 - std::abs(step) / pi) * std::min(at_a, at_b) / std::max(at_a, at_b) *
                    (0.5 + 0.5 * std::min(1.0, std::sqrt(std::min(at_a, at_b) / strong)));
    if (echoes.pairs.size() > 1) {
        const EchoPair& second = echoes.pairs[1];
        const double expected = step * second.spacing / first.spacing;
        result *= 1 - std::abs(wrapped(second.phase(b) - second.phase(a) - expected)) / (2 * pi);
    }
    return result;
}

/// A piece of the mask, unwrapped from its strongest voxel along the most reliable branches.
std::vector<std::size_t> unwrap_piece(const Echoes& echoes, const std::vector<Axis>& axes,
                                      std::size_t seed, double strong, std::vector<bool>& reached,
                                      RealVector& phase) {
    std::vector<std::size_t> piece;
    std::priority_queue<Branch> branches;
    branches.push({1, seed, echoes.pairs.front().phase(seed)});
    while (!branches.empty()) {
        const Branch branch = branches.top();
        branches.pop();
        if (reached[branch.voxel]) {
            continue;
        }
        reached[branch.voxel] = true;
        piece.push_back(branch.voxel);
        phase(static_cast<Eigen::Index>(branch.voxel)) = branch.phase;
        for_neighbours(axes, branch.voxel, [&](std::size_t next) {
            if (!reached[next]) {
                const double own = echoes.pairs.front().phase(next);
                branches.push({reliability(echoes, branch.voxel, next, strong), next,
                               branch.phase + wrapped(own - branch.phase)});
            }
        });
    }
    return piece;
}

/// The median of the voxels' values, each as often as its information is large.
double weighted_median(const std::vector<std::size_t>& voxels, const RealVector& values,
                       const RealVector& weights) {
    std::vector<std::pair<double, double>> sorted;
    double all = 0;
    for (const std::size_t voxel : voxels) {
        const auto at = static_cast<Eigen::Index>(voxel);
        sorted.emplace_back(values(at), weights(at));
        all += weights(at);
    }
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [value, weight] : sorted) {
        all -= 2 * weight;
        if (all <= 0 || value == sorted.back().first) {
            return value;
        }
    }
    return 0;
}

/// The unwrapped field of the mask, from which pieces of a few voxels, which are noise, are taken.
/// The median of the largest piece is the one nearest 0, those of the others nearest to it.
RealVector unwrapped(Echoes& echoes, const Grid& grid, std::vector<FieldPiece>& pieces) {
    const std::vector<Axis> axes = axes_of(grid);
    const std::size_t fewest = grid.dimensions == 3 ? 27 : 9;
    const double period = 1 / echoes.pairs.front().spacing;
    RealVector field = RealVector::Zero(echoes.energy.size());
    std::vector<bool> reached(echoes.voxels);
    std::vector<std::size_t> seeds;
    for (std::size_t i = 0; i < echoes.voxels; ++i) {
        reached[i] = !echoes.mask[i];
        if (echoes.mask[i]) {
            seeds.push_back(i);
        }
    }
    std::stable_sort(seeds.begin(), seeds.end(), [&](std::size_t a, std::size_t b) {
        return echoes.energy(static_cast<Eigen::Index>(a)) >
               echoes.energy(static_cast<Eigen::Index>(b));
    });
    const double strong =
        seeds.empty() ? 1 : echoes.energy(static_cast<Eigen::Index>(seeds[seeds.size() / 4]));
    std::vector<std::vector<std::size_t>> found;
    for (const std::size_t seed : seeds) {
        if (reached[seed]) {
            continue;
        }
        found.push_back(unwrap_piece(echoes, axes, seed, strong, reached, field));
        if (found.back().size() < fewest) {
            for (const std::size_t voxel : found.back()) {
                echoes.mask[voxel] = false;
            }
            found.pop_back();
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    field *= echoes.pairs.front().in_hz();
    for (const std::vector<std::size_t>& piece : found) {
        const double median = weighted_median(piece, field, echoes.information);
        const double wanted = pieces.empty() ? 0 : pieces.front().median;
        const double shift = period * std::round((wanted - median) / period);
        for (const std::size_t voxel : piece) {
            field(static_cast<Eigen::Index>(voxel)) += shift;
        }
        pieces.push_back({piece.size(), median + shift});
    }
    return field;
}

/// The voxels of the mask in their order, and one more without curvature, which stands for all
/// others and stays 0.
class MaskedVoxels {
public:
    MaskedVoxels(const Grid& grid, const std::vector<bool>& mask);

    std::size_t count() const { return voxels_.size(); } ///< without the last
    std::size_t voxel(std::size_t i) const { return voxels_[i]; }
    /// The numbers among these of the voxels 0 to 3 steps after each along a dimension.
    std::array<std::vector<std::uint32_t>, 4> after(const Axis& axis, bool before) const;

    template <typename Work> void for_all(const Work& work) const {
        for_each_range_in_parallel(count(), cores_for(count()), [&](const Range& range) {
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                work(i, static_cast<Eigen::Index>(i));
            }
        });
    }

private:
    std::vector<std::size_t> voxels_;
    std::vector<std::uint32_t> numbers_; ///< of each voxel of the grid
};

MaskedVoxels::MaskedVoxels(const Grid& grid, const std::vector<bool>& mask) {
    for (std::size_t i = 0; i < grid.voxels(); ++i) {
        if (mask[i]) {
            voxels_.push_back(i);
        }
    }
    numbers_.assign(grid.voxels(), static_cast<std::uint32_t>(count()));
    for (std::size_t i = 0; i < count(); ++i) {
        numbers_[voxels_[i]] = static_cast<std::uint32_t>(i);
    }
}

std::array<std::vector<std::uint32_t>, 4> MaskedVoxels::after(const Axis& axis, bool before) const {
    std::array<std::vector<std::uint32_t>, 4> numbers;
    for (std::size_t steps = 0; steps < numbers.size(); ++steps) {
        numbers[steps].assign(count() + 1, static_cast<std::uint32_t>(count()));
        for (std::size_t i = 0; i < count(); ++i) {
            const std::size_t index = axis.index(voxels_[i]);
            const std::size_t offset = steps * axis.stride;
            if (before ? index >= steps : index + steps < axis.size) {
                numbers[steps][i] = numbers_[before ? voxels_[i] - offset : voxels_[i] + offset];
            }
        }
    }
    return numbers;
}

/// c f + sum_d D_d^T k_d D_d f, where D_d are third differences along d within the mask. A cubic
/// costs more than a quadratic map, and a smooth one next to nothing.
class Roughness {
public:
    Roughness(const Grid& grid, const MaskedVoxels& voxels);

    /// Weights of differences that are edges are lower: 1 / (scale^2 (1 + m)^2) with the mean m of
    /// (D f / (2 scale))^2 over neighbours across D, since edges go on and noise does not.
    void set(const RealVector& field, double scale);
    RealVector apply(const RealVector& curvature, const RealVector& field) const;
    RealVector diagonal(const RealVector& curvature) const;

private:
    using Numbers = std::array<std::vector<std::uint32_t>, 4>;
    struct Along {
        double factor; ///< of a field that is smooth in mm
        Numbers after, before; ///< MaskedVoxels::after
        RealVector weights; ///< of the difference that begins at each voxel; 0 at those that leave
        double difference(const RealVector& f, std::size_t i) const {
            return f(after[3][i]) - f(after[0][i]) + 3 * (f(after[1][i]) - f(after[2][i]));
        }
    };

    /// The mean over a voxel and up to three to either side of it along the other dimensions.
    double mean_across(const Along& along, const RealVector& squares, std::size_t i) const;

    const MaskedVoxels& voxels_;
    std::vector<Along> along_;
};

Roughness::Roughness(const Grid& grid, const MaskedVoxels& voxels) : voxels_(voxels) {
    double finest = std::numeric_limits<double>::infinity();
    const auto side = [&](std::size_t d) {
        return grid.fov_mm[d] / static_cast<double>(grid.size[d]);
    };
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
        finest = std::min(finest, side(d));
    }
    const std::vector<Axis> axes = axes_of(grid);
    for (std::size_t d = 0; d < dimensions; ++d) {
        along_.push_back({std::pow(finest / side(d), 3),
                          voxels.after(axes[d], false),
                          voxels.after(axes[d], true),
                          {}});
    }
}

void Roughness::set(const RealVector& field, double scale) {
    constexpr double edge = 2;
    const auto none = static_cast<std::uint32_t>(voxels_.count());
    for (Along& along : along_) {
        RealVector squares(field.size());
        voxels_.for_all([&](std::size_t i, Eigen::Index n) {
            const bool inside =
                along.after[1][i] != none && along.after[2][i] != none && along.after[3][i] != none;
            const double steep = along.factor * along.difference(field, i) / (edge * scale);
            squares(n) = inside ? steep * steep : -1;
        });
        along.weights = RealVector::Zero(field.size());
        voxels_.for_all([&](std::size_t i, Eigen::Index n) {
            if (squares(n) >= 0) {
                along.weights(n) = std::pow(along.factor / scale, 2) /
                                   std::pow(1 + mean_across(along, squares, i), 2);
            }
        });
    }
}

double Roughness::mean_across(const Along& along, const RealVector& squares, std::size_t i) const {
    double sum = 0;
    double count = 0;
    const auto add = [&](std::size_t at) {
        const double square = at < voxels_.count() ? squares(static_cast<Eigen::Index>(at)) : -1;
        sum += std::max(square, 0.0);
        count += square >= 0 ? 1 : 0;
    };
    add(i);
    for (const Along& other : along_) {
        for (std::size_t steps = 1; &other != &along && steps < other.after.size(); ++steps) {
            add(other.after[steps][i]);
            add(other.before[steps][i]);
        }
    }
    return sum / count;
}

RealVector Roughness::apply(const RealVector& curvature, const RealVector& field) const {
    RealVector result = curvature.cwiseProduct(field);
    RealVector rough = RealVector::Zero(field.size());
    for (const Along& along : along_) {
        voxels_.for_all([&](std::size_t i, Eigen::Index n) {
            rough(n) = along.weights(n) * along.difference(field, i);
        });
        voxels_.for_all([&](std::size_t i, Eigen::Index n) {
            const Numbers& before = along.before;
            result(n) +=
                rough(before[3][i]) - rough(n) + 3 * (rough(before[1][i]) - rough(before[2][i]));
        });
    }
    return result;
}

RealVector Roughness::diagonal(const RealVector& curvature) const {
    RealVector result = curvature;
    for (const Along& along : along_) {
        voxels_.for_all([&](std::size_t i, Eigen::Index n) {
            const auto weight = [&](std::size_t steps) {
                return along.weights(along.before[steps][i]);
            };
            result(n) += weight(0) + 9 * weight(1) + 9 * weight(2) + weight(3);
        });
    }
    return result;
}

/// Conjugate gradients with the diagonal as preconditioner, to a part of the residual at `x`.
RealVector solved(const Roughness& roughness, const RealVector& curvature, const RealVector& b,
                  RealVector x) {
    constexpr int most = 100;
    constexpr double part = 0.02;
    const RealVector inverse = roughness.diagonal(curvature).unaryExpr(
        [](double value) { return value > 0 ? 1 / value : 0; });
    RealVector r = b - roughness.apply(curvature, x);
    RealVector z = inverse.cwiseProduct(r);
    RealVector p = z;
    double rz = r.dot(z);
    const double enough = part * part * rz;
    for (int i = 0; i < most && rz > enough && rz > 0; ++i) {
        const RealVector q = roughness.apply(curvature, p);
        const double step = rz / p.dot(q);
        x += step * p;
        r -= step * q;
        z = inverse.cwiseProduct(r);
        const double before = rz;
        rz = r.dot(z);
        p = z + rz / before * p;
    }
    return x;
}

/// -log of the likelihood of a map, twice, by the first pairs: sum of 2 a (1 - cos(2 pi f dt -
/// phase)), and the parabola above it that touches it at the map. All pairs of E echoes together,
/// with a = |product| / (E noise), have the likelihood of the echoes, and some of them that with as
/// much curvature.
struct Likelihood {
    RealVector curvature, pull; ///< the parabola's least is at curvature^-1 pull
    double misfit = 0;
};

Likelihood likelihood(const Echoes& echoes, const MaskedVoxels& voxels, std::size_t pairs,
                      const RealVector& field) {
    const double number = pairs == 1 ? 2 : echoes.number_of_likelihood;
    Likelihood result{RealVector::Zero(field.size()), RealVector::Zero(field.size())};
    RealVector misfits = RealVector::Zero(field.size());
    voxels.for_all([&](std::size_t i, Eigen::Index n) {
        double slope = 0;
        for (std::size_t p = 0; p < pairs; ++p) {
            const EchoPair& pair = echoes.pairs[p];
            const std::size_t voxel = voxels.voxel(i);
            const double a = std::abs(Complex(pair.product[voxel])) / (number * echoes.noise);
            const double turns = 2 * pi * pair.spacing;
            const double off = wrapped(turns * field(n) - pair.phase(voxel));
            slope += a * turns * std::sin(off);
            result.curvature(n) += a * turns * turns * (off == 0 ? 1 : std::sin(off) / off);
            misfits(n) += 2 * a * (1 - std::cos(off));
        }
        result.pull(n) = result.curvature(n) * field(n) - slope;
    });
    result.misfit = misfits.sum();
    return result;
}

/// The trace of smoothers, one after another, by vectors of random signs: more of them where each
/// has few voxels.
class TraceOfSmoother {
public:
    explicit TraceOfSmoother(std::size_t voxels) {
        std::mt19937 random(1);
        signs_.resize(std::clamp<std::size_t>(32768 / voxels, 1, 4));
        for (RealVector& signs : signs_) {
            signs = RealVector::Zero(static_cast<Eigen::Index>(voxels + 1));
            for (std::size_t i = 0; i < voxels; ++i) {
                signs(static_cast<Eigen::Index>(i)) = (random() & 1U) != 0 ? 1 : -1;
            }
        }
        smooth_ = signs_;
    }

    double of(const Roughness& roughness, const RealVector& curvature) {
        double sum = 0;
        for (std::size_t i = 0; i < signs_.size(); ++i) {
            smooth_[i] = solved(roughness, curvature, curvature.cwiseProduct(signs_[i]),
                                std::move(smooth_[i]));
            sum += signs_[i].dot(smooth_[i]);
        }
        return sum / static_cast<double>(signs_.size());
    }

private:
    std::vector<RealVector> signs_, smooth_;
};

/// Smooths the unwrapped map step by step, so that edges that noise does not hide stay, as long as
/// the estimate of its error falls: misfit - N + 2 trace, by Stein.
void smooth(const Echoes& echoes, const Grid& grid, EchoField& result) {
    const MaskedVoxels voxels(grid, echoes.mask);
    Roughness roughness(grid, voxels);
    RealVector field = RealVector::Zero(static_cast<Eigen::Index>(voxels.count() + 1));
    voxels.for_all([&](std::size_t i, Eigen::Index n) {
        field(n) = result.field(static_cast<Eigen::Index>(voxels.voxel(i)));
    });
    const RealVector information = likelihood(echoes, voxels, echoes.pairs.size(), field).curvature;
    std::vector<double> values(information.data(), information.data() + voxels.count());
    result.unsmoothed = 1 / std::sqrt(value_at(values, 0.5));
    const auto number = static_cast<double>(voxels.count());
    TraceOfSmoother smoother(voxels.count());
    double least = std::numeric_limits<double>::infinity();
    int worse = 0;
    for (double scale = 8; scale > 1e-3 && worse < 2; scale /= 2) {
        // Longer distances between echoes tell more, once the map is near enough for theirs.
        const std::size_t pairs = scale > 1 ? 1 : echoes.pairs.size();
        for (int i = 0; i < 2; ++i) {
            const Likelihood at = likelihood(echoes, voxels, pairs, field);
            roughness.set(field, scale * result.unsmoothed);
            field = solved(roughness, at.curvature, at.pull, field);
        }
        if (scale > 1) {
            continue;
        }
        const Likelihood at = likelihood(echoes, voxels, pairs, field);
        const double trace = smoother.of(roughness, at.curvature);
        const double error = at.misfit - number + 2 * trace;
        worse = error < least ? 0 : worse + 1;
        if (error < least) {
            least = error;
            result.gain = std::clamp(trace / number, 0.0, 1.0);
            voxels.for_all([&](std::size_t i, Eigen::Index n) {
                const auto voxel = static_cast<Eigen::Index>(voxels.voxel(i));
                result.field(voxel) = field(n);
                result.deviation(voxel) = std::sqrt(result.gain / information(n));
            });
        }
    }
}

} // namespace

EchoField field_from_echoes(const EchoImages& images) {
    Echoes echoes(images);
    EchoField result;
    result.period = 1 / echoes.pairs.front().spacing;
    result.field = unwrapped(echoes, images.grid, result.pieces);
    result.mask = echoes.mask;
    result.deviation = RealVector::Zero(result.field.size());
    if (result.pieces.empty()) {
        return result;
    }
    smooth(echoes, images.grid, result);
    CoilRows values(1, echoes.voxels, Precision::float64);
    for (std::size_t i = 0; i < echoes.voxels; ++i) {
        values.doubles()(0, static_cast<Eigen::Index>(i)) =
            echoes.mask[i] ? result.field(static_cast<Eigen::Index>(i))
                           : std::numeric_limits<double>::quiet_NaN();
    }
    fill_missing(images.grid, values);
    result.field = values.doubles().row(0).real().transpose();
    return result;
}

} // namespace lsrecon
