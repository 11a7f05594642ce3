#include "engines/mu_factors.hpp"

#include "base/float_range.hpp"

namespace lsrecon {

MuFactors::MuFactors(Device& device, Precision precision, const Sampling& sampling)
    : device_(device) {
    if (sampling.phi.size() == 0 && sampling.weights.size() == 0) {
        return;
    }
    ComplexVector factors = ComplexVector::Ones(static_cast<Eigen::Index>(sampling.samples()));
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
    if (sampling.phi.size() > 0) {
        multiply(ComplexVector(sampling.phi.conjugate()));
    }
    if (sampling.weights.size() > 0) {
        multiply(sampling.weights);
    }
    factors_ = device.zeros(sampling.samples(), {true, precision});
    device.upload(factors, factors_);
}

void MuFactors::apply(const Range& samples, Array& values) {
    if (!factors_.empty()) {
        device_.multiply(factors_, samples.first, samples.count, values);
    }
}

} // namespace lsrecon
