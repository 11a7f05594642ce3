#include "operators/low_rank.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"

namespace lsrecon {

namespace {

using Matrix = Eigen::MatrixXcd;
using Patch = std::vector<Eigen::Index>;

/// The positions along a dimension at which patches of this length begin, and the end of the
/// dimension. The first patch is shorter by the shift.
std::vector<std::size_t> cuts(std::size_t size, std::size_t length, std::size_t shift) {
    std::vector<std::size_t> at{0};
    for (std::size_t next = shift > 0 ? shift : length; next < size; next += length) {
        at.push_back(next);
    }
    at.push_back(size);
    return at;
}

double root_of(std::size_t count) {
    return std::sqrt(static_cast<double>(count));
}

template <typename Real> Matrix casorati_of(const FrameStack<Real>& frames, const Patch& patch) {
    Matrix casorati(static_cast<Eigen::Index>(patch.size()), frames.cols());
    for (Eigen::Index f = 0; f < frames.cols(); ++f) {
        for (std::size_t p = 0; p < patch.size(); ++p) {
            casorati(static_cast<Eigen::Index>(p), f) = Complex(frames(patch[p], f));
        }
    }
    return casorati;
}

/// C V g V^H with V of C^H C, or V g V^H C with V of C C^H, whichever is smaller; s^2 are the
/// eigenvalues, g = 1 - length / s for each s above the length.
Matrix shortened(const Matrix& casorati, double length) {
    const bool wide = casorati.cols() > casorati.rows();
    const HermitianEigen squares =
        eigen_of(wide ? Matrix(casorati * casorati.adjoint()) : casorati.adjoint() * casorati);
    if (!squares.has_converged) {
        throw ToleranceError("solve: the singular values of a patch of `reg` llr did not converge"
                             "\n  next:     run 'lsrecon validate' on this device");
    }
    const RealVector s = squares.values.cwiseMax(0).cwiseSqrt(); // ascending
    const auto kept = (s.array() > length).count();
    if (kept == 0) {
        return Matrix::Zero(casorati.rows(), casorati.cols());
    }
    const Matrix v = squares.vectors.rightCols(kept);
    const RealVector gain = 1 - length / s.tail(kept).array();
    return wide ? Matrix(v * (gain.asDiagonal() * (v.adjoint() * casorati)))
                : Matrix(((casorati * v) * gain.asDiagonal()) * v.adjoint());
}

} // namespace

std::array<std::size_t, 3> patch_size(const Grid& grid) {
    const std::size_t side = grid.dimensions == 3 ? 4 : 8; // 64 voxels
    std::array<std::size_t, 3> size = grid.size;
    for (std::size_t& length : size) {
        length = std::min(length, side);
    }
    return size;
}

double shortening_by_length(const Grid& grid, std::size_t frames) {
    const std::array<std::size_t, 3> size = patch_size(grid);
    return root_of(size[0] * size[1] * size[2]) + root_of(frames);
}

std::size_t tilings(const Grid& grid) {
    std::size_t count = 1;
    for (const std::size_t length : grid.size) {
        count *= length > 1 ? 2 : 1;
    }
    return count;
}

std::vector<Patch> patches_of(const Grid& grid, std::size_t tiling) {
    const std::array<std::size_t, 3> side = patch_size(grid);
    std::array<std::vector<std::size_t>, 3> at;
    for (std::size_t d = 0; d < 3; ++d) {
        const bool may_shift = grid.size[d] > 1;
        at[d] = cuts(grid.size[d], side[d], may_shift && tiling % 2 == 1 ? side[d] / 2 : 0);
        tiling /= may_shift ? 2 : 1;
    }
    std::vector<Patch> patches;
    for (std::size_t k = 0; k + 1 < at[2].size(); ++k) {
        for (std::size_t j = 0; j + 1 < at[1].size(); ++j) {
            for (std::size_t i = 0; i + 1 < at[0].size(); ++i) {
                Patch patch;
                for (std::size_t z = at[2][k]; z < at[2][k + 1]; ++z) {
                    for (std::size_t y = at[1][j]; y < at[1][j + 1]; ++y) {
                        for (std::size_t x = at[0][i]; x < at[0][i + 1]; ++x) {
                            patch.push_back(static_cast<Eigen::Index>(
                                (z * grid.size[1] + y) * grid.size[0] + x));
                        }
                    }
                }
                patches.push_back(std::move(patch));
            }
        }
    }
    return patches;
}

template <typename Real> void add_shortened(const Grid& grid, std::size_t tiling,
                                            const FrameStack<Real>& frames, double length,
                                            double share, FrameStack<Real>& sum) {
    const std::vector<Patch> patches = patches_of(grid, tiling); // which share no voxel
    const double of_frames = root_of(static_cast<std::size_t>(frames.cols()));
    for_each_in_parallel(patches.size(), [&](std::size_t i) {
        const Patch& patch = patches[i];
        const Matrix casorati = casorati_of(frames, patch);
        const Matrix result = shortened(casorati, length * (root_of(patch.size()) + of_frames));
        for (Eigen::Index f = 0; f < frames.cols(); ++f) {
            for (std::size_t p = 0; p < patch.size(); ++p) {
                sum(patch[p], f) +=
                    std::complex<Real>(share * result(static_cast<Eigen::Index>(p), f));
            }
        }
    });
}

template <typename Real> FrameStack<Real>
low_rank_shortened(const Grid& grid, const FrameStack<Real>& frames, double length) {
    FrameStack<Real> mean = FrameStack<Real>::Zero(frames.rows(), frames.cols());
    const std::size_t count = tilings(grid);
    for (std::size_t tiling = 0; tiling < count; ++tiling) {
        add_shortened(grid, tiling, frames, length, 1 / static_cast<double>(count), mean);
    }
    return mean;
}

template void add_shortened(const Grid&, std::size_t, const FrameStack<double>&, double, double,
                            FrameStack<double>&);
template FrameStack<float> low_rank_shortened(const Grid&, const FrameStack<float>&, double);
template FrameStack<double> low_rank_shortened(const Grid&, const FrameStack<double>&, double);

} // namespace lsrecon
