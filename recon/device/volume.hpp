// Volumes of complex values, on a device or on the host.

#pragma once

#include <vector>

#include "base/job_ranks.hpp"
#include "base/linear_algebra.hpp"
#include "device/device.hpp"

namespace lsrecon {

/// Complex values: an array on a device, or on the host where the device had no room for all of
/// them; times a power of two, because floats end at 1e38. A device must outlive its volumes.
class Volume {
public:
    Volume() = default;
    explicit Volume(ComplexVector values) : host_(std::move(values)) {}
    Volume(Device& device, const ParkedVolume& parked);
    Volume(Device& device, Array array, int exponent)
        : device_(&device), array_(std::move(array)), exponent_(exponent) {}

    std::size_t count() const {
        return device_ ? array_.count() : static_cast<std::size_t>(host_.size());
    }
    Complex value(std::size_t n) const;
    ComplexVector values() const; ///< on the host
    double norm() const;
    ParkedVolume parked() const;
    /// The values times `factor` as an array of a device.
    Array on(Device& device, Precision precision, double factor) const;

private:
    Device* device_ = nullptr; ///< null for values on the host
    Array array_;
    int exponent_ = 0;
    ComplexVector host_;
};

/// Volumes that come in parts, all of the first part before the next: they stay on the device while
/// each comes whole, and are put together on the host otherwise.
class Volumes {
public:
    Volumes(Device& device, std::size_t voxels, int exponent)
        : device_(device), voxels_(voxels), exponent_(exponent) {}

    /// `values` are those at some voxels of the next volume that they are missing from.
    void add(const Range& at, const Array& values);
    std::vector<Volume> finished();
    /// Adds this rank's share of the next volume.
    void add_share(const Array& values) { shares_.push_back(values); }
    /// The volumes from shares of all ranks, of voxels of which `together` are not divided: on the
    /// device.
    std::vector<Volume> finished_by(JobRanks& ranks, std::size_t together);

private:
    Device& device_;
    std::size_t voxels_;
    int exponent_;
    std::vector<Volume> volumes_;
    std::vector<ComplexVector> begun_;
    std::size_t next_ = 0; ///< number of volumes that have a part already
    std::size_t first_ = 0; ///< voxel of the first part
    std::vector<Array> shares_; ///< shares of this rank, of a volume each
};

} // namespace lsrecon
