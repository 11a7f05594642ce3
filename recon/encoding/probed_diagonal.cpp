// Chooses colours of voxels, probes each, and takes out what is noise between neighbours.

#include "encoding/probed_diagonal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <Eigen/Cholesky>

namespace lsrecon {

namespace {

using Vector = std::array<long, 3>;

constexpr double wanted_error = 0.01; ///< of a deviation, as B at some voxels predicts it

Vector position_of(std::size_t n, const GridSize& size) {
    return {static_cast<long>(n % size[0]), static_cast<long>(n / size[0] % size[1]),
            static_cast<long>(n / size[0] / size[1])};
}

/// So many colours: that of voxel n is g.n modulo their number.
struct Colouring {
    long count = 1;
    Vector g{0, 0, 0};
    double leak = 0; ///< sum |B_mn|^2 / B_nn^2 over voxels m of n's colour, as it is expected

    long of(const Vector& n) const { return (g[0] * n[0] + g[1] * n[1] + g[2] * n[2]) % count; }
};

/// |B_mn|^2 / B_nn^2 around a voxel.
class Neighbours {
public:
    void add(std::size_t n, const ComplexVector& column, const GridSize& size) {
        constexpr double least = 1e-6; // below which a value is one of a sum
        const double own = std::norm(column(static_cast<Eigen::Index>(n)));
        const Vector at = position_of(n, size);
        ++voxels_;
        for (Eigen::Index m = 0; m < column.size() && own > 0; ++m) {
            const double square = std::norm(column(m)) / own;
            if (static_cast<std::size_t>(m) == n || square == 0) {
                continue;
            }
            if (square < least) {
                small_ += square;
                continue;
            }
            const Vector there = position_of(static_cast<std::size_t>(m), size);
            large_.push_back({{there[0] - at[0], there[1] - at[1], there[2] - at[2]}, square});
        }
    }

    double leak_of(const Colouring& colours) const {
        double sum = small_ / static_cast<double>(colours.count);
        for (const Large& one : large_) {
            sum += colours.of(one.difference) == 0 ? one.square : 0;
        }
        return sum / voxels_;
    }

private:
    struct Large {
        Vector difference;
        double square;
    };
    std::vector<Large> large_;
    double small_ = 0;
    double voxels_ = 0;
};

Colouring best_of(long count, const Neighbours& neighbours, std::mt19937_64& generator) {
    constexpr int tried = 100;
    Colouring best;
    for (int i = 0; i < tried; ++i) {
        Colouring one{count, {0, 0, 0}};
        for (long& along : one.g) {
            along = static_cast<long>(generator() % static_cast<std::uint64_t>(count));
        }
        one.leak = neighbours.leak_of(one);
        if (i == 0 || one.leak < best.leak) {
            best = one;
        }
    }
    return best;
}

double error_of(double leak) {
    return 0.5 * std::sqrt(leak / 2); // of the root of a real part
}

/// The fewest colours that are good enough, or the most.
Colouring choose_colouring(long most, const Neighbours& neighbours, std::mt19937_64& generator) {
    constexpr double step = 1.4;
    for (double count = std::min(4.0, static_cast<double>(most));; count *= step) {
        const long now = std::min(std::lround(count), most);
        const Colouring colours = best_of(now, neighbours, generator);
        if (now == most || error_of(colours.leak) < wanted_error) {
            return colours;
        }
    }
}

ComplexVector random_phases(const RealVector& seen, std::mt19937_64& generator) {
    ComplexVector phases(seen.size());
    for (Eigen::Index n = 0; n < seen.size(); ++n) {
        const Complex phase = std::polar(1.0, 2 * pi * uniform_number(generator));
        phases(n) = seen(n) > 0 ? phase : 0;
    }
    return phases;
}

/// The sums of what voxels next to each other have, each beside itself.
struct Window {
    double voxels = 0;
    double sum = 0;
    double squares = 0;
    double noise = 0; ///< squares of imaginary parts
};

Window window_at(const Vector& n, const ComplexVector& values, const RealVector& seen,
                 const GridSize& size) {
    Window window;
    Vector first;
    Vector last;
    for (std::size_t d = 0; d < 3; ++d) {
        first[d] = std::max(0L, n[d] - 1);
        last[d] = std::min(static_cast<long>(size[d]) - 1, n[d] + 1);
    }
    for (long z = first[2]; z <= last[2]; ++z) {
        for (long y = first[1]; y <= last[1]; ++y) {
            for (long x = first[0]; x <= last[0]; ++x) {
                const auto i =
                    static_cast<Eigen::Index>(static_cast<std::size_t>(x) +
                                              size[0] * (static_cast<std::size_t>(y) +
                                                         size[1] * static_cast<std::size_t>(z)));
                if (seen(i) > 0) {
                    ++window.voxels;
                    window.sum += values(i).real();
                    window.squares += values(i).real() * values(i).real();
                    window.noise += values(i).imag() * values(i).imag();
                }
            }
        }
    }
    return window;
}

/// Takes out of the real parts what scatters between neighbours as the imaginary parts do (Lee
/// 1980, IEEE TPAMI 2:165): edges of coil maps and of their aliases, which scatter more, stay.
ProbedDiagonal smoothed(const ComplexVector& values, const RealVector& seen, const GridSize& size) {
    constexpr double least = 0.1; // of the mean: no voxel is without noise
    ProbedDiagonal result{RealVector::Zero(values.size()), 0, 0};
    double voxels = 0;
    for (Eigen::Index n = 0; n < values.size(); ++n) {
        if (seen(n) == 0) {
            continue;
        }
        const Window window =
            window_at(position_of(static_cast<std::size_t>(n), size), values, seen, size);
        const double mean = window.sum / window.voxels;
        const double noise = window.noise / window.voxels;
        const double variance = std::max(window.squares / window.voxels - mean * mean, 0.0);
        const double kept = variance > noise ? 1 - noise / variance : 0;
        result.values(n) = std::max(mean + kept * (values(n).real() - mean), least * mean);
        if (mean > 0) {
            result.error += noise / (mean * mean);
            ++voxels;
        }
    }
    result.error = 0.5 * std::sqrt(result.error / std::max(voxels, 1.0));
    return result;
}

/// Voxels that are seen, drawn at random: those at which B is looked at.
std::vector<std::size_t> some_of(const RealVector& seen, std::size_t count,
                                 std::mt19937_64& generator) {
    std::vector<std::size_t> all;
    for (Eigen::Index n = 0; n < seen.size(); ++n) {
        if (seen(n) > 0) {
            all.push_back(static_cast<std::size_t>(n));
        }
    }
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < count && !all.empty(); ++i) {
        some.push_back(all[generator() % all.size()]);
    }
    return some;
}

/// The probes of all colours: what they have of the diagonal, and whole products while there is
/// room.
class Probes {
public:
    Probes(const RealVector& seen, const GridSize& size, const Colouring& colours,
           std::mt19937_64& generator)
        : phases_(random_phases(seen, generator)), colour_of_(seen.size()),
          own_(ComplexVector::Zero(seen.size())) {
        Eigen::ArrayXi in_use = Eigen::ArrayXi::Zero(colours.count);
        for (Eigen::Index n = 0; n < seen.size(); ++n) {
            const long colour = colours.of(position_of(static_cast<std::size_t>(n), size));
            colour_of_(n) = static_cast<int>(colour);
            in_use(colour) += seen(n) > 0 ? 1 : 0;
        }
        column_of_.assign(static_cast<std::size_t>(colours.count), -1);
        for (Eigen::Index colour = 0; colour < colours.count; ++colour) {
            column_of_[static_cast<std::size_t>(colour)] = in_use(colour) > 0 ? count_++ : -1;
        }
        const bool has_room = bytes_of_products(static_cast<std::size_t>(seen.size()),
                                                static_cast<std::size_t>(count_)) > 0;
        products_.resize(has_room ? seen.size() : 0, count_);
    }

    bool is_empty(long colour) const { return column_of_[static_cast<std::size_t>(colour)] < 0; }
    ComplexVector probe(long colour) const {
        return (colour_of_ == colour).select(phases_, ComplexVector::Zero(phases_.size()));
    }
    void add(long colour, const ComplexVector& probe, const ComplexVector& product) {
        own_ += probe.conjugate().cwiseProduct(product);
        if (products_.rows() > 0) {
            products_.col(column_of_[static_cast<std::size_t>(colour)]) =
                product.cast<std::complex<float>>();
        }
    }

    /// conj(v) B v, or with what the other probes know of B taken out where that scatters less.
    ComplexVector diagonal() const {
        const ComplexVector deflated = products_.rows() > 0 ? without_the_others() : own_;
        return deflated.imag().squaredNorm() < own_.imag().squaredNorm() ? deflated : own_;
    }

private:
    /// The approximation of B by all probes but that of colour c is Nystroem's (Epperly, Tropp and
    /// Webber 2024, SIAM J. Matrix Anal. Appl. 45:1), where Z = B V:
    ///
    ///     B_c = Z G Z^H - u_c u_c^H / G_cc,  G = (V^H Z)^-1,  U = Z G,  (B - B_c) v_c = u_c / G_cc
    ///
    /// Its diagonal is known, and the probe of c shows that of B - B_c, which has less between
    /// voxels where few directions have most of B.
    ComplexVector without_the_others() const {
        Eigen::MatrixXcd h = Eigen::MatrixXcd::Zero(count_, count_); // V^H Z
        for (Eigen::Index n = 0; n < phases_.size(); ++n) {
            if (const int row = column(n); row >= 0) {
                h.row(row) += std::conj(phases_(n)) * products_.row(n).cast<Complex>();
            }
        }
        const Eigen::MatrixXcd g =
            ((h + h.adjoint()) / 2).ldlt().solve(Eigen::MatrixXcd::Identity(count_, count_));
        const Eigen::MatrixXcf g_in_floats = g.cast<std::complex<float>>();
        ComplexVector values = ComplexVector::Zero(phases_.size());
        for (Eigen::Index n = 0; n < phases_.size(); ++n) {
            const int own = column(n);
            const double weight = own >= 0 ? g(own, own).real() : 0;
            if (!(weight > 0)) {
                continue;
            }
            const Eigen::RowVectorXcf u = products_.row(n) * g_in_floats;
            const Complex of_own = u(own);
            values(n) = static_cast<double>(u.dot(products_.row(n)).real()) +
                        (std::conj(phases_(n)) * of_own - std::norm(of_own)) / weight;
        }
        return values;
    }
    /// The column of a voxel's colour; none where it is not seen.
    int column(Eigen::Index n) const {
        return phases_(n) == Complex(0) ? -1 : column_of_[static_cast<std::size_t>(colour_of_(n))];
    }

    ComplexVector phases_; ///< N, 0 where nothing is seen
    Eigen::ArrayXi colour_of_;
    std::vector<int> column_of_; ///< by colour, -1 for one that no voxel has
    int count_ = 0;
    ComplexVector own_;
    Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> products_;
};

} // namespace

double bytes_of_products(std::size_t voxels, std::size_t probes) {
    constexpr double most = 1 << 27;
    const auto bytes = static_cast<double>(voxels * probes * sizeof(std::complex<float>));
    return bytes <= most ? bytes : 0;
}

std::optional<ProbedDiagonal> probed_diagonal(const LinearMap& b, const GridSize& size,
                                              const RealVector& seen, std::size_t most,
                                              Listener listener) {
    constexpr std::size_t share_of_pilots = 12;
    constexpr std::size_t most_pilots = 6;
    constexpr double gain_by_smoothing = 4; // of a variance, at most
    std::mt19937_64 generator(1);
    const std::vector<std::size_t> pilots =
        some_of(seen, std::clamp<std::size_t>(most / share_of_pilots, 1, most_pilots), generator);
    Neighbours neighbours;
    std::size_t products = 0;
    for (const std::size_t n : pilots) {
        ComplexVector one = ComplexVector::Zero(seen.size());
        one(static_cast<Eigen::Index>(n)) = 1;
        neighbours.add(n, b(one), size);
        listener.progress(static_cast<double>(++products) / static_cast<double>(most));
    }
    const auto left = static_cast<long>(most - std::min(most - 1, products));
    const Colouring colours = choose_colouring(left, neighbours, generator);
    if (colours.leak / 2 * static_cast<double>(colours.count) > gain_by_smoothing) {
        return std::nullopt;
    }
    Probes probes(seen, size, colours, generator);
    const auto all = static_cast<double>(products) + static_cast<double>(colours.count);
    for (long colour = 0; colour < colours.count; ++colour) {
        if (!probes.is_empty(colour)) {
            const ComplexVector probe = probes.probe(colour);
            probes.add(colour, probe, b(probe));
            ++products;
        }
        listener.progress(static_cast<double>(products) / all);
    }
    ProbedDiagonal result = smoothed(probes.diagonal(), seen, size);
    result.products = products;
    return result;
}

} // namespace lsrecon
