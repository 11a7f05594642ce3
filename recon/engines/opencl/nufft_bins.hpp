// The samples of a NUFFT on the device, sorted into bins and divided into the chunks of
// kernels/nufft.cl.

#pragma once

#include "base/ranges.hpp"
#include "engines/nufft/kernel.hpp"
#include "engines/opencl/resources.hpp"

namespace lsrecon::opencl {

/// The division of a fine grid by kernels/nufft.cl. The layers of a volume are along z, of a plane
/// along y.
struct NufftTiles {
    explicit NufftTiles(const std::array<std::size_t, 3>& size) : is_volume(size[2] > 1) {}

    bool is_volume;
    std::size_t along_x() const { return is_volume ? 8 : 32; }
    std::size_t along_y() const { return is_volume ? 4 : 1; }
    std::size_t layers() const { return 32; }
    std::size_t points() const { return along_x() * along_y(); }
    /// Bins along a dimension that samples of a tile come from.
    std::size_t bins_x(std::size_t width) const { return 1 + divide_up(width - 1, along_x()); }
    std::size_t bins_y(std::size_t width) const {
        return is_volume ? 1 + divide_up(width - 1, along_y()) : 1;
    }
    /// The points of a fine grid are whole multiples of these.
    std::array<std::size_t, 3> multiples() const { return {along_x(), along_y(), 1}; }
};

/// Samples of a NUFFT on its fine grid, sorted once into bins, and the chunks that compute a tile.
class NufftBins {
public:
    NufftBins(const Resources& resources, const SamplePoints& points, const Voxels& voxels,
              const NufftGrid& grid);
    /// The memory on the device, with values of one coil and the parts of its tiles.
    static Cost cost(const SamplePoints& points, const NufftTiles& tiles, const NufftGrid& grid,
                     Precision precision);

    cl_int4 bins; ///< along x and y, and layers
    cl_ulong4 strides; ///< strides of the fine grid along y, along layers and between coils
    cl::Buffer starts; ///< starts of the samples of each bin and first layer
    cl::Buffer order; ///< index of each sample in the scan
    cl::Buffer first_points; ///< first points of the kernels
    cl::Buffer offsets; ///< 2 offset - 1 of each dimension, one after the other
    cl::Buffer phases; ///< phases of the middle of the frequencies
    bool with_phases = false;
    cl::Buffer chunks;
    cl::Buffer split_tiles; ///< tiles that have several chunks
    std::size_t chunk_count = 0;
    std::size_t split_count = 0;
    std::size_t parts = 0; ///< chunks of these

private:
    void sort(const Resources& resources, const SamplePoints& points, const Voxels& voxels,
              const NufftGrid& grid);
    void divide(Queue& queue, const NufftTiles& tiles, std::size_t width, std::size_t samples);

    std::vector<cl_uint> starts_of_keys_; ///< starts of keys, as in `starts`
};

} // namespace lsrecon::opencl
