#pragma once

#include <string>
#include <vector>

#include "io/raw_encoding.hpp"

namespace lsrecon {

/// Where the image is, and how much smaller than the encoded space.
struct ImageSpace {
    Grid grid;
    /// Coordinates in cycles per encoded field of view times these are in cycles per that of grid.
    Vec3 factor{1, 1, 1};

    bool oversampled() const { return factor[0] < 1; }
};

/// Only readouts are sampled more densely than the image needs (along x), and their field of view
/// comes back to that of reconSpace, at the encoded voxel size. Readouts on lines (`lines`) can be
/// made shorter, whatever y and z are. Elsewhere the grid becomes smaller only when the two spaces
/// differ in nothing else: phase oversampling keeps what folds in out of the image, and a larger
/// matrix is interpolation, which --matrix asks for.
ImageSpace image_space(const RawEncoding& encoding, bool lines, std::vector<std::string>& remarks);

} // namespace lsrecon
