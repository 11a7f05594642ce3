#include "engines/mu_factors.hpp"

#include "base/float_range.hpp"

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

} // namespace lsrecon
