// Off-resonance by time segments: the factors, and the transform that uses them.

#pragma once

#include <memory>

#include "base/coil_rows.hpp"
#include "device/device.hpp"
#include "engines/transform.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Off-resonance as a sum of products, each a factor of the sample times one of the voxel
/// (Sutton et al. 2003, IEEE TMI 22(2); Fessler et al. 2005, IEEE TSP 53(9)):
///
///     exp(-z_n t_m) = sum_l of_samples(l, m) of_voxels(l, n)     z = r2star + i 2 pi field
///
/// The factors are those of the smallest error for a histogram of the voxels' z and of the times,
/// by singular values; both count more towards their ends, where errors are largest.
struct TimeSegments {
    CoilRows of_samples; ///< L x M
    CoilRows of_voxels; ///< L x N
    /// Relative L2 of F and F^H through them, at most: measured as at most 0.7 of it, over spirals
    /// out and in and radial spokes, four fields and R2* (docs/maths.md).
    double error;

    std::size_t count() const { return of_samples.rows(); }
};

/// A rough upper bound of their number: the turns between -|z| and |z|, and some.
double expected_segments(const RealVector& times, const OffResonance& off_resonance);

/// The fewest segments whose `error` is below this, mostly the best rank of this relative L2 error
/// or one more.
TimeSegments time_segments(const RealVector& times, const OffResonance& off_resonance,
                           double wanted, Precision precision);

/// exp(-z_n t) of every voxel.
ComplexVector phases_at(const OffResonance& off_resonance, double time);

/// F with off-resonance, of F without: sum_l B_l F C_l, where B_l and C_l are the diagonal factors
/// of a time segment (engines/segments.hpp).
class SegmentedTransform : public Transform {
public:
    /// The device must outlive it.
    SegmentedTransform(Device& device, Precision precision, std::unique_ptr<Transform> plain,
                       const TimeSegments& segments);

    std::size_t samples() const override { return plain_->samples(); }
    std::size_t voxels() const override { return plain_->voxels(); }
    void forward(const Array& rho, Array& out, const Progress& progress) override;
    void adjoint(const Array& values, Array& out, const Progress& progress) override;
    double forward_error() const override { return plain_->forward_error() + error_; }
    double adjoint_error() const override { return plain_->adjoint_error() + error_; }

private:
    /// Makes in_ and part_ of these sizes.
    void prepare(const Array& in, std::size_t parts);

    Device& device_;
    std::unique_ptr<Transform> plain_;
    double error_;
    std::size_t count_;
    Array of_samples_; ///< L x M
    Array of_voxels_; ///< L x N
    Array in_; ///< times the factors of one segment
    Array part_; ///< its transform
};

} // namespace lsrecon
