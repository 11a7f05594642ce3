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

    std::size_t inputs() const override { return grid_.voxels(); }
    std::size_t outputs() const override { return components() * grid_.voxels(); }
    std::size_t components() const { return static_cast<std::size_t>(grid_.dimensions); }

    void apply(const Array& in, Array& out) override {
        for (std::size_t d = 0; d < components(); ++d) {
            device_.difference(grid_.size, d, in, d, out);
        }
    }
    void adjoint(const Array& in, Array& out) override {
        device_.combine(0, out, 0, out);
        for (std::size_t d = 0; d < components(); ++d) {
            device_.add_difference_adjoint(grid_.size, d, d, in, out);
        }
    }

private:
    Device& device_;
    Grid grid_;
};

} // namespace lsrecon
