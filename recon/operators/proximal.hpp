// Proximal maps of terms that are not quadratic, and the soft threshold.

#pragma once

#include <utility>
#include <vector>

#include "device/device.hpp"

namespace lsrecon {

/// The step that an iteration asks of a proximal map.
struct ProximalStep {
    double weight; ///< weight of the term
    double scale; ///< s, near the largest voxel: a weight serves scans of any scale
    double penalty;

    double length() const { return weight * scale; }
};

/// The proximal map of a term weight s phi(K rho) that is not quadratic: from z to the z' that
/// minimises
///
///     weight s phi(z') + penalty / 2 ||z' - z||^2
///
/// Two runs give the same bits.
class Proximal {
public:
    virtual ~Proximal() = default;
    /// z of one frame, or of all frames where the term couples them, becomes z'.
    virtual void apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const = 0;
    /// z is that of so many images from here on, one after the other in `apart` numbers each. What
    /// is penalised of them together does not depend on how a rotation shares out what they show.
    virtual void repeat(std::size_t images, std::size_t apart) = 0;
    /// The length by which a step with weight s / penalty = 1 shortens what is penalised.
    virtual double shortening(std::size_t /*frames*/) const { return 1; }
};

/// Numbers of K rho whose size is penalised, at `share` of the weight: the vectors
/// (z(n), z(n + count), ...) of `parts` numbers, n = first to first + count - 1, and as many of
/// each further image in the same vector.
struct Penalised {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t parts = 1;
    double share = 1;
    std::size_t images = 1;
    std::size_t apart = 0; ///< from the numbers of an image to those of the next
};

/// The proximal map of phi = sum of share |vectors|, a soft threshold of their norms: vectors
/// become shorter by weight s share / penalty, and those that are shorter than that become 0.
class SoftThreshold : public Proximal {
public:
    explicit SoftThreshold(std::vector<Penalised> vectors) : vectors_(std::move(vectors)) {}

    void apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const override;
    void repeat(std::size_t images, std::size_t apart) override;

private:
    std::vector<Penalised> vectors_;
};

} // namespace lsrecon
