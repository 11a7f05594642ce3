// One slice of a stack, which a Fourier transform along the partitions parts from the others.

#pragma once

#include <memory>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// One slice of a 3D scan whose P partitions have the same positions (kx, ky)_j in their planes and
/// fill the Z slices: kz_p = kz_0 + p Z / P with P >= Z. Then
///
///     d'_j = 1/P sum_p d_jp exp(+i 2 pi kz_p z / Z)
///
/// is what the slice at z alone gives, since exp(-i 2 pi kz_p z / Z) of two slices are orthogonal
/// over p. Its noise is 1/sqrt(P) of that of a sample.
class StackSlice {
public:
    /// Makes the scan that of the slice, counted from 0: two-dimensional, with its own position,
    /// maps and field. UsageError where the scan has no such slice; InputError, with the reason,
    /// where its slices are not independent.
    StackSlice(std::size_t slice, Scan& scan);

    /// A frame of the stack becomes one of the slice.
    void apply(std::size_t index, Frame& frame) const;

private:
    /// The change of one trajectory.
    struct Change {
        std::vector<std::size_t> samples; ///< of the stack, partition after partition
        std::vector<Complex> factors; ///< of each partition
        std::shared_ptr<const Trajectory> trajectory; ///< of the slice
    };
    Change change_of(const Trajectory& stored) const;
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;
    void take_volumes(Scan& scan) const;
    void move_positions(Scan& scan, const Grid& whole) const;

    std::string file_;
    std::size_t slice_;
    std::size_t slices_; ///< of the stack
    std::vector<std::shared_ptr<const Change>> frames_;
};

/// The grid of one slice, at the position of the whole.
Grid slice_of_grid(const Grid& whole);

} // namespace lsrecon
