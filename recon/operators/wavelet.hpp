// The undecimated Daubechies-4 wavelet transform.

#pragma once

#include <array>
#include <vector>

#include "operators/operator.hpp"
#include "operators/proximal.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// The taps of a short filter, the first one first.
using Taps = std::array<double, 4>;

/// One level of a wavelet transform: some components of N numbers, of detail at one scale.
struct WaveletLevel {
    Taps low_pass; ///< the same at all levels of a transform
    std::vector<std::size_t> dimensions; ///< dimensions that are filtered
    std::size_t step = 1; ///< voxels between the taps of a filter
    std::size_t coarse = 0; ///< component of the transform's coarse image
    std::size_t first = 1; ///< component
    std::size_t components = 0; ///< 2^(filtered dimensions) - 1
    /// 1 / sqrt(2^(dimensions of all levels so far)), over sqrt(2) for the two transforms: what a
    /// number here stands for in the mean of orthogonal transforms.
    double share = 1;
};

/// The levels of one transform, the finest first.
using WaveletLevels = std::vector<WaveletLevel>;

/// A transform with Daubechies' filters and one with their mirror images; none of a single voxel.
/// Each has at most three levels, each with twice the step of the one before. A dimension is
/// filtered at the first level if it has two voxels, and then while a filter is at most half as
/// long as it.
std::vector<WaveletLevels> wavelet_transforms(const Grid& grid);

/// Components, of N numbers each, of all transforms for a grid.
std::size_t wavelet_components(const Grid& grid);

/// The numbers of detail, each level's with its share: coarse images are not penalised.
std::vector<Penalised> wavelet_details(const Grid& grid);

/// The undecimated wavelet transform with Daubechies' filters of 4 taps and 2 vanishing moments
/// (Daubechies 1988; Mallat 1999, section 5.5), beside that with the same filters reversed in all
/// dimensions: periodic, of any size, odd ones too, because nothing is decimated. The first
/// component of either is its coarse image, the others are detail, N numbers each.
///
/// It is an isometry, K^H K = 1. A number of level l is the mean over the grid's shifts of one of
/// an orthogonal transform: the sum over levels of share times |numbers| is the mean, over all
/// shifts of the image and of its mirror image through a point, of the L1 norm of the orthogonal
/// transform's detail, where sizes are a multiple of 2^levels (Coifman and Donoho 1995).
class Wavelet : public Operator {
public:
    /// The device must outlive it.
    Wavelet(Device& device, const Grid& grid, Precision precision);

    std::size_t inputs() const override { return grid_.voxels(); }
    std::size_t outputs() const override { return wavelet_components(grid_) * grid_.voxels(); }
    bool is_isometry() const override { return true; }

    void apply(const Array& in, Array& out) override;
    void adjoint(const Array& in, Array& out) override;

private:
    /// N numbers of an array, from `first` on.
    struct Component {
        Array array;
        std::size_t first = 0;
    };

    /// Returns where filters put their results, from dimension `depth` of a level on, for the low
    /// (0) or high (1) passes so far, as bits.
    Component output_of_filter(const WaveletLevel& level, std::size_t depth, std::size_t passes,
                               const Array& numbers, const Component& coarse) const;
    void split(const WaveletLevel& level, std::size_t depth, std::size_t passes,
               const Component& in, const Array& out);
    void merge(const WaveletLevel& level, std::size_t depth, std::size_t passes, const Array& in,
               const Component& out);

    Device& device_;
    Grid grid_;
    std::vector<WaveletLevels> transforms_;
    Array coarse_; ///< coarse part of the level that is done
    Array fine_; ///< what a level is merged to
    std::vector<Array> halves_; ///< low and high pass of each dimension but the last
};

} // namespace lsrecon
