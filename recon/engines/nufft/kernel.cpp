// The spreading kernel of the NUFFT: its shape, its transform by quadrature, and its error.

#include "engines/nufft/kernel.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/fft.hpp"
#include "base/ranges.hpp"
#include "base/tolerance.hpp"
#include "base/types.hpp"
#include "engines/nufft/samples.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t narrowest = 2;
constexpr std::size_t widest = 16;

/// Nodes and weights of Gauss-Legendre quadrature on -1..1.
struct Quadrature {
    std::vector<double> nodes;
    std::vector<double> weights;

    explicit Quadrature(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            double x =
                std::cos(pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(count) + 0.5));
            double slope = 0;
            for (int step = 0; step < 20; ++step) { // Newton's method on the Legendre polynomial
                double before = 1;
                double value = x;
                for (std::size_t n = 2; n <= count; ++n) {
                    const auto k = static_cast<double>(n);
                    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
                    before = value;
                    value = next;
                }
                slope = static_cast<double>(count) * (x * value - before) / (x * x - 1);
                x -= value / slope;
            }
            nodes.push_back(x);
            weights.push_back(2 / ((1 - x * x) * slope * slope));
        }
    }
};

constexpr std::array<double, 5> oversamplings{1.25, 1.5, 1.75, 2.0, 2.5};
/// The best beta for these oversamplings and the widths from the narrowest on, in units of pi width
/// (1 - 1 / (2 oversampling)), where the transform falls fast enough (Barnett 2021, Appl. Comput.
/// Harmon. Anal. 51:1): the least error in steps of 0.01, with that of the polynomials.
constexpr double best_betas[oversamplings.size()][widest - narrowest + 1] = {
    {0.78, 0.80, 0.88, 0.92, 0.95, 0.96, 0.97, 0.97, 0.93, 0.94, 0.95, 0.96, 0.99, 0.97, 0.97},
    {0.78, 0.84, 0.90, 0.94, 0.96, 0.96, 0.97, 0.93, 0.94, 0.95, 0.96, 0.99, 0.97, 0.95, 0.98},
    {0.78, 0.86, 0.91, 0.95, 0.96, 0.97, 0.98, 0.94, 0.95, 0.96, 0.99, 0.97, 0.95, 0.98, 0.96},
    {0.82, 0.88, 0.93, 0.95, 0.97, 0.97, 0.98, 0.95, 0.95, 0.99, 0.99, 0.97, 0.98, 0.98, 0.96},
    {0.83, 0.89, 0.94, 0.96, 0.97, 0.98, 0.98, 0.96, 0.99, 0.99, 0.97, 0.98, 0.98, 0.96, 0.98}};

/// The best beta of the next lower oversampling.
double best_beta(std::size_t width, double oversampling) {
    const auto above =
        std::upper_bound(oversamplings.begin() + 1, oversamplings.end(), oversampling);
    return best_betas[above - oversamplings.begin() - 1][width - narrowest];
}

const Quadrature& quadrature() {
    static const Quadrature of(14); // on one polynomial times a cosine
    return of;
}

} // namespace

SpreadingKernel::SpreadingKernel(std::size_t width, double oversampling)
    : SpreadingKernel(width, oversampling, best_beta(width, oversampling)) {}

SpreadingKernel::SpreadingKernel(std::size_t width, double oversampling, double beta)
    : width_(width), oversampling_(oversampling) {
    fit(beta * pi * static_cast<double>(width) * (1 - 1 / (2 * oversampling)));
    constexpr double between = 1.3; // the points at which it is measured, it is as much larger
    error_ = between * error_of_fit(48, 64);
    amplification_ = amplification_of_fit();
}

double SpreadingKernel::amplification_of_fit() const {
    constexpr int frequencies = 64;
    double of_grid = 0;
    double of_voxels = 0;
    for (int i = 0; i <= frequencies; ++i) {
        const double share = static_cast<double>(i) / frequencies;
        const double on_grid = transform(share / 2);
        const double of_voxel = transform(share / 2 / oversampling_);
        of_grid += on_grid * on_grid;
        of_voxels += 1 / (of_voxel * of_voxel);
    }
    return std::sqrt(of_grid * of_voxels) / (frequencies + 1);
}

/// Interpolates at Chebyshev nodes.
void SpreadingKernel::fit(double beta) {
    const auto count = static_cast<Eigen::Index>(degree() + 1);
    Eigen::MatrixXd powers(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const double node =
            std::cos(pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
        powers(i, 0) = 1;
        for (Eigen::Index p = 1; p < count; ++p) {
            powers(i, p) = node * powers(i, p - 1);
        }
    }
    Eigen::MatrixXd values(count, static_cast<Eigen::Index>(width_));
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < values.cols(); ++j) {
            const double x = (powers(i, 1) + 1) / 2 + static_cast<double>(j);
            const double z = 2 * x / static_cast<double>(width_) - 1;
            values(i, j) = std::exp(beta * (std::sqrt(std::max(0.0, 1 - z * z)) - 1));
        }
    }
    const Eigen::MatrixXd solved = powers.partialPivLu().solve(values);
    coefficients_.assign(solved.data(), solved.data() + solved.size());
    for (std::size_t j = 0; j < width_; ++j) {
        for (std::size_t i = 0; i < quadrature().nodes.size(); ++i) {
            const double x = static_cast<double>(j) + (quadrature().nodes[i] + 1) / 2 -
                             static_cast<double>(width_) / 2;
            nodes_.push_back({x, quadrature().weights[i] / 2 * value(x)});
        }
    }
}

double SpreadingKernel::value(double x) const {
    const double from_begin = x + static_cast<double>(width_) / 2;
    if (!(from_begin >= 0 && from_begin < static_cast<double>(width_))) {
        return 0;
    }
    const auto j = static_cast<std::size_t>(from_begin);
    const double t = 2 * (from_begin - static_cast<double>(j)) - 1;
    double sum = 0;
    for (std::size_t p = degree() + 1; p-- > 0;) {
        sum = sum * t + coefficient(j, p);
    }
    return sum;
}

double SpreadingKernel::transform(double frequency) const {
    double sum = 0;
    for (const auto& [x, weighted] : nodes_) {
        sum += weighted * std::cos(2 * pi * frequency * x);
    }
    return sum;
}

double SpreadingKernel::error_of_fit(int frequencies, int points) const {
    const auto frequency = [&](std::size_t i) {
        return static_cast<double>(i) / (2 * oversampling_ * frequencies);
    };
    std::vector<double> exact;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(frequencies); ++i) {
        exact.push_back(transform(frequency(i)));
    }
    std::vector<double> values(width_);
    double largest = 0;
    for (int p = 0; p <= points; ++p) { // close to each other at the polynomials' ends
        const double offset =
            std::min(0.5 - 0.5 * std::cos(pi * p / static_cast<double>(points)), 1 - 1e-12);
        const double first = offset - static_cast<double>(width_) / 2;
        for (std::size_t j = 0; j < width_; ++j) {
            values[j] = value(first + static_cast<double>(j));
        }
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const Complex step = std::polar(1.0, 2 * pi * frequency(i));
            Complex phase = std::polar(1.0, 2 * pi * frequency(i) * first);
            Complex sum = 0;
            for (const double value : values) {
                sum += value * phase;
                phase *= step;
            }
            largest = std::max(largest, std::abs(sum - exact[i]) / std::abs(exact[i]));
        }
    }
    return largest;
}

namespace {

/// The kernel of a width and oversampling. It is kept: kernels take a while to make, and are few.
const SpreadingKernel& kernel_of(std::size_t width, double oversampling) {
    static thread_local std::map<std::pair<std::size_t, double>, SpreadingKernel> known;
    const std::pair<std::size_t, double> key{width, oversampling};
    return known.try_emplace(key, width, oversampling).first->second;
}

} // namespace

NufftLine NufftGrid::line(std::size_t d) const {
    const auto period = static_cast<double>(fine[d]);
    return {fine[d], period, std::nextafter(period, 0.0), static_cast<double>(kernel.width()) / 2};
}

void NufftGrid::set_limits(const std::array<std::size_t, 3>& size, std::size_t samples,
                           Precision precision, Cost& cost) const {
    double values = 0; // read and written: along z at each x and y, then at the y that are kept
    double pairs = static_cast<double>(samples);
    for (std::size_t d = 0; d < 3; ++d) {
        double lines = 1;
        for (std::size_t other = 0; other < 3; ++other) {
            lines *= other == d ? 1 : static_cast<double>((other < d ? fine : size)[other]);
        }
        if (fine[d] > 1) {
            values += lines * static_cast<double>(fine[d] + size[d]);
            pairs *= static_cast<double>(kernel.width());
        }
    }
    cost.fft_bytes = 2 * static_cast<double>(bytes_of(precision)) * values;
    cost.multiply_adds = 2 * pairs;
}

NufftGrid choose_nufft_grid(const std::array<std::size_t, 3>& size, std::size_t samples,
                            double accuracy, Precision precision, const NufftRates& rates,
                            const std::array<std::size_t, 3>& multiples) {
    constexpr double slower = 1.3; // FFTs of other lengths (320 and 512 against 336 and 448)
    const double roundoff = unit_roundoff(precision);
    std::size_t dimensions = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        dimensions += d < 2 || size[d] > 1 ? 1 : 0; // rows and planes of one point, too
    }
    const auto grid_by = [&](std::size_t width, double oversampling) {
        NufftGrid grid{kernel_of(width, oversampling)};
        double points = 1;
        double butterflies = 0; // of a point
        for (std::size_t d = 0; d < dimensions; ++d) {
            const auto least =
                static_cast<std::size_t>(std::ceil(oversampling * static_cast<double>(size[d])));
            grid.fine[d] =
                multiples[d] * fast_length(divide_up(std::max(least, 2 * width), multiples[d]));
            points *= static_cast<double>(grid.fine[d]);
            const bool is_fastest = grid.fine[d] % 9 != 0 && grid.fine[d] % 7 != 0;
            butterflies += (is_fastest ? 1 : slower) * std::log2(static_cast<double>(grid.fine[d]));
        }
        const auto of = static_cast<double>(dimensions);
        // The rounding of sums with kernels in each dimension; of values, kernels and the FFT.
        const tolerance::Rounding of_sums{8, samples_of_a_part, 0.5};
        const double rounding =
            tolerance::direct_transform(of_sums, samples) * roundoff / tolerance::eps +
            tolerance::fft(static_cast<std::size_t>(points), roundoff);
        grid.error = of * grid.kernel.error() +
                     std::pow(std::max(1.0, grid.kernel.amplification()), of) * rounding;
        grid.butterflies = points * butterflies;
        return grid;
    };
    std::vector<NufftGrid> grids;
    double least = std::numeric_limits<double>::infinity();
    for (const double oversampling : oversamplings) {
        // A kernel of this width is nearly exact enough (Barnett 2021, theorem 1).
        const double decay = pi * std::sqrt(1 - 1 / oversampling);
        const double about = std::ceil(-std::log(std::min(0.1, accuracy)) / decay);
        for (std::size_t width = std::clamp(static_cast<std::size_t>(about), narrowest, widest);
             width <= widest; ++width) {
            grids.push_back(grid_by(width, oversampling));
            least = std::min(least, grids.back().error);
            if (grids.back().error <= accuracy) {
                break;
            }
        }
    }
    constexpr double nearly = 1.2; // as exact: a wider kernel cannot undo rounding
    const double most = least <= accuracy ? accuracy : nearly * least;
    const auto costs = [&](const NufftGrid& grid) {
        return grid.error <= most ? grid.seconds(samples, rates)
                                  : std::numeric_limits<double>::infinity();
    };
    return *std::min_element(
        grids.begin(), grids.end(),
        [&](const NufftGrid& a, const NufftGrid& b) { return costs(a) < costs(b); });
}

} // namespace lsrecon
