// Finds the spatial frequencies that a trajectory never samples, so that a regulariser can act on
// the image there alone.

#pragma once

#include <memory>
#include <vector>

#include "operators/operator.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// 1 for the spatial frequencies of the grid, in the order of an FFT, that lie outside of what was
/// sampled, and 0 for the others: beyond the convex hull of the samples by more than 1 cycle/fov,
/// or than the last two lines are apart. None of a Cartesian scan; the corners of a spiral or
/// radial one.
RealVector unsampled_frequencies(const std::vector<Vec3>& positions, const Grid& grid);

/// The part of an image at such frequencies: F^-1 M F, its own adjoint, and its own square.
class Unsampled : public SelfAdjoint {
public:
    /// The device must outlive it.
    Unsampled(Device& device, const Grid& grid, Precision precision,
              const std::vector<Vec3>& positions);

    std::size_t inputs() const override { return values_.count(); }
    void apply(const Array& in, Array& out) override;

private:
    Device& device_;
    std::unique_ptr<FftPlan> fft_;
    Array mask_; ///< real
    Array values_;
};

} // namespace lsrecon
