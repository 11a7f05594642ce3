#pragma once

#include "scan/coil_mixing.hpp"
#include "prepare/complete_lines.hpp"

namespace lsrecon {

/// Coil compression with virtual coils of their own for each slice along one dimension of the grid
/// (geometric; Zhang et al. 2013, MRM 69:571). Samples are on complete lines along it, F of which
/// can be undone: with A_n, V x C, of slice n, samples become F_line A_n F_line^-1 d, and maps
/// A_n S. The rows of A_n are orthonormal.
///
/// A_n holds the first singular vectors of the coil maps in slice n, since |A_n S|^2 is what counts
/// for noise (Buehrer et al. 2007, MRM 57:1131). The paper takes those of the samples, in which the
/// noise of a slice has a part (docs/decisions/0028-virtual-coils-of-slices.md).
class SliceMixing {
public:
    /// From the scan's maps, for samplings like this one; every slice has the same number of
    /// virtual coils. InputError when the scan has no maps, or the samples are on complete lines
    /// along no dimension; UsageError for a scan with voxels off its grid.
    SliceMixing(const Scan& scan, std::shared_ptr<const Sampling> sampling,
                const CoilCompression& wanted);

    std::size_t coils() const { return static_cast<std::size_t>(of_slice_.front().rows()); }
    double energy() const { return energy_; } ///< the share of the maps' sum of squares
    std::string axis() const; ///< across which the slices are: "x"

    /// Samples of any frame, C x M to V x M. InputError when they are not on complete lines along
    /// the same dimension.
    void mix(Frame& frame);
    /// Coil maps C x N to V x N.
    CoilRows maps(const CoilRows& maps) const;
    /// Noise C x K to V x K, by the matrix of the middle slice: white noise stays white in any.
    CoilRows noise(const CoilRows& noise) const {
        return mixed(of_slice_[grid_.size[dimension_] / 2], noise);
    }

private:
    CompleteLines longest_lines(const Sampling& sampling) const;

    std::string file_;
    Grid grid_;
    bool off_resonance_; ///< whether times matter
    std::size_t dimension_ = 0;
    std::vector<CoilMixing> of_slice_;
    double energy_ = 1;
    std::shared_ptr<const Sampling> sampling_; ///< of the frame before
    CompleteLines lines_; ///< its
};

} // namespace lsrecon
