// A field map of echoes, with its mask and what is known of it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Voxels that neighbours join. The field of separate pieces is known up to multiples of
/// EchoField::period.
struct FieldPiece {
    std::size_t voxels = 0;
    double median = 0; ///< Hz
};

struct EchoField {
    RealVector field; ///< N, Hz; beyond the mask that of the nearest voxel with signal
    std::vector<bool> mask; ///< N, whether the images have signal there
    RealVector deviation; ///< N, Hz, of the noise that smoothing leaves, on average; 0 beyond
    std::vector<FieldPiece> pieces; ///< the largest first; none where no voxel has signal
    double period = 0; ///< Hz, 1 / the shortest distance of two echoes
    double unsmoothed = 0; ///< Hz, median deviation of a voxel by itself
    double gain = 1; ///< of variance: the mean share of the noise that smoothing leaves
};

/// The field of one slice, or of a volume.
struct SliceField {
    std::string label;
    std::optional<Vec3> position; ///< as of a frame
    EchoField of;
};

struct EchoFieldMap {
    Grid grid;
    std::vector<double> times; ///< s, of the echoes
    std::vector<SliceField> slices;
    std::vector<std::string> unsure; ///< slices that may differ from others by 1 / echo distance
};

} // namespace lsrecon
