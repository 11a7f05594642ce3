#pragma once

#include <cstdint>
#include <random>

#include "base/types.hpp"

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
    Complex next();

    double deviation_;
    double correlation_;
    std::mt19937_64 generator_;
};

/// The deviation of every sample with which the fully sampled image of `truth`, N values, has this
/// ratio of signal to noise; docs/maths.md, "Simulated scans".
double deviation_of_snr(double snr, const ComplexVector& truth);

} // namespace lsrecon
