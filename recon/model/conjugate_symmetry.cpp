// Solves the centre of k-space, takes its phase out, and compares real with imaginary parts.

#include "model/conjugate_symmetry.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "encoding/solve.hpp"
#include "operators/q.hpp"

namespace lsrecon {

namespace {

const SolveOptions of_centre{0.01, iterations_of_symmetry, 1e-3};
constexpr double inner = 0.75; ///< share of the centre that predicts the phase of the rest
/// Full conjugates have 4 r of the energy S that is missing as their error, and zeros (1 + r) S.
constexpr double most_asymmetry = 1.0 / 3;
constexpr double narrowest = 6; ///< cycles/FOV to either side
/// Errors of a phantom and a brain at SNR 10 to 40 differed by 2 % in the mean with 0.3 and 1.
constexpr double weight = 0.5;

using Cell = std::array<long, 3>; ///< frequencies of the grid

/// The part of k-space that is sampled to both sides of 0.
class Centre {
public:
    Centre(const std::vector<Vec3>& positions, const Grid& grid) : grid_(grid) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            double low = 0;
            double high = 0;
            for (const Vec3& k : positions) {
                low = std::max(low, -k[d]);
                high = std::max(high, k[d]);
            }
            const double far = std::max(low, high);
            half_[d] = std::min(low, high);
            is_partial_[d] = far - half_[d] > std::max(2.0, 0.1 * far);
        }
    }
    bool is_partial() const { return is_partial_[0] || is_partial_[1] || is_partial_[2]; }
    /// The half width along the narrowest axis that is sampled on one side.
    double half() const {
        double least = 1e9;
        for (std::size_t d = 0; d < 3; ++d) {
            least = is_partial_[d] ? std::min(least, half_[d]) : least;
        }
        return least;
    }
    /// Whether k is within a share of it.
    template <typename Position> bool holds(const Position& k, double share = 1) const {
        for (std::size_t d = 0; d < 3; ++d) {
            if (is_partial_[d] && std::abs(static_cast<double>(k[d])) > share * half_[d]) {
                return false;
            }
        }
        return true;
    }
    /// A Hann window over a share of it.
    double window(const Cell& k, double share) const {
        double product = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            if (is_partial_[d]) {
                const double at = std::abs(static_cast<double>(k[d])) / (share * half_[d]);
                product *= at < 1 ? std::pow(std::cos(pi * at / 2), 2) : 0;
            }
        }
        return product;
    }
    /// The frequency at an index of a transform, and the index of a frequency.
    Cell cell(std::size_t index) const {
        Cell k{};
        for (std::size_t d = 0; d < 3; ++d) {
            const auto size = static_cast<long>(grid_.size[d]);
            const long at = static_cast<long>(index) % size;
            k[d] = 2 * at < size ? at : at - size;
            index /= grid_.size[d];
        }
        return k;
    }
    std::size_t index(const Cell& k) const {
        std::size_t index = 0;
        for (std::size_t d = 3; d-- > 0;) {
            const auto size = static_cast<long>(grid_.size[d]);
            index = index * grid_.size[d] + static_cast<std::size_t>((k[d] % size + size) % size);
        }
        return index;
    }

private:
    const Grid& grid_;
    Vec3 half_{0, 0, 0}; ///< cycles/FOV
    std::array<bool, 3> is_partial_{};
};

/// What each set of coil maps adds.
struct Energies {
    double real = 0;
    double imaginary = 0;
};

/// The image of one set of the centre's samples.
class CentreImage {
public:
    CentreImage(const Centre& centre, const Grid& grid, ComplexVector image)
        : centre_(centre), fft_(grid.size), kspace_(std::move(image)) {
        fft_.forward(kspace_.data());
    }

    /// Phase factors of its part within a share of the centre; 0 where there is nothing.
    ComplexVector phase(double share) const {
        ComplexVector factors = filtered([&](const Cell& k) { return centre_.window(k, share); });
        for (Complex& factor : factors) {
            const double size = std::abs(factor);
            factor = size > 0 ? factor / size : Complex(0);
        }
        return factors;
    }
    /// Real and imaginary energy, once the inner phase is out, at frequencies beyond the inner
    /// part that have samples on both sides.
    void add(const std::vector<bool>& sampled, Energies& energies) const {
        ComplexVector real = phase(inner).conjugate().cwiseProduct(
            filtered([&](const Cell& k) { return centre_.holds(k) ? 1.0 : 0.0; }));
        fft_.forward(real.data());
        for (std::size_t i = 0; i < sampled.size(); ++i) {
            const Cell k = centre_.cell(i);
            const std::size_t other = centre_.index({-k[0], -k[1], -k[2]});
            if (sampled[i] && sampled[other] && centre_.holds(k) && !centre_.holds(k, inner)) {
                const Complex here = real(static_cast<Eigen::Index>(i));
                const Complex there = std::conj(real(static_cast<Eigen::Index>(other)));
                energies.real += std::norm(here + there);
                energies.imaginary += std::norm(here - there);
            }
        }
    }

private:
    template <typename Factor> ComplexVector filtered(const Factor& factor) const {
        ComplexVector values = kspace_;
        for (Eigen::Index i = 0; i < values.size(); ++i) {
            values(i) *= factor(centre_.cell(static_cast<std::size_t>(i)));
        }
        fft_.backward(values.data());
        return values;
    }

    const Centre& centre_;
    Fft<double> fft_;
    ComplexVector kspace_;
};

/// The image of the centre's samples, of all sets of coil maps.
ComplexVector image_of(const Encoding& encoding, const Frame& centre, Listener listener) {
    Transforms& transforms = encoding.transforms();
    const Encoding of(transforms, encoding.images(), *centre.trajectory);
    const NormalOperator n(of, [&](const Trajectory& trajectory) {
        return compute_q(transforms, trajectory, of.formulation().grid, listener);
    });
    return solve(LeastSquares(n, of_centre), of.adjoint(centre.samples, listener).volumes,
                 of_centre)
        .image;
}

/// The share of signal, in an image of all coils, of the samples that have no counterpart.
double signal_beyond(const Centre& centre, const Frame& frame, double noise) {
    double energy = 0;
    double of_noise = 0;
    const Trajectory& trajectory = *frame.trajectory;
    frame.samples.visit([&](const auto& samples) {
        for (std::size_t m = 0; m < trajectory.samples(); ++m) {
            if (!centre.holds(trajectory.positions[m])) {
                const auto of_coils = samples.col(static_cast<Eigen::Index>(m));
                energy += trajectory.weight(m) * of_coils.template cast<Complex>().squaredNorm();
                of_noise += trajectory.weight(m) * noise;
            }
        }
    });
    const double signal = std::max(0.0, energy - of_noise);
    const double left = of_noise / static_cast<double>(frame.samples.rows());
    return signal > 0 ? signal / (signal + left) : 0;
}

void require_centre(const Centre& centre, const std::string& file) {
    if (centre.half() < narrowest) {
        throw InputError({file, "centre of k-space, whose phase `conjugate_symmetry` takes",
                          text(centre.half(), " cycles/FOV to the side that ends first"),
                          text("at least ", narrowest), "leave `conjugate_symmetry` out"});
    }
}

} // namespace

FoundSymmetry find_symmetry(const Encoding& encoding, const Frame& frame, double noise,
                            const std::string& file, Listener listener) {
    const Grid& grid = encoding.formulation().grid;
    const std::vector<Vec3>& positions = frame.trajectory->positions;
    const Centre centre(positions, grid);
    FoundSymmetry found;
    found.about.is_partial = centre.is_partial();
    if (!centre.is_partial()) {
        return found;
    }
    require_centre(centre, file);
    std::vector<std::size_t> inside;
    std::vector<bool> sampled(grid.voxels());
    for (std::size_t m = 0; m < positions.size(); ++m) {
        if (centre.holds(positions[m])) {
            inside.push_back(m);
            const Vec3& k = positions[m];
            sampled[centre.index({std::lround(k[0]), std::lround(k[1]), std::lround(k[2])})] = true;
        }
    }
    const ComplexVector image = image_of(encoding, subset(frame, inside), listener);
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    Symmetry symmetry{ComplexVector(image.size()), 0, weight};
    Energies energies;
    for (Eigen::Index at = 0; at < image.size(); at += voxels) {
        const CentreImage of_set(centre, grid, image.segment(at, voxels));
        of_set.add(sampled, energies);
        symmetry.squares.segment(at, voxels) = of_set.phase(1).array().square().matrix();
    }
    found.about.asymmetry = energies.real > 0 ? energies.imaginary / energies.real : 1;
    if (found.about.asymmetry < most_asymmetry) {
        const double symmetric = (1 - found.about.asymmetry) / (1 + found.about.asymmetry);
        found.about.filled = symmetric * signal_beyond(centre, frame, noise);
        symmetry.share = (1 - found.about.filled) / (1 + found.about.filled);
        found.symmetry = std::make_shared<const Symmetry>(std::move(symmetry));
    }
    return found;
}

} // namespace lsrecon
