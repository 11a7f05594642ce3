// Minimises what an image leaves of the samples over the image and a few numbers of the field. The
// image takes up nearly all that a change of the field does, above 99 % of its energy, so that only
// the projection off the range of A shows the rest. With r = d - A rho and J_p = -2 pi i t A(b_p
// rho), one transform has the gradient of all numbers,
//
//     Re <J_p, W r> = sum_n b_p(n) Re(2 pi i conj(rho(n)) (A^H W t r)(n)),
//
// and the curvature Re <J_p, W J_q> - Re <A^H W J_p, N^-1 A^H W J_q> is kept from step to step.

#include "encoding/field_fit.hpp"

#include <cmath>
#include <memory>

#include <Eigen/LU>

#include "encoding/least_squares.hpp"
#include "encoding/sample_energy.hpp"
#include "operators/q.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

struct FitOfFrame {
    Transforms& transforms;
    const Grid& grid;
    const CoilRows& maps;
    const Frame& frame;
    const OffResonance& field;
    const Eigen::MatrixXd& basis;
    const FieldFitOptions& options;

    OffResonance field_with(const RealVector& values) const {
        return {field.field + basis.transpose() * values, field.r2star};
    }
};

/// Re <a, W b>
double weighted(const Trajectory& trajectory, const CoilMatrix& a, const CoilMatrix& b) {
    double sum = 0;
    for (Index m = 0; m < a.cols(); ++m) {
        sum += trajectory.weight(static_cast<std::size_t>(m)) * a.col(m).dot(b.col(m)).real();
    }
    return sum;
}

/// The image of a frame with some field, and what it leaves.
class ImageInField {
public:
    ImageInField(const FitOfFrame& of, RealVector numbers)
        : values(std::move(numbers)),
          of_(of), formulation_{of.grid,
                                Voxels::of_grid(of.grid).in_field(
                                    std::make_shared<const OffResonance>(of.field_with(values))),
                                of.transforms.segment_error() > 0, !of.maps.empty(), true},
          space_(of.transforms.device(), formulation_, of.maps),
          encoding_(of.transforms, space_, trajectory()),
          n_(encoding_,
             [&](const Trajectory& trajectory) {
                 return compute_q(of.transforms, trajectory, of.grid);
             }),
          problem_(n_, of.options.images) {
        images_ = solved(encoding_.adjoint(of.frame.samples).volumes, of.options.images);
        residual_ = of.frame.samples.to_doubles() - encoding_.forward(images_);
        left = weighted(trajectory(), residual_, residual_);
        penalised = left;
        for (const ComplexVector& image : images_) {
            penalised += of.options.images.lambda * n_.q_at_zero() * image.squaredNorm();
        }
    }
    ImageInField(const ImageInField&) = delete;

    /// Half the slope of what is left, downwards.
    RealVector downwards() const {
        CoilMatrix late = residual_;
        for (Index m = 0; m < late.cols(); ++m) {
            late.col(m) *= trajectory().times(m);
        }
        const std::vector<Volume> back = encoding_.adjoint(CoilRows(late)).volumes;
        RealVector slope = RealVector::Zero(of_.basis.cols());
        for (std::size_t i = 0; i < back.size(); ++i) {
            const ComplexVector product =
                images_[i].conjugate().cwiseProduct(back[i].values()) * Complex(0, 2 * pi);
            slope += product.real();
        }
        return of_.basis * slope;
    }

    /// A^H W t^2 A as if samples saw each voxel alone, and nothing were taken up.
    Eigen::MatrixXd rough_curvature() const {
        double squares = 0;
        for (Index m = 0; m < residual_.cols(); ++m) {
            squares += trajectory().weight(static_cast<std::size_t>(m)) *
                       std::pow(2 * pi * trajectory().times(m), 2);
        }
        return squares * of_.basis * magnitude().cwiseAbs2().asDiagonal() * of_.basis.transpose();
    }

    Eigen::MatrixXd curvature() const {
        const Index count = of_.basis.rows();
        std::vector<CoilMatrix> columns;
        std::vector<ComplexVector> back, taken_up;
        for (Index p = 0; p < count; ++p) {
            columns.push_back(derivative_by_field(encoding_, images_, of_.basis.row(p)));
            const std::vector<Volume> fhd = encoding_.adjoint(CoilRows(columns.back())).volumes;
            const std::vector<ComplexVector> images = solved(fhd, of_.options.columns);
            back.push_back(joined(fhd));
            taken_up.push_back(joined(images));
        }
        Eigen::MatrixXd products(count, count);
        for (Index q = 0; q < count; ++q) {
            const auto b = static_cast<std::size_t>(q);
            for (Index p = 0; p < count; ++p) {
                const auto a = static_cast<std::size_t>(p);
                products(p, q) = weighted(trajectory(), columns[a], columns[b]) -
                                 back[a].dot(taken_up[b]).real();
            }
        }
        return (products + products.transpose()) / 2;
    }

    RealVector magnitude() const {
        RealVector squares = RealVector::Zero(of_.basis.cols());
        for (const ComplexVector& image : images_) {
            squares += image.cwiseAbs2();
        }
        return squares.cwiseSqrt();
    }

    const RealVector values;
    double left = 0; ///< ||W^1/2 r||^2
    double penalised = 0; ///< what the image is the least of

private:
    const Trajectory& trajectory() const { return *of_.frame.trajectory; }

    std::vector<ComplexVector> solved(const std::vector<Volume>& fhd,
                                      const SolveOptions& options) const {
        std::vector<ComplexVector> images;
        for (const Volume& b : fhd) {
            images.push_back(b.norm() > 0 ? problem_.system().solve(b, options).x
                                          : ComplexVector(ComplexVector::Zero(of_.basis.cols())));
        }
        return images;
    }
    static const ComplexVector& values_of(const ComplexVector& image) { return image; }
    static ComplexVector values_of(const Volume& volume) { return volume.values(); }
    template <typename Image> ComplexVector joined(const std::vector<Image>& images) const {
        ComplexVector all(static_cast<Index>(images.size()) * of_.basis.cols());
        for (std::size_t i = 0; i < images.size(); ++i) {
            all.segment(static_cast<Index>(i) * of_.basis.cols(), of_.basis.cols()) =
                values_of(images[i]);
        }
        return all;
    }

    const FitOfFrame& of_;
    Formulation formulation_;
    ImageSpace space_;
    Encoding encoding_;
    NormalOperator n_;
    LeastSquares problem_;
    std::vector<ComplexVector> images_;
    CoilMatrix residual_;
};

/// The inverse of half the curvature, which each step corrects (Broyden, Fletcher, Goldfarb and
/// Shanno 1970): columns of the Jacobian that few iterations projected make it too small.
struct Descent {
    explicit Descent(const Eigen::MatrixXd& curvature) : inverse(curvature.inverse()) {}

    RealVector step(const RealVector& down) const { return inverse * down; }
    void learn(const RealVector& by, const RealVector& change) {
        const double product = by.dot(change);
        if (!(product > 0)) {
            return;
        }
        const Eigen::MatrixXd rest =
            Eigen::MatrixXd::Identity(by.size(), by.size()) - change * by.transpose() / product;
        inverse = rest.transpose() * inverse * rest + by * by.transpose() / product;
    }

    Eigen::MatrixXd inverse;
};

/// The image after some of a step, which becomes so much of it; null where no half lowers what is
/// left.
std::unique_ptr<ImageInField> lower_along(const FitOfFrame& of, const ImageInField& from,
                                          RealVector& by, double prior) {
    constexpr int halves = 3;
    const auto cost_of = [&](const ImageInField& at) {
        return at.penalised + prior * at.values.squaredNorm();
    };
    for (int i = 0; i < halves; ++i, by /= 2) {
        auto next = std::make_unique<ImageInField>(of, from.values + by);
        if (cost_of(*next) < cost_of(from)) {
            return next;
        }
    }
    return nullptr;
}

/// Real numbers of the samples that the images and the field cannot take up, at least.
double freedom_of(const FitOfFrame& of) {
    const auto images = static_cast<double>(of.maps.empty() ? of.frame.samples.rows() : 1);
    const auto samples = static_cast<double>(of.frame.samples.rows() * of.frame.samples.columns());
    return std::max(1.0, 2 * (samples - images * static_cast<double>(of.basis.cols())) -
                             static_cast<double>(of.basis.rows()));
}

} // namespace

CoilMatrix derivative_by_field(const Encoding& encoding, const std::vector<ComplexVector>& images,
                               const RealVector& by) {
    std::vector<ComplexVector> products = images;
    for (ComplexVector& product : products) {
        for (Index n = 0; n < product.size(); ++n) {
            product(n) *= by(n % by.size());
        }
    }
    CoilMatrix samples = encoding.forward(products);
    for (Index m = 0; m < samples.cols(); ++m) {
        samples.col(m) *= Complex(0, -2 * pi * encoding.trajectory().times(m));
    }
    return samples;
}

FieldFit fit_field(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                   const Frame& frame, const OffResonance& field, const Eigen::MatrixXd& basis,
                   const RealVector& start, const FieldFitOptions& options) {
    const FitOfFrame of{transforms, grid, maps, frame, field, basis, options};
    const Index count = basis.rows();
    auto now = std::make_unique<ImageInField>(
        of, start.size() > 0 ? start : RealVector(RealVector::Zero(count)));
    ParameterFit fit;
    fit.left_before = now->left;
    fit.energy = energy_of(*frame.trajectory, frame.samples);
    fit.freedom = freedom_of(of);
    const double noise = now->left / fit.freedom;
    const double prior = noise / (options.deviation * options.deviation);
    const Eigen::MatrixXd rough = now->rough_curvature();
    const Eigen::MatrixXd curvature = options.share > 0 ? options.share * rough : now->curvature();
    Descent descent(curvature + prior * Eigen::MatrixXd::Identity(count, count));
    RealVector down = now->downwards() - prior * now->values;
    for (int i = 0; i < options.steps; ++i) {
        constexpr double hardly = 0.5; // deviations
        RealVector by = descent.step(down);
        const double least = noise * (i == 0 ? options.least : hardly * hardly * double(count));
        if (by.dot(down) < least) {
            break;
        }
        std::unique_ptr<ImageInField> next = lower_along(of, *now, by, prior);
        if (!next) {
            break;
        }
        now = std::move(next);
        const RealVector after = now->downwards() - prior * now->values;
        descent.learn(by, down - after);
        down = after;
    }
    fit.values = now->values;
    fit.left = now->left;
    fit.covariance = descent.inverse * (fit.left / fit.freedom);
    return {fit, now->magnitude(), curvature.trace() / rough.trace()};
}

} // namespace lsrecon
