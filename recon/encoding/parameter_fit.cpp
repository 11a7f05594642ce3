// Minimises what an image leaves of the samples over the image and a few numbers: with P the
// projection off the range of A(p) and r = P d, the columns of the Jacobian are
// P (A'(shift_i) rho + i phase_i A rho), where A rho is the image's part of d (Golub and Pereyra
// 1973; Kaufman 1975, BIT 15:49).

#include "encoding/parameter_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/parallel.hpp"
#include "encoding/least_squares.hpp"
#include "encoding/sample_energy.hpp"
#include "operators/q.hpp"
#include "scan/noise.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

/// The problem of a frame with some numbers, and its solution.
class FrameAt {
public:
    /// All must outlive it.
    FrameAt(Transforms& transforms, const Formulation& formulation, ImageSpace& space,
            const FrameOfFit& of, const RealVector& values, const SolveOptions& options)
        : of_(of), options_(options),
          trajectory_(moved(*of.frame.trajectory, of.parameters, values)),
          samples_(of.frame.samples), encoding_(transforms, space, trajectory_),
          n_(encoding_, [&](const Trajectory& trajectory) {
              return compute_q(transforms, trajectory, formulation.grid);
          }) {
        take_out(phases_of(of.parameters, values), samples_);
        images_ = solved(encoding_.adjoint(samples_).volumes);
        explained_ = encoding_.forward(images_);
        residual_ = samples_.to_doubles() - explained_;
        left_ = weighted(residual_, residual_);
    }
    FrameAt(const FrameAt&) = delete;

    double left() const { return left_; }

    /// Adds the products of the columns of the Jacobian with each other, before the projection
    /// (on the diagonal) and after it, and with what is left.
    void add_to(RealVector& before, Eigen::MatrixXd& products, RealVector& with_left) const {
        const std::vector<CoilMatrix> columns = columns_of_jacobian();
        std::vector<Volume> back;
        for (const CoilMatrix& column : columns) {
            for (Volume& volume : encoding_.adjoint(CoilRows(column)).volumes) {
                back.push_back(std::move(volume));
            }
        }
        const std::vector<ComplexVector> taken_up = solved(back);
        const auto of_column = static_cast<std::ptrdiff_t>(images_.size());
        for (std::size_t b = 0; b < columns.size(); ++b) {
            const auto column = static_cast<Index>(b);
            const auto first = taken_up.begin() + column * of_column;
            const CoilMatrix projected =
                columns[b] -
                encoding_.forward(std::vector<ComplexVector>(first, first + of_column));
            before(column) += weighted(columns[b], columns[b]);
            with_left(column) += weighted(columns[b], residual_);
            for (std::size_t a = 0; a < columns.size(); ++a) {
                products(static_cast<Index>(a), column) += weighted(columns[a], projected);
            }
        }
    }

    /// The share of white noise that images leave of it.
    double share_of_noise_left() const {
        CoilMatrix noise = CoilMatrix::Zero(residual_.rows(), residual_.cols());
        ReceiverNoise(1, 0, 1).add_to(noise);
        for (Index m = 0; m < noise.cols(); ++m) { // W^1/2 n is white
            const double weight = trajectory_.weight(static_cast<std::size_t>(m));
            noise.col(m) *= weight > 0 ? 1 / std::sqrt(weight) : 0;
        }
        const CoilMatrix left =
            noise - encoding_.forward(solved(encoding_.adjoint(CoilRows(noise)).volumes));
        return weighted(left, noise) / weighted(noise, noise);
    }

private:
    /// Some problems on each core, by a system of its own: one is too small for many cores.
    std::vector<ComplexVector> solved(const std::vector<Volume>& fhd) const {
        std::vector<ComplexVector> images(fhd.size());
        for_each_range_in_parallel(fhd.size(), all_cores(), [&](const Range& some) {
            limit_cores(std::max<std::size_t>(1, all_cores() / fhd.size()));
            const LeastSquares problem(n_, options_);
            for (std::size_t i = some.first; i < some.first + some.count; ++i) {
                images[i] = fhd[i].norm() > 0 ? problem.system().solve(fhd[i], options_).x
                                              : ComplexVector(ComplexVector::Zero(
                                                    static_cast<Index>(encoding_.voxels())));
            }
        });
        return images;
    }

    std::vector<CoilMatrix> columns_of_jacobian() const {
        const auto samples = static_cast<std::size_t>(trajectory_.samples());
        std::vector<CoilMatrix> along; // each axis
        for (std::size_t d = 0; d < 3; ++d) {
            const bool moves = std::any_of(
                of_.parameters.begin(), of_.parameters.end(), [&](const SampleParameter& one) {
                    return std::any_of(one.shift.begin(), one.shift.end(),
                                       [&](const Vec3& shift) { return shift[d] != 0; });
                });
            Vec3 axis{0, 0, 0};
            axis[d] = 1;
            along.push_back(moves ? encoding_.derivative(images_, std::vector<Vec3>(samples, axis))
                                  : CoilMatrix());
        }
        std::vector<CoilMatrix> columns;
        for (const SampleParameter& one : of_.parameters) {
            CoilMatrix column = CoilMatrix::Zero(explained_.rows(), explained_.cols());
            for (Index m = 0; m < column.cols(); ++m) {
                for (std::size_t d = 0; d < 3 && !one.shift.empty(); ++d) {
                    if (const double shift = one.shift[static_cast<std::size_t>(m)][d];
                        shift != 0) {
                        column.col(m) += shift * along[d].col(m);
                    }
                }
                if (one.phase.size() > 0) {
                    column.col(m) += Complex(0, one.phase(m)) * explained_.col(m);
                }
            }
            columns.push_back(std::move(column));
        }
        return columns;
    }

    /// Re <a, W b>
    double weighted(const CoilMatrix& a, const CoilMatrix& b) const {
        double sum = 0;
        for (Index m = 0; m < a.cols(); ++m) {
            sum += trajectory_.weight(static_cast<std::size_t>(m)) * a.col(m).dot(b.col(m)).real();
        }
        return sum;
    }

    const FrameOfFit& of_;
    const SolveOptions& options_;
    const Trajectory trajectory_;
    CoilRows samples_; ///< without the phases
    Encoding encoding_;
    NormalOperator n_;
    std::vector<ComplexVector> images_;
    CoilMatrix explained_; ///< A rho
    CoilMatrix residual_;
    double left_ = 0;
};

/// All frames with some numbers.
class AllFrames {
public:
    AllFrames(Transforms& transforms, const Formulation& formulation, ImageSpace& space,
              const std::vector<FrameOfFit>& frames, const RealVector& values,
              const SolveOptions& options)
        : values(values) {
        for (const FrameOfFit& of : frames) {
            frames_.push_back(
                std::make_unique<FrameAt>(transforms, formulation, space, of, values, options));
            left += frames_.back()->left();
        }
    }

    /// Gauss-Newton's step from here.
    struct Step {
        RealVector by;
        double lowers = 0; ///< what is left, by so much, as far as that is quadratic
        /// The inverse of half the curvature of what is left; infinite for numbers that the image
        /// makes up for, which stay.
        Eigen::MatrixXd inverse;
    };
    Step step() const {
        const Index count = values.size();
        RealVector before = RealVector::Zero(count);
        RealVector with_left = RealVector::Zero(count);
        Eigen::MatrixXd products = Eigen::MatrixXd::Zero(count, count);
        for (const auto& frame : frames_) {
            frame->add_to(before, products, with_left);
        }
        // Each parameter in the unit in which its column has length 1 before the projection.
        const RealVector unit = (before.array() > 0).select(before.array().rsqrt(), 1).matrix();
        const Eigen::MatrixXd relative =
            unit.asDiagonal() * (0.5 * (products + products.transpose())) * unit.asDiagonal();
        const HermitianEigen eigen = eigen_of(relative.cast<Complex>());
        Step step{{}, 0, Eigen::MatrixXd::Zero(count, count)};
        RealVector unknown = RealVector::Zero(count);
        for (Index i = 0; i < count; ++i) {
            constexpr double taken_up = 1e-4; // what rounding and few iterations leave of a column
            const RealVector vector = eigen.vectors.col(i).real();
            if (eigen.values(i) > taken_up) {
                step.inverse += vector * vector.transpose() / eigen.values(i);
            } else {
                unknown += vector.cwiseAbs2();
            }
        }
        step.inverse = unit.asDiagonal() * step.inverse * unit.asDiagonal();
        step.by = step.inverse * with_left;
        step.lowers = step.by.dot(with_left);
        for (Index i = 0; i < count; ++i) {
            constexpr double hardly = 1e-3;
            if (unknown(i) > hardly) {
                step.inverse(i, i) = std::numeric_limits<double>::infinity();
            }
        }
        return step;
    }
    double share_of_noise_left() const { return frames_.front()->share_of_noise_left(); }

    const RealVector values;
    double left = 0;

private:
    std::vector<std::unique_ptr<FrameAt>> frames_;
};

/// The model in which frames are fitted.
struct FitSpace {
    FitSpace(Transforms& by, const Grid& grid, const CoilRows& maps,
             const std::vector<FrameOfFit>& all, const SolveOptions& options)
        : transforms(by), formulation{grid, Voxels::of_grid(grid), true, !maps.empty(), false},
          space(by.device(), formulation, maps), frames(all), solve(options) {}

    std::unique_ptr<AllFrames> at(const RealVector& values) {
        return std::make_unique<AllFrames>(transforms, formulation, space, frames, values, solve);
    }

    Transforms& transforms;
    const Formulation formulation;
    ImageSpace space;
    const std::vector<FrameOfFit>& frames;
    const SolveOptions& solve;
};

/// The frames after some of a step, or null where no half of a half lowers what is left.
std::unique_ptr<AllFrames> stepped(FitSpace& space, const AllFrames& from, const RealVector& by,
                                   int halves) {
    for (int i = 0; i < halves; ++i) {
        std::unique_ptr<AllFrames> next = space.at(from.values + std::ldexp(1.0, -i) * by);
        if (next->left < from.left) {
            return next;
        }
    }
    return nullptr;
}

/// Whether noise alone would explain what all numbers do, where so much is left.
bool may_be_noise(ParameterFit fit, double left) {
    constexpr double likely = 1e-3;
    fit.left = left;
    return fit.chance() > likely;
}

} // namespace

double ParameterFit::deviation(std::size_t parameter) const {
    const auto i = static_cast<Index>(parameter);
    return std::sqrt(covariance(i, i));
}

double ParameterFit::chance() const {
    if (left == 0 || left_before <= left) {
        return left_before > left ? 0 : 1;
    }
    const auto count = static_cast<double>(values.size());
    const double per_number = (left_before - left) / count / noise(); // 1 of noise
    return per_number > 1 ? std::exp(count / 2 * (std::log(per_number) + 1 - per_number)) : 1;
}

ParameterFit fit_parameters(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                            const std::vector<FrameOfFit>& frames,
                            const ParameterFitOptions& options) {
    FitSpace space(transforms, grid, maps, frames, options.solve);
    const RealVector zero = RealVector::Zero(static_cast<Index>(frames.front().parameters.size()));
    std::unique_ptr<AllFrames> now = space.at(zero);
    ParameterFit fit;
    fit.values = zero;
    fit.left_before = now->left;
    if (options.start.size() > 0 && !options.start.isZero()) {
        std::unique_ptr<AllFrames> start = space.at(options.start);
        now = start->left < now->left ? std::move(start) : std::move(now);
    }
    double samples = 0;
    for (const FrameOfFit& of : frames) {
        fit.energy += energy_of(*of.frame.trajectory, of.frame.samples);
        samples += static_cast<double>(of.frame.samples.rows() * of.frame.samples.columns());
    }
    fit.freedom =
        std::max(1.0, 2 * samples * now->share_of_noise_left() - static_cast<double>(zero.size()));
    AllFrames::Step step = now->step();
    for (int i = 0; i < options.steps; ++i) {
        constexpr double of_deviation = 0.05; // a step so short changes nothing that is known
        constexpr double resolved = 1e-9; // of the energy, in single precision
        const double short_step = of_deviation * of_deviation * now->left / fit.freedom;
        if (step.lowers < std::max(short_step, resolved * fit.energy)) {
            break;
        }
        const int halves = may_be_noise(fit, now->left - step.lowers) ? 2 : 4;
        std::unique_ptr<AllFrames> next = stepped(space, *now, step.by, halves);
        if (!next) {
            break;
        }
        now = std::move(next);
        if (may_be_noise(fit, now->left)) { // another step is as small
            break;
        }
        step = now->step();
    }
    fit.values = now->values;
    fit.left = now->left;
    fit.covariance = step.inverse * fit.noise();
    return fit;
}

} // namespace lsrecon
