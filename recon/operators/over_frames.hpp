#pragma once

#include <complex>

#include "base/types.hpp"
#include "operators/proximal.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Images of F frames on one grid in their order, N x F: a column each.
template <typename Real> using FrameStack =
    Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;

/// The proximal map of a term over all frames of a place with K = 1, on the host.
class OverFrames : public Proximal {
public:
    /// The proximal map of `length` times phi.
    template <typename Real>
    using Map = FrameStack<Real> (*)(const Grid&, const FrameStack<Real>&, double length);

    /// `shortens_by` is the shortening for a length of 1.
    OverFrames(const Grid& grid, Map<float> of_floats, Map<double> of_doubles,
               double (*shortens_by)(const Grid& grid, std::size_t frames))
        : grid_(grid), of_floats_(of_floats), of_doubles_(of_doubles), shortens_by_(shortens_by) {}

    void apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const override;
    double shortening(std::size_t frames) const override { return shortens_by_(grid_, frames); }

private:
    template <typename Real>
    void apply(Map<Real> map, Device& device, double length, std::vector<Array>& z) const;

    Grid grid_;
    Map<float> of_floats_;
    Map<double> of_doubles_;
    double (*shortens_by_)(const Grid&, std::size_t);
};

} // namespace lsrecon
