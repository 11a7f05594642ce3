#pragma once

#include <utility>

#include "device/device.hpp"

namespace lsrecon {

/// An image that changed less in its late iterations has settled.
constexpr double settled_change = 0.01;

/// The number of iterations at the end of a solve that tell whether more would change the image.
inline int late_iterations(int iterations) {
    return (iterations + 9) / 10;
}

/// The image before the last iterations. A residual says little of how much these change it: the
/// directions that the scan hardly measured come last, and have small residuals all along.
class EarlierImage {
public:
    explicit EarlierImage(int iterations) : first_(iterations - late_iterations(iterations)) {}

    /// Iteration `i`, from 0, begins with x.
    void before(int i, Device& device, const Array& x) {
        if (i == first_) {
            values_ = device.download(x);
        }
    }
    const ComplexVector& values() const { return values_; }
    /// Times `scale`, once; empty when none of the late iterations began.
    ComplexVector take(double scale) {
        values_ *= scale;
        return std::move(values_);
    }

private:
    int first_;
    ComplexVector values_;
};

/// ||image - earlier|| / ||image||; 0 without one of them.
inline double relative_change(const ComplexVector& image, const ComplexVector& earlier) {
    const double size = image.norm();
    return size > 0 && earlier.size() > 0 ? (image - earlier).norm() / size : 0;
}

} // namespace lsrecon
