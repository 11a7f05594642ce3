// Runs a transform from arrays on the host to arrays on the host, scaled by powers of two so that
// floats hold the values.

#include "engines/on_host.hpp"

#include "base/float_range.hpp"
#include "engines/piecewise.hpp"

namespace lsrecon {

MuFactors::MuFactors(Device& device, Precision precision, const ComplexVector& phi,
                     const RealVector& weights)
    : device_(device) {
    if (phi.size() == 0 && weights.size() == 0) {
        return;
    }
    ComplexVector factors = ComplexVector::Ones(std::max(phi.size(), weights.size()));
    // Each within range before they meet: their product need not be.
    const auto multiply = [&](const auto& values) {
        const double largest = largest_part(values);
        int exponent = 0;
        if (precision == Precision::float32 && largest > 0 && std::isfinite(largest)) {
            std::frexp(largest, &exponent);
        }
        exponent_ += exponent;
        for (Eigen::Index m = 0; m < factors.size(); ++m) {
            factors(m) *= ldexp(Complex(values(m)), -exponent);
        }
    };
    if (phi.size() > 0) {
        multiply(ComplexVector(phi.conjugate()));
    }
    if (weights.size() > 0) {
        multiply(weights);
    }
    factors_ = device.zeros(static_cast<std::size_t>(factors.size()), {true, precision});
    device.upload(factors, factors_);
}

void MuFactors::apply(const Range& samples, Array& values) {
    if (!factors_.empty()) {
        device_.multiply(factors_, samples.first, samples.count, values);
    }
}

namespace {

/// The exponent of the values for transforms of this precision.
int exponent_of(const Transforms& transforms, const CoilRows& rows) {
    return range_exponent(transforms.precision(), rows.largest_part());
}

/// Puts results into the columns of a matrix.
PiecewiseTransform::Take into(CoilMatrix& out, Device& device, int exponent) {
    return [&out, &device, exponent](const Range& coils, const Range& at, const Array& from) {
        for (std::size_t c = 0; c < coils.count; ++c) {
            const ComplexVector row = device.download(from, c * at.count, at.count);
            for (std::size_t n = 0; n < at.count; ++n) {
                out(static_cast<Eigen::Index>(coils.first + c),
                    static_cast<Eigen::Index>(at.first + n)) =
                    ldexp(row(static_cast<Eigen::Index>(n)), exponent);
            }
        }
    };
}

/// Rows of zeros where there is nothing to transform.
OnHost nothing(std::size_t coils, std::size_t points) {
    return {CoilMatrix::Zero(static_cast<Eigen::Index>(coils), static_cast<Eigen::Index>(points)),
            0};
}

PiecewiseTransform::Load loading(const CoilRows& values, Device& device, int exponent) {
    return [&values, &device, exponent](const Range& coils, const Range& at, Array& to) {
        device.upload(values, coils, at, -exponent, to);
    };
}

} // namespace

CoilMatrix mu_on_host(Transforms& transforms, const Trajectory& trajectory,
                      const CoilRows& samples) {
    CoilMatrix out = samples.to_doubles();
    if (samples.empty()) {
        return out;
    }
    Device& device = transforms.device();
    const Range every{0, samples.columns()};
    MuFactors factors(device, transforms.precision(), trajectory);
    const int exponent = exponent_of(transforms, samples);
    Array values = device.zeros(samples.rows() * samples.columns(), {true, transforms.precision()});
    device.upload(samples, {0, samples.rows()}, every, -exponent, values);
    factors.apply(every, values);
    into(out, device, exponent + factors.exponent())({0, samples.rows()}, every, values);
    return out;
}

OnHost adjoint_on_host(Transforms& transforms, const SamplePoints& points, const CoilRows& values,
                       const Voxels& voxels, const Progress& progress) {
    PiecewiseTransform transform(transforms, points, voxels);
    OnHost result = nothing(values.rows(), voxels.count());
    const int exponent = exponent_of(transforms, values);
    transform.adjoint(values.rows(), false, loading(values, transforms.device(), exponent),
                      into(result.values, transforms.device(), exponent), progress);
    result.error = transform.error();
    return result;
}

OnHost q_on_host(Transforms& transforms, const std::vector<Vec3>& positions,
                 const RealVector& weights, const Voxels& voxels, const Progress& progress) {
    PiecewiseTransform transform(transforms, positions, voxels);
    OnHost result = nothing(1, voxels.count());
    const int exponent = range_exponent(transforms.precision(), largest_part(weights));
    const auto load = [&](const Range&, const Range& at, Array& to) {
        transforms.device().upload(weights, at, -exponent, to);
    };
    transform.adjoint(1, true, load, into(result.values, transforms.device(), exponent), progress);
    result.error = transform.error();
    return result;
}

OnHost forward_on_host(Transforms& transforms, const SamplePoints& points, const CoilRows& rho,
                       const Voxels& voxels, const Progress& progress) {
    PiecewiseTransform transform(transforms, points, voxels);
    return forward_on_host(transforms, transform, rho, progress);
}

OnHost forward_on_host(Transforms& transforms, PiecewiseTransform& transform, const CoilRows& rho,
                       const Progress& progress) {
    OnHost result = nothing(rho.rows(), transform.samples());
    const int exponent = exponent_of(transforms, rho);
    transform.forward(rho.rows(), loading(rho, transforms.device(), exponent),
                      into(result.values, transforms.device(), exponent), progress);
    result.error = transform.error();
    return result;
}

} // namespace lsrecon
