// Noise of receivers, and replicas of the noise of a scan.

#pragma once

#include <cstdint>
#include <random>

#include "base/types.hpp"
#include "scan/coil_transform.hpp"

namespace lsrecon {

/// The complex Gaussian noise of a row of receivers, one random stream. The same seed gives the
/// same noise on every platform, to rounding.
class ReceiverNoise {
public:
    /// `deviation` is of each real and each imaginary part of every coil, a.u.; coils c and d are
    /// correlated by correlation^|c - d|, which is real, with |correlation| below 1.
    ReceiverNoise(double deviation, double correlation, std::uint64_t seed);

    /// Adds the next C x M values of the stream.
    void add_to(CoilMatrix& samples);

private:
    double deviation_;
    double correlation_;
    std::mt19937_64 generator_;
};

/// The deviation of every sample with which the fully sampled image of `truth`, N values, has this
/// ratio of signal to noise; docs/maths.md, "Simulated scans".
double deviation_of_snr(double snr, const ComplexVector& truth);

/// Replicas of the noise of a scan's coils: complex Gaussian samples with the
/// covariance of the noise that was measured, from one seed.
class ReplicaNoise {
public:
    /// The noise of a scan as it is transformed: its noise samples have been whitened and
    /// compressed as its samples were. Where it has no noise samples, the real and imaginary parts
    /// of every coil have variance 1. InputError when the noise samples are only zeros.
    explicit ReplicaNoise(const Scan& scan);

    /// The standard deviation of each real and each imaginary part of a sample: the root mean
    /// square over the coils, a.u.
    double deviation() const { return deviation_; }
    /// Whether all coils have noise of one deviation, independent of each other.
    bool white() const { return white_; }
    /// The covariance of a sample of all coils over the mean of its diagonal, C x C.
    CoilTransform covariance() const;

    /// C x M noise values: equal for equal arguments, different for every replica.
    CoilRows draw(std::size_t replica, std::size_t samples, Precision precision) const;

private:
    CoilTransform factor_; ///< C x C, of white noise with real and imaginary parts of variance 1
    double deviation_ = 1;
    bool white_ = true;
};

} // namespace lsrecon
