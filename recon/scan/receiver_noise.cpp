#include "scan/receiver_noise.hpp"

#include <cmath>

#include "base/types.hpp"

namespace lsrecon {

ReceiverNoise::ReceiverNoise(double deviation, double correlation, std::uint64_t seed)
    // This stream is not that of the random trajectory, which is seeded with the seed itself.
    : deviation_(deviation), correlation_(correlation), generator_(~seed) {}

Complex ReceiverNoise::next() {
    // Box and Muller 1958: one pair of uniform numbers is one complex Gaussian number. The
    // logarithm's argument is in (0, 1].
    const double radius = std::sqrt(-2 * std::log(1 - uniform_number(generator_)));
    const double angle = 2 * pi * uniform_number(generator_);
    return deviation_ * std::polar(radius, angle);
}

void ReceiverNoise::add_to(CoilMatrix& samples) {
    // n_c = R n_(c-1) + sqrt(1 - R^2) z_c with white z: the variance of every n_c is that of z.
    const double own = std::sqrt(1 - correlation_ * correlation_);
    ComplexVector noise(samples.cols());
    for (Eigen::Index c = 0; c < samples.rows(); ++c) {
        for (Complex& value : noise) {
            const Complex white = next();
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

} // namespace lsrecon
