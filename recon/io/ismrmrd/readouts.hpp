// What is done to readouts that lie on a line of k-space: their oversampling is removed, and those
// that run backwards get their centre.

#pragma once

#include <complex>
#include <map>
#include <memory>
#include <vector>

#include "base/fft.hpp"
#include "base/types.hpp"

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

/// The centre of k-space in lines that run backwards and store no trajectory: some writers count
/// center_sample from the start of k-space, others in the stored array.
class ReversedCentres {
public:
    /// Adds a line: its samples, a row a channel, and their positions when center_sample counts
    /// from the start of k-space. When it counts in the array, a reversed line lies `shift` cycles
    /// further along kx.
    void add(const std::vector<std::vector<std::complex<float>>>& values,
             const std::vector<Vec3>& k, bool reversed, long shift);
    /// Whether there are lines whose centre differs between the two counts.
    bool differ() const { return differ_; }
    /// Whether center_sample counts in the array: whether that puts the strong samples of these
    /// lines where those of lines that run forwards are, or to the centre where there are none.
    bool count_in_array() const;

private:
    using Profile = std::map<long, double>; ///< energy at each kx
    Profile forward_;
    Profile by_start_;
    Profile by_array_;
    bool differ_ = false;
};

} // namespace lsrecon
