#pragma once

#include <memory>

#include "device/device.hpp"
#include "engines/segments.hpp"
#include "engines/transform.hpp"

namespace lsrecon {

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
