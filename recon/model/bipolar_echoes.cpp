// The phase of echoes a, b, c with phi in b alone: conj(a) b times that of b and c conjugated has
// twice phi, and the field cancels where their distances are even.

#include "model/bipolar_echoes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lsrecon {

namespace {

/// The products of all triples of echoes, of phase 2 phi, N; empty where there are none.
ComplexVector of_triples(const EchoImages& echoes, const std::vector<bool>& reversed) {
    constexpr double even = 1e-2; // of a distance; echo times are rounded
    std::vector<std::size_t> order(echoes.times.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return echoes.times[a] < echoes.times[b]; });
    ComplexVector sum;
    for (std::size_t i = 0; i + 2 < order.size(); ++i) {
        const std::size_t a = order[i], b = order[i + 1], c = order[i + 2];
        const double first = echoes.times[b] - echoes.times[a];
        const double second = echoes.times[c] - echoes.times[b];
        if (reversed[a] == reversed[b] || reversed[b] == reversed[c] ||
            std::abs(second - first) > even * first) {
            continue;
        }
        const auto product = [&](std::size_t m, std::size_t n) -> ComplexVector {
            return echoes.images[m]
                .to_doubles()
                .conjugate()
                .cwiseProduct(echoes.images[n].to_doubles())
                .colwise()
                .sum()
                .transpose();
        };
        const ComplexVector twice = product(a, b).cwiseProduct(product(b, c).conjugate());
        const ComplexVector of_backward = reversed[b] ? twice : ComplexVector(twice.conjugate());
        sum = sum.size() > 0 ? ComplexVector(sum + of_backward) : of_backward;
    }
    return sum;
}

} // namespace

std::optional<BipolarPhase> take_out_directions(EchoImages& echoes,
                                                const std::vector<bool>& reversed) {
    constexpr double agreement = 0.5; // of the products' magnitudes; of noise next to none
    const ComplexVector twice = of_triples(echoes, reversed);
    const auto row = static_cast<Eigen::Index>(echoes.grid.size[0]);
    Complex steps = 0;
    for (Eigen::Index n = 0; n + 1 < twice.size(); ++n) {
        if ((n + 1) % row != 0) {
            steps += std::conj(twice(n)) * twice(n + 1);
        }
    }
    const double slope = std::arg(steps) / 2;
    const auto x_of = [row](Eigen::Index n) { return static_cast<double>(n % row - row / 2); };
    Complex sum = 0;
    for (Eigen::Index n = 0; n < twice.size(); ++n) {
        sum += twice(n) * std::polar(1.0, -2 * slope * x_of(n));
    }
    if (twice.size() == 0 || !(std::abs(sum) > agreement * twice.cwiseAbs().sum())) {
        return std::nullopt;
    }
    const BipolarPhase phase{std::arg(sum) / 2, slope};
    for (std::size_t e = 0; e < echoes.images.size(); ++e) {
        if (!reversed[e]) {
            continue;
        }
        CoilMatrix image = echoes.images[e].to_doubles();
        for (Eigen::Index n = 0; n < image.cols(); ++n) {
            image.col(n) *= std::polar(1.0, -(phase.offset + phase.slope * x_of(n)));
        }
        echoes.images[e] = CoilRows(std::move(image));
    }
    return phase;
}

} // namespace lsrecon
