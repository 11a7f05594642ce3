// How far an image is from another of the same grid.

#pragma once

#include <vector>

#include "io/image/stored.hpp"

namespace lsrecon {

/// The difference of an image and a reference, relative to the reference's norm. Voxels of frames
/// that failed in either count for nothing.
struct ComparedImages {
    bool of_magnitudes = false; ///< or of complex values, or of real numbers with their signs
    double error = 0; ///< ||A - B|| / ||B||
    Complex scale; ///< s with the least ||s A - B||
    double scaled_error = 0; ///< ||s A - B|| / ||B||
    std::vector<double> scaled_errors; ///< of each frame, by the one s; NaN where it failed
    double largest = 0; ///< |s A - B| over the largest |B|
    std::size_t frame = 0; ///< where that is
    std::size_t voxel = 0;
};

/// Compares frame by frame: magnitudes on request, or where one of the two has no phase. InputError
/// where their grids or their numbers of frames differ, or one of them is zeros.
ComparedImages compared(const StoredImage& image, const StoredImage& reference, bool magnitudes);

/// s A - B, whose frames fail where one of both does. Both must outlive it.
StoredImage difference(const StoredImage& image, const StoredImage& reference,
                       const ComparedImages& by);

} // namespace lsrecon
