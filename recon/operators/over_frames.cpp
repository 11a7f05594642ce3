// Proximal maps over frames: the singular values of patches, and variation in time.

#include "operators/over_frames.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"

namespace lsrecon {

template <typename Real>
void OverFrames::apply(Map<Real> map, Device& device, double length, std::vector<Array>& z) const {
    const auto voxels = static_cast<Eigen::Index>(grid_.voxels());
    const auto count = static_cast<Eigen::Index>(images_);
    FrameStack<Real> images(count * voxels, static_cast<Eigen::Index>(z.size()));
    for (std::size_t f = 0; f < z.size(); ++f) {
        images.col(static_cast<Eigen::Index>(f)) =
            device.download(z[f]).template cast<std::complex<Real>>();
    }
    for (Eigen::Index i = 0; i < count; ++i) {
        images.middleRows(i * voxels, voxels) =
            map(grid_, images.middleRows(i * voxels, voxels), length);
    }
    for (std::size_t f = 0; f < z.size(); ++f) {
        device.upload(images.col(static_cast<Eigen::Index>(f)).template cast<Complex>().eval(),
                      z[f]);
    }
}

void OverFrames::apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const {
    const double length = step.length() / step.penalty;
    if (z.front().element().precision == Precision::float64) {
        apply(of_doubles_, device, length, z);
    } else {
        apply(of_floats_, device, length, z);
    }
}

namespace {

using Matrix = Eigen::MatrixXcd;
using Patch = std::vector<Eigen::Index>;

/// The positions along a dimension at which patches of this length begin, and the end of the
/// dimension. The first patch is shorter by the shift.
std::vector<std::size_t> cuts(std::size_t size, std::size_t length, std::size_t shift) {
    std::vector<std::size_t> at{0};
    for (std::size_t next = shift > 0 ? shift : length; next < size; next += length) {
        at.push_back(next);
    }
    at.push_back(size);
    return at;
}

double root_of(std::size_t count) {
    return std::sqrt(static_cast<double>(count));
}

template <typename Real> Matrix casorati_of(const FrameStack<Real>& frames, const Patch& patch) {
    Matrix casorati(static_cast<Eigen::Index>(patch.size()), frames.cols());
    for (Eigen::Index f = 0; f < frames.cols(); ++f) {
        for (std::size_t p = 0; p < patch.size(); ++p) {
            casorati(static_cast<Eigen::Index>(p), f) = Complex(frames(patch[p], f));
        }
    }
    return casorati;
}

/// C V g V^H with V of C^H C, or V g V^H C with V of C C^H, whichever is smaller; s^2 are the
/// eigenvalues, g = 1 - length / s for each s above the length.
Matrix shortened(const Matrix& casorati, double length) {
    const bool wide = casorati.cols() > casorati.rows();
    const HermitianEigen squares =
        eigen_of(wide ? Matrix(casorati * casorati.adjoint()) : casorati.adjoint() * casorati);
    if (!squares.has_converged) {
        throw ToleranceError("solve: the singular values of a patch of `reg` llr did not converge"
                             "\n  next:     run 'lsrecon validate' on this device");
    }
    const RealVector s = squares.values.cwiseMax(0).cwiseSqrt(); // ascending
    const auto kept = (s.array() > length).count();
    if (kept == 0) {
        return Matrix::Zero(casorati.rows(), casorati.cols());
    }
    const Matrix v = squares.vectors.rightCols(kept);
    const RealVector gain = 1 - length / s.tail(kept).array();
    return wide ? Matrix(v * (gain.asDiagonal() * (v.adjoint() * casorati)))
                : Matrix(((casorati * v) * gain.asDiagonal()) * v.adjoint());
}

} // namespace

std::array<std::size_t, 3> patch_size(const Grid& grid) {
    const std::size_t side = grid.dimensions == 3 ? 4 : 8; // 64 voxels
    std::array<std::size_t, 3> size = grid.size;
    for (std::size_t& length : size) {
        length = std::min(length, side);
    }
    return size;
}

double shortening_by_length(const Grid& grid, std::size_t frames) {
    const std::array<std::size_t, 3> size = patch_size(grid);
    return root_of(size[0] * size[1] * size[2]) + root_of(frames);
}

std::size_t tilings(const Grid& grid) {
    std::size_t count = 1;
    for (const std::size_t length : grid.size) {
        count *= length > 1 ? 2 : 1;
    }
    return count;
}

std::vector<Patch> patches_of(const Grid& grid, std::size_t tiling) {
    const std::array<std::size_t, 3> side = patch_size(grid);
    std::array<std::vector<std::size_t>, 3> at;
    for (std::size_t d = 0; d < 3; ++d) {
        const bool may_shift = grid.size[d] > 1;
        at[d] = cuts(grid.size[d], side[d], may_shift && tiling % 2 == 1 ? side[d] / 2 : 0);
        tiling /= may_shift ? 2 : 1;
    }
    std::vector<Patch> patches;
    for (std::size_t k = 0; k + 1 < at[2].size(); ++k) {
        for (std::size_t j = 0; j + 1 < at[1].size(); ++j) {
            for (std::size_t i = 0; i + 1 < at[0].size(); ++i) {
                Patch patch;
                for (std::size_t z = at[2][k]; z < at[2][k + 1]; ++z) {
                    for (std::size_t y = at[1][j]; y < at[1][j + 1]; ++y) {
                        for (std::size_t x = at[0][i]; x < at[0][i + 1]; ++x) {
                            patch.push_back(static_cast<Eigen::Index>(
                                (z * grid.size[1] + y) * grid.size[0] + x));
                        }
                    }
                }
                patches.push_back(std::move(patch));
            }
        }
    }
    return patches;
}

template <typename Real> void add_shortened(const Grid& grid, std::size_t tiling,
                                            const FrameStack<Real>& frames, double length,
                                            double share, FrameStack<Real>& sum) {
    const std::vector<Patch> patches = patches_of(grid, tiling); // which share no voxel
    const double of_frames = root_of(static_cast<std::size_t>(frames.cols()));
    for_each_in_parallel(patches.size(), [&](std::size_t i) {
        const Patch& patch = patches[i];
        const Matrix casorati = casorati_of(frames, patch);
        const Matrix result = shortened(casorati, length * (root_of(patch.size()) + of_frames));
        for (Eigen::Index f = 0; f < frames.cols(); ++f) {
            for (std::size_t p = 0; p < patch.size(); ++p) {
                sum(patch[p], f) +=
                    std::complex<Real>(share * result(static_cast<Eigen::Index>(p), f));
            }
        }
    });
}

template <typename Real> FrameStack<Real>
low_rank_shortened(const Grid& grid, const FrameStack<Real>& frames, double length) {
    FrameStack<Real> mean = FrameStack<Real>::Zero(frames.rows(), frames.cols());
    const std::size_t count = tilings(grid);
    for (std::size_t tiling = 0; tiling < count; ++tiling) {
        add_shortened(grid, tiling, frames, length, 1 / static_cast<double>(count), mean);
    }
    return mean;
}

template void add_shortened(const Grid&, std::size_t, const FrameStack<double>&, double, double,
                            FrameStack<double>&);
template FrameStack<float> low_rank_shortened(const Grid&, const FrameStack<float>&, double);
template FrameStack<double> low_rank_shortened(const Grid&, const FrameStack<double>&, double);

namespace {

using Vec = Eigen::Vector2d; ///< a complex number
using Block = Eigen::Matrix2d;

constexpr double enough = 1e-6; ///< distance from the minimum, relative
constexpr double centring = 0.15; ///< the next gap in units of this one; 0.05 to 0.3 serve
constexpr double to_the_edge = 0.95; ///< share of the way
constexpr int most_steps = 60; ///< 10 to 25 are needed

/// The values v of one voxel in units of the length, with D the differences of consecutive ones.
/// The dual problem is to minimise 1/2 |v - D^H y|^2 over |y(k)| <= 1, and z = v - D^H y. With a
/// multiplier m(k) >= 0 of each bound its minimum has
///
///     D z - m y = 0,    m (1 - |y|^2) = 0
///
/// A primal-dual interior-point method: Newton's steps towards a right-hand side of `centre` in
/// place of the second 0, which follows the gap down. Their matrix is tridiagonal in blocks of 2.
class Voxel {
public:
    explicit Voxel(std::size_t frames)
        : v_(frames), z_(frames), y_(frames - 1), m_(frames - 1), inverse_(frames - 1),
          right_(frames - 1), step_(frames) {}

    Vec& v(std::size_t f) { return v_[f]; }
    const Vec& z(std::size_t f) const { return z_[f]; }

    void minimise() {
        if (is_constant()) {
            return;
        }
        double norm = 0;
        for (const Vec& value : v_) {
            norm += value.squaredNorm();
        }
        for (std::size_t k = 0; k < y_.size(); ++k) {
            y_[k].setZero();
            m_[k] = std::max((v_[k + 1] - v_[k]).norm(), 0.1);
        }
        // 1/2 |z - minimum|^2 <= gap; a gap that is no number ends it.
        for (int i = 0; i < most_steps && gap() > 0.5 * enough * enough * norm; ++i) {
            newton_step();
        }
    }

private:
    /// z = the mean of v where that is the minimum: its y is known, and may not be too long.
    bool is_constant() {
        Vec mean = Vec::Zero();
        for (const Vec& value : v_) {
            mean += value / static_cast<double>(v_.size());
        }
        Vec y = Vec::Zero();
        for (std::size_t f = 0; f < v_.size(); ++f) {
            z_[f] = mean;
            y += mean - v_[f];
            if (y.squaredNorm() > 1) {
                return false;
            }
        }
        return true;
    }

    Vec difference(std::size_t k) const { return z_[k + 1] - z_[k]; }

    /// z, and how far it may be above the minimum.
    double gap() {
        for (std::size_t f = 0; f < v_.size(); ++f) {
            z_[f] = v_[f];
            z_[f] += f < y_.size() ? y_[f] : Vec(Vec::Zero());
            z_[f] -= f > 0 ? y_[f - 1] : Vec(Vec::Zero());
        }
        double sum = 0;
        for (std::size_t k = 0; k < y_.size(); ++k) {
            sum += difference(k).norm() - y_[k].dot(difference(k));
        }
        return sum;
    }

    double centre() const {
        double sum = 0;
        for (std::size_t k = 0; k < y_.size(); ++k) {
            sum += m_[k] * (1 - y_[k].squaredNorm());
        }
        return centring * sum / static_cast<double>(y_.size());
    }

    /// Takes one Newton step: eliminates the 2 x 2 blocks forwards, substitutes backwards, and goes
    /// the whole step or 95 % of the way to the nearest bound, whichever is less.
    void newton_step() {
        const double centre = this->centre();
        for (std::size_t k = 0; k < y_.size(); ++k) {
            const double slack = 1 - y_[k].squaredNorm();
            Block block =
                (2 + m_[k]) * Block::Identity() + 2 * m_[k] / slack * y_[k] * y_[k].transpose();
            right_[k] = difference(k) - centre / slack * y_[k];
            if (k > 0) {
                block -= inverse_[k - 1];
                right_[k] += inverse_[k - 1] * right_[k - 1];
            }
            inverse_[k] = block.inverse();
        }
        step_[y_.size()].setZero();
        double most = 1 / to_the_edge;
        for (std::size_t k = y_.size(); k-- > 0;) {
            step_[k] = inverse_[k] * (right_[k] + step_[k + 1]);
            const double slack = 1 - y_[k].squaredNorm();
            const double along = y_[k].dot(step_[k]);
            const double root = std::sqrt(along * along + slack * step_[k].squaredNorm());
            most = along + root > 0 ? std::min(most, slack / (along + root)) : most;
            right_[k](0) = (centre + 2 * m_[k] * along) / slack - m_[k]; // the step of m
            most = right_[k](0) < 0 ? std::min(most, -m_[k] / right_[k](0)) : most;
        }
        for (std::size_t k = 0; k < y_.size(); ++k) {
            y_[k] += to_the_edge * most * step_[k];
            m_[k] += to_the_edge * most * right_[k](0);
        }
    }

    std::vector<Vec> v_;
    std::vector<Vec> z_;
    std::vector<Vec> y_;
    std::vector<double> m_;
    std::vector<Block> inverse_;
    std::vector<Vec> right_;
    std::vector<Vec> step_;
};

} // namespace

template <typename Real> FrameStack<Real>
temporal_variation_shortened(const Grid&, const FrameStack<Real>& frames, double length) {
    if (length == 0) {
        return frames;
    }
    constexpr std::size_t at_once = 256;
    FrameStack<Real> shortened(frames.rows(), frames.cols());
    const auto voxels = static_cast<std::size_t>(frames.rows());
    const auto count = static_cast<std::size_t>(frames.cols());
    for_each_in_parallel(divide_up(voxels, at_once), [&](std::size_t i) {
        Voxel voxel(count);
        for (std::size_t n = i * at_once; n < std::min(voxels, (i + 1) * at_once); ++n) {
            const auto row = static_cast<Eigen::Index>(n);
            for (std::size_t f = 0; f < count; ++f) {
                const Complex value(frames(row, static_cast<Eigen::Index>(f)));
                voxel.v(f) = Vec(value.real(), value.imag()) / length;
            }
            voxel.minimise();
            for (std::size_t f = 0; f < count; ++f) {
                const Vec value = length * voxel.z(f);
                shortened(row, static_cast<Eigen::Index>(f)) =
                    std::complex<Real>(Complex(value(0), value(1)));
            }
        }
    });
    return shortened;
}

template FrameStack<float> temporal_variation_shortened(const Grid&, const FrameStack<float>&,
                                                        double);
template FrameStack<double> temporal_variation_shortened(const Grid&, const FrameStack<double>&,
                                                         double);

} // namespace lsrecon
