#pragma once

#include <complex>
#include <map>
#include <memory>
#include <vector>

#include "base/fft.hpp"

namespace lsrecon {

/// Removes the oversampling of readouts on a line of k-space: of their n samples, transformed along
/// x, the middle is kept that the smaller field of view holds, and transformed back.
class ReadoutCrop {
public:
    /// `factor` is the field of view that is kept over that of the samples, below 1.
    explicit ReadoutCrop(double factor) : factor_(factor) {}

    double factor() const { return factor_; }
    /// Samples that remain of n.
    std::size_t kept(std::size_t n) const;
    /// Crops every channel: `values` holds n samples in the order of rising kx, and then the kept
    /// ones. Sample j of them lies j n / kept(n) samples after the first. The smaller field of view
    /// has its middle at `middle`, in fields of view of the samples from their own; with `mirrored`
    /// an even number of voxels has one more above the middle than below, in place of one less.
    void apply(std::vector<std::vector<std::complex<float>>>& values, double middle,
               bool mirrored) const;

private:
    const Fft<double>& fft(std::size_t n) const;

    double factor_;
    mutable std::map<std::size_t, Fft<double>> plans_;
};

} // namespace lsrecon
