#include "operators/temporal_variation.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace lsrecon {

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
