// Draws white or correlated noise, from a seed for each coil and replica, so that any core or rank
// draws the same.

#include "scan/noise.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"

namespace lsrecon {

ReceiverNoise::ReceiverNoise(double deviation, double correlation, std::uint64_t seed)
    // This stream is not that of the random trajectory, which is seeded with the seed itself.
    : deviation_(deviation), correlation_(correlation), generator_(~seed) {}

void ReceiverNoise::add_to(CoilMatrix& samples) {
    // n_c = R n_(c-1) + sqrt(1 - R^2) z_c with white z: the variance of every n_c is that of z.
    const double own = std::sqrt(1 - correlation_ * correlation_);
    ComplexVector noise(samples.cols());
    for (Eigen::Index c = 0; c < samples.rows(); ++c) {
        for (Complex& value : noise) {
            // Box and Muller 1958: one pair of uniform numbers is one complex Gaussian number. The
            // logarithm's argument is in (0, 1].
            const double radius = std::sqrt(-2 * std::log(1 - uniform_number(generator_)));
            const double angle = 2 * pi * uniform_number(generator_);
            const Complex white = deviation_ * std::polar(radius, angle);
            value = c == 0 ? white : correlation_ * value + own * white;
        }
        samples.row(c) += noise.transpose();
    }
}

double deviation_of_snr(double snr, const ComplexVector& truth) {
    constexpr double object_threshold = 0.1; // of the largest value: what is above is the object
    const double threshold = object_threshold * truth.cwiseAbs().maxCoeff();
    double sum = 0;
    double voxels = 0;
    for (const Complex& value : truth) {
        if (std::abs(value) > threshold) {
            sum += std::abs(value);
            ++voxels;
        }
    }
    // The image is 1/N of a sum over N samples, so its noise is that of a sample over sqrt(N).
    return sum / voxels * std::sqrt(static_cast<double>(truth.size())) / snr;
}

namespace {

/// Whitened noise is white to the rounding of floats; noise that was not whitened never is by
/// chance.
constexpr double white_enough = 1e-3;

/// Streams of neighbouring replicas and coils begin far from each other, and from the seeds that
/// people choose for simulated scans.
std::uint64_t seed_of(std::size_t stream) {
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15; // of 2^64 (Knuth, volume 3, 6.4)
    return golden_ratio * (stream + 1);
}

} // namespace

ReplicaNoise::ReplicaNoise(const Scan& scan) {
    const auto coils = static_cast<Eigen::Index>(scan.coils());
    factor_ = CoilTransform::Identity(coils, coils);
    if (scan.noise.empty()) {
        return;
    }
    const Eigen::MatrixXcd covariance =
        covariance_of(scan.noise) / 2; // of a real part, where a complex number has two parts
    const double mean = covariance.diagonal().real().mean();
    if (!(mean > 0)) {
        throw InputError({scan.file, scan.name_of("noise"), "only zeros", "noise in some coil",
                          "measure the noise again, or leave out `noise_map`"});
    }
    // The square root that is Hermitian: it also exists where noise of some coils is that of
    // others.
    const HermitianEigen eigen = eigen_of(covariance);
    factor_ =
        eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.vectors.adjoint();
    deviation_ = std::sqrt(mean);
    white_ = (covariance - mean * Eigen::MatrixXcd::Identity(coils, coils)).norm() <
             white_enough * covariance.norm();
}

CoilTransform ReplicaNoise::covariance() const {
    return factor_ * factor_.adjoint() / (deviation_ * deviation_);
}

CoilRows ReplicaNoise::draw(std::size_t replica, std::size_t samples, Precision precision) const {
    const auto coils = static_cast<std::size_t>(factor_.rows());
    CoilRows noise(coils, samples, precision);
    noise.visit([&](auto& values) {
        for_each_in_parallel(coils, [&](std::size_t c) {
            using Value = typename std::decay_t<decltype(values)>::Scalar;
            CoilMatrix row = CoilMatrix::Zero(1, static_cast<Eigen::Index>(samples));
            ReceiverNoise(white_ ? deviation_ : 1, 0, seed_of(replica * coils + c)).add_to(row);
            values.row(static_cast<Eigen::Index>(c)) = row.cast<Value>();
        });
    });
    return white_ ? noise : mixed(factor_, noise);
}

} // namespace lsrecon
