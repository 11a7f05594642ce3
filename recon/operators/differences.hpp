// Finite differences along the dimensions of a grid.

#pragma once

#include "operators/operator.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Finite differences of a volume along each dimension of its grid, a component of N a dimension:
/// voxel n of component d is rho(n + 1) - rho(n) along d, and 0 at the end of the grid.
class Differences : public Operator {
public:
    /// The device must outlive it.
    Differences(Device& device, const Grid& grid) : device_(device), grid_(grid) {}
    /// Each difference is multiplied by a real number: D N of them.
    Differences(Device& device, const Grid& grid, Precision precision, const RealVector& factors)
        : device_(device), grid_(grid), factors_(device.zeros(outputs(), {false, precision})) {
        device.upload(factors, {0, outputs()}, 0, factors_);
    }

    std::size_t inputs() const override { return grid_.voxels(); }
    std::size_t outputs() const override { return components() * grid_.voxels(); }
    std::size_t components() const { return static_cast<std::size_t>(grid_.dimensions); }

    void apply(const Array& in, Array& out) override;
    void adjoint(const Array& in, Array& out) override;

private:
    Device& device_;
    Grid grid_;
    Array factors_; ///< real; empty for 1
};

/// 1 for each difference of two voxels that are seen, 0 for the others: D N of N, which are 1 or 0.
RealVector differences_within(const RealVector& seen, const Grid& grid);

} // namespace lsrecon
